"""Tables on terminals of any width: names and numbers stay whole."""

import io

import pandas as pd
import pytest
from rich.console import Console
from rich.table import Table

from experiments.comparison.analysis import leaderboard
from experiments.comparison.compare import Comparison
from experiments.comparison.report.terminal import leaderboard_table, print_leaderboard
from experiments.pages import optima
from experiments.pages.speed import harness, page
from tests.experiments.reports import AGENTS, FAILED, MILLISECONDS, played
from tripeaks_env.pictures.tables import print_table, progress_bars

LONG = "a-name-that-is-longer-than-the-terminal-is-wide"


def printed(table: Table, width: int) -> str:
    console = Console(file=io.StringIO(), width=width)
    print_table(table, console)
    assert isinstance(console.file, io.StringIO)
    assert max(map(len, console.file.getvalue().splitlines())) <= width
    return console.file.getvalue()


@pytest.mark.parametrize("width", [20, 40, 60, 80, 120])
def test_numbers_and_names_are_whole(width: int) -> None:
    lines = [("first", "12,345,678 steps/s", "-12 to +1234", "123.4"), (LONG, "1.25 ms", "-3 to +4", "")]
    solved: list[tuple[str, ...]] = [
        ("empty-waste", "99.99 (98.76 to 99.99)", "1234.56 (1234.00 to 1235.00)", "12.34 (12.00 to 12.99)")
    ]
    quantiles = Table("least", "5 %", "25 %", "median")
    quantiles.add_row("123456", "234567", "345678", "456789")
    for table, cells in (
        (page.table({"section": lines}, harness.FULL), [each for line in lines for each in line]),
        (optima.table(solved, 10), list(solved[0])),
        (quantiles, ["123456", "234567", "345678", "456789"]),
    ):
        text = printed(table, width)
        shown = "".join(text.split())
        for cell in cells:
            assert all(word in text.split() or len(word) > 15 for word in cell.split()), text
            assert cell == LONG or "".join(cell.split()) in shown
    folded = printed(page.table({"section": lines}, harness.FULL), 40)
    assert LONG in folded.replace("\n", "")


def test_a_leaderboard_keeps_its_names_and_numbers() -> None:
    results, moves = played(AGENTS, 20, 0)
    found = Comparison(results, moves, FAILED, {}, MILLISECONDS)
    board = leaderboard(results)
    for width in (30, 40, 80):
        console = Console(file=io.StringIO(), width=width)
        print_leaderboard(leaderboard_table(board, found, "title"), found, console)
        assert isinstance(console.file, io.StringIO)
        text = console.file.getvalue()
        assert "…" not in text
        for name, row in board.iterrows():
            assert str(name) in text
            for value in (row["score"], row["regret"], row["score_low"], 100 * row["win_rate"]):
                assert pd.isna(value) or f"{value:.1f}" in text


@pytest.mark.parametrize("width", [30, 40, 80, 120])
def test_progress_bars_keep_names_and_numbers(width: int) -> None:
    progress = progress_bars(Console(file=io.StringIO(), width=width))
    progress.add_task(f"{LONG} plays", total=10_000, completed=1_234)
    console = Console(file=io.StringIO(), width=width)
    console.print(progress)
    assert isinstance(console.file, io.StringIO)
    text = console.file.getvalue()
    assert "1234/10000" in text
    assert "…" not in text
    letters = "".join(each for each in text if each.isalpha())
    assert letters == f"{LONG}plays".replace("-", "")
