"""The report that tests of several modules look at."""

import pytest

from tests.experiments.reports import NASTY, Page, Written, rendered, write_report


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    return write_report(tmp_path_factory.mktemp("report"))


@pytest.fixture(scope="session")
def page(written: Written) -> Page:
    return Page(written.text)


@pytest.fixture(scope="session")
def nasty() -> str:
    return rendered({NASTY: False, "_hidden": True})
