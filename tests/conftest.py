"""Settings of Hypothesis: the same examples in every run, no deadlines, since first calls compile. Windows open nowhere."""

import gc
import os
import signal
from collections.abc import Iterator

import pytest
from hypothesis import settings

from tripeaks_env import TriPeaksEnv

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")

settings.register_profile("tests", deadline=None, derandomize=True)
settings.load_profile("tests")


@pytest.fixture(scope="session", autouse=True)
def signals() -> None:
    """What tests start can be interrupted and hung up, also where pytest runs in the background or under nohup.

    Processes inherit which signals are ignored, but no handlers: a handler that does nothing keeps pytest itself as it was.
    """
    for name in ("SIGINT", "SIGHUP"):
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number and signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, lambda *_: None)


@pytest.fixture(scope="session", autouse=True)
def frames() -> Iterator[None]:
    """Windows of environments show picture after picture without waiting between them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(TriPeaksEnv.metadata, "render_fps", 1_000_000)
        yield


def pytest_collection_finish() -> None:
    """Let no garbage collection look through all the tests again and again."""
    gc.freeze()
