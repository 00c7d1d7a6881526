"""Windows that are closed after the test."""

from collections.abc import Iterator

import pytest

from tests.play.hand import CODE, SIZE, Clock, Hand
from tripeaks_env.play.session import Session
from tripeaks_env.play.window.play import PlayWindow
from tripeaks_env.play.window.tabletop import Tabletop


@pytest.fixture
def opened() -> Iterator[list[Tabletop]]:
    windows: list[Tabletop] = []
    yield windows
    for window in windows:
        window.close()


@pytest.fixture
def table(opened: list[Tabletop]) -> tuple[PlayWindow, Hand]:
    window = PlayWindow(Session(CODE), "en", SIZE, Clock())
    opened.append(window)
    return window, Hand(window)
