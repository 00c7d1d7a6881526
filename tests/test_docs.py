"""What the pages say of files, modules and versions is so."""

import importlib
import re
from pathlib import Path

import pytest
import yaml

import tripeaks_env

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "tests" / "data" / "README.md"]
every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)


@every_page
def test_links_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#\s]+)\)", page.read_text(encoding="utf-8"))
    assert [each for each in targets if "://" not in each and not (page.parent / each).exists()] == []


@every_page
def test_files_that_are_named_are_there(page: Path) -> None:
    folders = "tripeaks_env|agents|experiments|tests|docs"
    named = re.findall(rf"`((?:{folders})/[\w./-]*)`", page.read_text(encoding="utf-8"))
    assert [each for each in named if not (ROOT / each).exists()] == []


def test_moved_modules_are_where_the_changes_say() -> None:
    """In a row, ``.name`` stands beside the name before it, and a new ``….…`` for all names that are old."""
    page = (ROOT / "docs" / "changes.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.*) \| (`.*) \|$", page, re.MULTILINE)
    assert len(rows) > 15
    for old, new in rows:
        parent, _, first = re.findall(r"`([\w.…]+)`", new)[0].rpartition(".")
        for name in re.findall(r"\.(\w+)`", old if first == "…" else new):
            importlib.import_module(f"{parent}.{name}")


def test_versions_and_targets_agree() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == tripeaks_env.__version__
    assert f"\n## {tripeaks_env.__version__}\n" in (ROOT / "docs" / "changes.md").read_text(encoding="utf-8")
    (repo,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"]
    assert [hook["entry"] for hook in repo["hooks"]] == ["make check"]
    (job,) = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))["jobs"].values()
    assert job["steps"][-1]["run"] == ".ci/run"
