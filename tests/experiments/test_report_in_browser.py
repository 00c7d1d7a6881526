"""The page of a comparison works in a browser."""

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.experiments.reports import (
    NASTY,
    Page,
    Written,
)
from tripeaks_env import Game

pytestmark = pytest.mark.slow

ARGUMENTS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()


PATIENCE = 600_000
"""Milliseconds that the browser has for each step; a machine may be busy."""


class Visit(NamedTuple):
    page: Any  # of Playwright
    complaints: list[str]
    requests: list[str]


class Visitor:
    """Opens pages in Chromium and notes what goes wrong there."""

    def __init__(self, browser: Any) -> None:
        self.browser = browser
        self.contexts: list[Any] = []

    def __call__(self, path: Path, width: int = 1280, height: int = 900, scheme: str = "light") -> Visit:
        context = self.browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
        context.set_default_timeout(PATIENCE)
        self.contexts.append(context)
        page, complaints, requests = context.new_page(), [], []
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(path.as_uri())
        return Visit(page, complaints, requests)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    path = shutil.which("chromium")
    if path is None:
        if "CI" in os.environ:
            pytest.fail("there is no chromium, and CI is set")
        pytest.skip("there is no chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS, timeout=PATIENCE)
        yield browser
        browser.close()


@pytest.fixture
def visit(browser: Any) -> Iterator[Visitor]:
    visitor = Visitor(browser)
    yield visitor
    for context in visitor.contexts:
        context.close()


def status(page: Any) -> str:
    return str(page.locator("#r-status").inner_text())


def test_replay_by_keyboard_shows_the_game(written: Written, page: Page, visit: Visitor) -> None:
    """Every position: the cards, the actions with their values and the score are those of the game."""
    window, complaints, requests = visit(written.folder / "report.html")
    deal = page.replays["deals"][0]
    game = deal["games"][0]
    moves = game["moves"]
    board = Game(deal["code"])
    window.locator("#replay").focus()
    for place, move in enumerate(moves):
        assert status(window).startswith(f"Move {place + 1} of {len(moves)}: greedy ")
        lost = re.search(r"This lost (\d+) point", status(window))
        assert (int(lost[1]) if lost else 0) == move["loss"]
        drawn = window.locator("#r-board")
        assert f"{len(board.remaining)} card" in drawn.get_attribute("aria-label")
        assert drawn.get_attribute("aria-label").endswith(f"score {board.score}")
        assert drawn.locator(".b-card").count() == sum(0 < rank < 14 for rank in board.observation()["tableau"]) + 1
        assert drawn.locator(".b-back").count() == sum(board.observation()["tableau"] == 14) + (board.stock > 0)
        assert drawn.locator(".b-mark.chosen").get_attribute("data-action") == str(move["action"])
        rows = window.locator("#r-values tbody tr").evaluate_all(
            "rows => rows.map(row => [row.dataset.action, ...Array.from(row.cells, cell => cell.textContent)])"
        )
        best = max(value for _, value in move["values"])
        assert {int(row[0]): (int(row[2]), int(row[3])) for row in rows} == {
            action: (value, best - value) for action, value in move["values"]
        }
        board.play(move["action"])
        window.keyboard.press("ArrowRight")
    assert f"with {game['score']} points; the best was {deal['optimum']}." in status(window)
    window.keyboard.press("ArrowRight")
    assert status(window).startswith("End after")
    window.keyboard.press("ArrowLeft")
    assert status(window).startswith(f"Move {len(moves)} of")
    window.keyboard.press("Home")
    assert status(window).startswith("Move 1 of")
    window.keyboard.press("End")
    assert status(window).startswith("End after")
    assert complaints == []
    assert all(url.startswith(("file:", "data:")) for url in requests)


def test_replay_by_mouse(written: Written, page: Page, visit: Visitor) -> None:
    window, complaints, _ = visit(written.folder / "report.html")
    window.locator("#r-deal").select_option(index=1)
    window.locator("#r-agent").select_option(index=2)
    game = page.replays["deals"][1]["games"][2]
    losses = [place for place, move in enumerate(game["moves"]) if move["loss"] > 0]
    assert "learner 1 " in status(window)
    window.locator("#r-next").click()
    assert status(window).startswith("Move 2 of")
    window.locator("#r-prev").click()
    assert window.locator("#r-prev").is_disabled()
    reached = []
    while window.locator("#r-mistake").is_enabled():
        window.locator("#r-mistake").click()
        reached.append(int(status(window).split()[1]) - 1)
        assert "This lost " in status(window)
    assert reached == [place for place in losses if place > 0]
    window.locator("#r-last").click()
    assert status(window).startswith("End after")
    window.locator("#r-moves button").nth(4).click()
    assert status(window).startswith("Move 5 of")
    window.locator("#r-slider").fill("7")
    assert status(window).startswith("Move 8 of")
    window.locator("#r-first").click()
    assert window.locator("#r-board .b-hidden").count() == 0
    window.locator("#r-hidden").check()
    assert window.locator("#r-board .b-back").count() == 0
    assert window.locator("#r-board .b-hidden").count() == 18 + 1
    assert complaints == []


def test_next_mistake_by_key(written: Written, page: Page, visit: Visitor) -> None:
    window = visit(written.folder / "report.html").page
    losses = [place for place, move in enumerate(page.replays["deals"][0]["games"][0]["moves"]) if move["loss"] > 0]
    window.locator("#replay").focus()
    for place in (place for place in losses if place > 0):
        window.keyboard.press("m")
        assert status(window).startswith(f"Move {place + 1} of")
        assert "This lost " in status(window)
    before = status(window)
    window.keyboard.press("m")
    assert status(window) == before


def lightness(color: str) -> float:
    return sum(map(float, re.findall(r"[\d.]+", color)[:3])) / 3


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_dark_and_light(written: Written, visit: Visitor, scheme: str) -> None:
    """Paper and ink swap with the system's scheme and with the button, in the plots too."""
    window, complaints, _ = visit(written.folder / "report.html", scheme=scheme)

    def dark() -> bool:
        paper = window.evaluate("getComputedStyle(document.body).backgroundColor")
        ink = window.evaluate("getComputedStyle(document.body).color")
        drawn = window.locator(".plot svg text").first.evaluate("each => getComputedStyle(each).fill")
        assert drawn == ink
        assert abs(lightness(paper) - lightness(ink)) > 150
        return lightness(paper) < lightness(ink)

    assert dark() == (scheme == "dark")
    window.locator("#theme").click()
    assert dark() != (scheme == "dark")
    window.reload()
    assert dark() != (scheme == "dark")
    window.locator("#theme").focus()
    window.keyboard.press("Enter")
    assert dark() == (scheme == "dark")
    assert complaints == []


def test_phone(written: Written, visit: Visitor) -> None:
    """The page itself does not scroll sideways, whatever is opened; wide tables do in their boxes."""
    window, complaints, _ = visit(written.folder / "report.html", width=360, height=740)
    window.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    window.locator("#replay").focus()
    window.keyboard.press("End")
    wide, inner = window.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    assert wide <= inner == 360
    box = window.locator("#leaderboard .scroll").first
    assert box.evaluate("each => each.scrollWidth > each.clientWidth")
    assert complaints == []


def test_a_nasty_label_in_the_browser(tmp_path: Path, nasty: str, visit: Visitor) -> None:
    path = tmp_path / "report.html"
    path.write_text(nasty, encoding="utf-8")
    window, complaints, _ = visit(path)
    assert complaints == []
    assert window.locator("b").count() == 0
    assert window.locator("#t-leaderboard tbody th[scope=row]").all_inner_texts().count(NASTY) == 1
    assert status(window).startswith(f"Move 1 of {window.locator('#r-moves button').count()}: {NASTY} ")
