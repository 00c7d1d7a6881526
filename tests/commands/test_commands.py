"""The command ``tripeaks`` as a user meets it, against what the library answers."""

import io
import json
import signal
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.common import WORKED_WIN, known_optima
from tripeaks_env import (
    PRESETS,
    Deal,
    Game,
    __version__,
    action_values,
    difficulty,
    hint,
    is_evaluation,
    solve,
    solve_many,
    suite,
)
from tripeaks_env.cli import main
from tripeaks_env.commands import stats
from tripeaks_env.game.cards import card_symbol
from tripeaks_env.parallel.intervals import mean_interval, share_interval

CODE = "TP1-E-AAAAAAB"
CLASSIC = "TP1-C-AAAAAAB"
COMMAND = (sys.executable, "-m", "tripeaks_env")
STARTED = Game(CODE, "open", actions=[20, 23, 22, 29, 28])
"""A saved game with an undo, by rules that a code does not name."""


class Run:
    """Runs ``tripeaks`` in this process and holds what it wrote."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.monkeypatch, self.capsys = monkeypatch, capsys
        self.out = self.err = ""

    def __call__(self, *arguments: str | Path, stdin: bytes | None = b"", code: int = 0) -> str:
        """Run, expect an exit code, and return the standard output."""
        self.monkeypatch.setattr("sys.argv", ["tripeaks", *map(str, arguments)])
        given = None if stdin is None else io.TextIOWrapper(io.BytesIO(stdin))
        self.monkeypatch.setattr("sys.stdin", given)
        with pytest.raises(SystemExit) as end:
            main()
        self.out, self.err = self.capsys.readouterr()
        assert (end.value.code or 0) == code, self.err
        assert code or not self.err
        return self.out

    def json(self, *arguments: str | Path) -> dict[str, Any]:
        """Run with ``--json`` and return the one answer."""
        (line,) = self(*arguments, "--json").splitlines()
        return json.loads(line)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    return Run(monkeypatch, capsys)


def saved(game: Game) -> dict[str, Any]:
    return json.loads(game.to_text())


def cells(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines()]


def test_deal_shows_what_a_player_sees(run: Run) -> None:
    assert run("deal", CODE) == f"{CODE}   rules easy\n{Game(CODE)}\n"
    assert run("deal", STARTED.to_text()) == f"{CODE}   rules open\n{STARTED}\n"
    assert run("deal", CODE, "--rules", "wild") == f"{CODE}   rules wild\n{Game(CODE, 'wild')}\n"
    deal = Deal.from_cards(known_optima()[0]["cards"])
    assert (
        run("deal", deal.text(), "--rules", "classic")
        == f"given by its cards   rules classic\n{Game(deal, 'classic')}\n"
    )


@pytest.mark.parametrize("rules", PRESETS)
def test_deal_with_all_cards(run: Run, rules: str) -> None:
    code = CODE if PRESETS[rules].wrap else CLASSIC
    game = Game(code, rules)
    for _ in range(4):
        game.play(game.legal_actions()[-1])
    title, *tableau, counters, stock = run("deal", game.to_text(), "--all").splitlines()
    assert title == f"{code}   rules {rules}"
    shown = [word for row in tableau for word in row.split()]
    assert shown == [card_symbol(game.deal.cards[position]) for position in game.remaining]
    assert counters == str(game).splitlines()[-1]
    ahead = []
    while game.stock:  # draws only, as far as the rules allow
        outcome = game.play(28 if 28 in game.legal_actions() else game.legal_actions()[0])
        if outcome.action == 28:
            assert outcome.card is not None
            ahead.append(card_symbol(outcome.card))
    assert stock.split() == ["stock", "in", "draw", "order:", *ahead]


def test_deal_in_json(run: Run) -> None:
    found = run.json("deal", STARTED.to_text())
    expected = {"status": "playing", "score": STARTED.score, "moves": STARTED.moves, "stock": 22, "peaks": 0}
    assert found == saved(STARTED) | expected | {"legal": STARTED.legal_actions(), "board": str(STARTED)}
    assert run.json("deal", CODE, "--all")["cards"] == Game(CODE).deal.text()
    won = run.json("deal", Game(CODE, actions=WORKED_WIN).to_text())
    assert (won["status"], won["peaks"], won["legal"]) == ("won", 3, [])


@pytest.mark.parametrize("objective", ["score", "win", "moves"])
@pytest.mark.parametrize("game", [Game(CODE), STARTED, Game("TP1-C-AAAAACZ", "traditional")], ids=repr)
def test_solve_answers_as_the_solver_does(run: Run, game: Game, objective: str) -> None:
    best = solve(game, objective=objective)  # type: ignore[arg-type]
    found = run.json("solve", game.to_text(), "--objective", objective)
    facts = {"score": best.score, "won": best.won, "draws": best.draws, "peaks": best.peaks, "line": list(best.actions)}
    assert found == saved(game) | {"objective": objective} | facts
    end = game.copy()
    for action in found["line"]:
        assert end.play(action).accepted
    assert (end.score, end.peaks_cleared) == (found["score"], found["peaks"])
    assert not end.legal_actions()


def test_solve_in_words(run: Run) -> None:
    best = solve(CODE)
    lines = run("solve", CODE).splitlines()
    assert lines == [
        f"{CODE}   rules easy",
        "score 762   won yes   draws 10   peaks 3",
        " ".join(["line", *map(str, best.actions)]),
    ]
    lost = next(number for number in suite(200) if not solve(Deal.from_number(number), "classic").won)
    code = Deal.from_number(lost).code("classic")
    assert code
    assert "won no" in run("solve", code)


def test_solve_shows_the_line_board_by_board(run: Run) -> None:
    game = Game(CODE, actions=[20, 28])
    shown = run("solve", game.to_text(), "--line")
    head = "".join(shown.splitlines(keepends=True)[:3])
    line = [int(word) for word in head.split("line ")[1].split()]
    expected = [head]
    for number, action in enumerate(line, 1):
        outcome = game.play(action)
        assert outcome.card is not None
        card, peak = card_symbol(outcome.card), " and empty a peak" if action < 3 else ""
        words = f"draw the {card}" if action == 28 else f"remove the {card} ({action}){peak}"
        expected.append(f"\n{number}. {words}: {outcome.points:+d}\n{game}\n")
    assert shown == "".join(expected)
    assert game.score == solve(Game(CODE, actions=[20, 28])).score


@pytest.mark.parametrize("game", [Game(CODE), STARTED, Game(CLASSIC, "traditional")], ids=repr)
def test_values(run: Run, game: Game) -> None:
    values, best = action_values(game), hint(game)
    found = run.json("values", game.to_text())
    assert (found["best"], found["hint"]) == (best.action, best.message)
    assert [row["action"] for row in found["values"]] == game.legal_actions()
    for row in found["values"]:
        assert row["value"] == values[row["action"]]
        assert row["regret"] == np.nanmax(values) - values[row["action"]]
        assert row["card"] == (None if row["action"] == 28 else game.deal.text().split()[row["action"]])
    text = run("values", game.to_text())
    assert text.startswith(f"{game.deal.code(game.rules)}   rules {game.rules}\n{game}\n")
    assert text.endswith(f"{best.message}\n")
    for row in found["values"]:
        action = row["action"]
        card = "draw" if action == 28 else card_symbol(game.deal.cards[action])
        mark = ["best"] if action == best.action else []
        assert [*map(str, (action, card, row["value"], row["regret"])), *mark] in cells(text)


def test_values_of_a_game_that_is_over(run: Run) -> None:
    over = Game(CODE, actions=WORKED_WIN)
    assert run.json("values", over.to_text()) == saved(over) | {"values": [], "best": None, "hint": None}
    assert run("values", over.to_text()).endswith("The game is won; there is no move.\n")


def test_difficulty(run: Run) -> None:
    assert run.json("difficulty", CODE) == saved(Game(CODE)) | asdict(difficulty(CODE))
    lines = run("difficulty", CLASSIC).splitlines()
    expected = difficulty(CLASSIC)
    assert lines[1:4] == [
        "winnable        yes",
        f"draws in hand   {expected.draws_in_hand}",
        f"winning moves   {expected.winning_moves} of {expected.moves}",
    ]
    assert lines[4] == f"luck            {expected.luck:.1%} of 1000 random playouts win"
    lost = Game(CODE, actions=[28] * 23)
    assert run("difficulty", lost.to_text()).splitlines()[1:3] == ["winnable        no", "winning moves   0 of 2"]


@pytest.mark.parametrize("split", ["train", "evaluation", "all"])
def test_random_deals_are_of_the_split_and_repeat(run: Run, split: str) -> None:
    arguments = ("random", "--deals", "200", "--seed", "5", "--split", split, "--rules", "classic", "--json")
    games = [Game.from_text(line) for line in run(*arguments).splitlines()]
    assert len(games) == 200
    assert {game.rules for game in games} == {PRESETS["classic"]}
    kept = {is_evaluation(game.deal.number) for game in games if game.deal.number is not None}
    assert kept == {"train": {False}, "evaluation": {True}, "all": {False, True}}[split]
    assert run(*arguments).splitlines() == [game.to_text() for game in games]
    boards = "".join(f"{game.deal.code('classic')}   rules classic\n{game}\n" for game in games)
    assert run(*arguments[:-1]) == boards


def test_random_deals_without_a_seed_differ(run: Run) -> None:
    assert run("random") != run("random")


def test_random_deals_are_positions(run: Run) -> None:
    deals = run("random", "--deals", "5", "--rules", "wild", "--json")
    answers = [json.loads(line) for line in run("solve", "-", stdin=deals.encode()).splitlines()]
    assert [(answer["deal"], answer["score"]) for answer in answers] == [
        (game.deal.code("wild"), solve(game).score) for game in map(Game.from_text, deals.splitlines())
    ]


@pytest.mark.parametrize(
    ("rules", "objective", "deals"), [("classic", "score", 1100), ("easy", "moves", 40), ("traditional", "win", 3)]
)
def test_stats(run: Run, rules: str, objective: str, deals: int) -> None:
    """In parts, as it works, the answers are those of all at once."""
    arguments = ("stats", "--deals", str(deals), "--seed", "3", "--rules", rules, "--objective", objective)
    numbers = suite(deals, 3)
    best = solve_many(numbers, rules, objective=objective)  # type: ignore[arg-type]
    winnable = solve_many(numbers, rules, objective="win").won
    found = run.json(*arguments, "--workers", "2")
    assert {key: found[key] for key in ("rules", "objective", "seed", "deals")} == {
        "rules": rules,
        "objective": objective,
        "seed": 3,
        "deals": deals,
    }
    assert found["winnable"] == list(share_interval(winnable))
    assert found["won"] == list(share_interval(best.won))
    assert found["score"] == pytest.approx(mean_interval(best.scores))
    assert {int(score): count for score, count in found["scores"].items()} == {
        score: best.scores.tolist().count(score) for score in set(best.scores.tolist())
    }
    text = run(*arguments)
    mean, low, high = found["score"]
    assert f"mean best score        {mean:.1f}   ({low:.1f} to {high:.1f})" in text
    share, low, high = found["winnable"]
    assert f"can be won             {share:.1%}   ({low:.1%} to {high:.1%})" in text
    ordered = sorted(best.scores.tolist())
    shown = [ordered[0], *(ordered[int(q * (deals - 1))] for q in (0.05, 0.25, 0.5, 0.75, 0.95)), ordered[-1]]
    assert [str(score) for score in shown] in cells(text)


def test_winning_and_the_best_score_can_differ(run: Run) -> None:
    """Under traditional rules; the two shares tell of it."""
    found = run.json("stats", "--deals", "5", "--rules", "traditional")
    assert (found["winnable"][0], found["won"][0]) == (
        np.mean([solve(Deal.from_number(number), "traditional", "win").won for number in suite(5)]),
        np.mean([solve(Deal.from_number(number), "traditional").won for number in suite(5)]),
    )
    assert found["winnable"][0] > found["won"][0]


@pytest.mark.parametrize(("name", "begins"), [("scores.svg", b"<?xml"), ("scores.PNG", b"\x89PNG")])
def test_picture(run: Run, tmp_path: Path, name: str, begins: bytes) -> None:
    (tmp_path / name).write_text("old")
    run("stats", "--deals", "20", "--picture", tmp_path / name)
    assert (tmp_path / name).read_bytes().startswith(begins)
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_a_failed_picture_leaves_the_old_one(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    path = tmp_path / "scores.svg"
    path.write_text("old")
    monkeypatch.setattr(stats, "_draw", fail)
    run("stats", "--deals", "20", "--picture", path, code=2)
    assert "No space left" in run.err
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("scores.svg", "old")]


def test_progress_shows_when_it_takes_long(
    run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # as on a terminal
    run("stats", "--deals", "20", "--json")  # expects nothing on standard error
    monkeypatch.setattr(stats, "PATIENCE", -1)
    monkeypatch.setattr("sys.argv", ["tripeaks", "stats", "--deals", "20", "--json"])
    with pytest.raises(SystemExit):
        main()
    shown = capsys.readouterr()
    assert "20/20" in shown.err
    assert json.loads(shown.out)["deals"] == 20


def test_each_line_of_standard_input_is_a_position(run: Run) -> None:
    """Of any kind; empty lines count, and are skipped."""
    deal = Deal.from_cards(known_optima()[0]["cards"])
    stdin = f"\ufeff{CODE}\r\n\n  {CLASSIC.lower()}\n{deal.text()}\n{STARTED.to_text()}"
    games = [Game(CODE), Game(CLASSIC), Game(deal), STARTED]
    answers = [json.loads(line) for line in run("solve", "-", stdin=stdin.encode()).splitlines()]
    assert [{key: answer[key] for key in ("rules", "deal", "actions")} for answer in answers] == list(map(saved, games))
    assert [answer["score"] for answer in answers] == [solve(game).score for game in games]
    assert run("deal", "-", stdin=b"") == ""


@pytest.mark.parametrize("command", ["deal", "solve", "values", "difficulty"])
def test_a_bad_line_is_named_and_the_rest_answered(run: Run, command: str) -> None:
    stdin = f"{CODE}\nTP1-E-AAAAAA1\n\n".encode() + b"caf\xe9\n{}\n" + f"{CLASSIC}\n{CODE}".encode()
    answers = run(command, "-", "--rules", "easy", stdin=stdin, code=2).splitlines()
    assert [json.loads(line) for line in answers] == [run.json(command, CODE)] * 2
    run(command, "-", "--rules", "easy", stdin=stdin, code=2)
    two, four, five, six = run.err.splitlines()
    assert two == "error: line 2: deal code 'TP1-E-AAAAAA1' has '1' among its letters; they must be A to Z"
    assert four.startswith("error: line 4: 'utf-8' codec can't decode byte 0xe9")
    assert five == "error: line 5: saved game is '{}'; it must have exactly the keys rules, deal and actions"
    assert six.startswith("error: line 6: deal code 'TP1-C-AAAAAAB' names another rule")


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["solve"], "Missing argument 'POSITION'"),
        (["sovle", CODE], "No such command 'sovle'"),
        (["--verbose"], "No such option: --verbose"),
        (["solve", CODE, "--lin"], "No such option: --lin (Possible options: --line)"),
        (["solve", "6d", "5h"], "unexpected extra argument(s) (5h)"),
        (["solve", ""], "deal code '' has 1 part; it must"),
        (["deal", "TP2-E-AAAAAAB"], "begins with 'TP2'; it must begin with 'TP1'"),
        (["deal", "6d 5h"], "a deal must have 52 different cards, not 2"),
        (["deal", "6d,5x"], "card '5x' has no suit out of C D H S"),
        (["values", '{"deal": 1'], "saved game is not one line of JSON"),
        (
            ["values", '{"rules": "easy", "deal": "TP1-E-AAAAAAB", "actions": [20, 20]}'],
            "action 20 at index 1 is illegal",
        ),
        (["difficulty", STARTED.to_text(), "--rules", "classic"], "the game is played by open"),
        (["deal", CODE, "--rules", "classic"], "for this rule it is 'TP1-C-AAAAAAB'"),
        (
            ["solve", CODE, "--rules", "eazy"],
            "'--rules': 'eazy' is not one of 'easy', 'classic', 'traditional', 'open'",
        ),
        (["solve", CODE, "--objective", "peaks"], "'--objective': 'peaks' is not one of 'score', 'win', 'moves'"),
        (["solve", CODE, "--line", "--json"], "--line is for people"),
        (["solve", "-", "--line"], "--line is for people"),
        (["random", "--deals", "100000000000"], "'--deals': '100000000000'; it must be at most 10000000"),
        (["random", "--seed", "x"], "'--seed': 'x'; it must be an integer"),
        (["random", "--split", "test"], "'--split': 'test' is not one of 'train', 'evaluation', 'all'"),
        (["stats", "--deals", "1"], "'--deals': '1'; it must be at least 2"),
        (["stats", "--deals", "1000001"], "a suite of 1000001 deals was asked for; it must be 1 to 1000000"),
        (["stats", "--seed", "4294967296"], "suite seed is 4294967296; it must be 0 to 4294967295"),
        (["stats", "--workers", "0"], "'--workers': '0'; it must be at least 1"),
        (["stats", "--picture", "scores.pdf"], "--picture is 'scores.pdf'; it must end in .svg or .png"),
        (
            ["stats", "--picture", "/nowhere/a.svg"],
            "--picture /nowhere/a.svg cannot be written: No such file or directory",
        ),
    ],
)
def test_an_error_is_one_line_and_exit_code_2(run: Run, arguments: list[str], named: str) -> None:
    assert run(*arguments, code=2) == ""
    assert run.err.startswith("error: ")
    assert run.err.count("\n") == 1
    assert named in run.err


@pytest.mark.parametrize("foreign", [100_000 * "x", "TP1-\x1b[31m\n\u202e-A", '{"rules": "\\u001b[31m"}'])
def test_an_error_shows_no_more_of_an_argument_than_a_line_holds(run: Run, foreign: str) -> None:
    """And nothing that a terminal would obey, also of standard input."""
    run("solve", foreign, code=2)
    errors = [run.err]
    run("solve", "-", stdin=foreign.encode(), code=2)
    for error in (*errors, *run.err.splitlines()):
        assert error.strip("\n").isprintable()
        assert len(error) < 1100


@pytest.mark.parametrize("arguments", [["play"], ["solve", "-"]], ids=" ".join)
def test_closed_input_is_one_line_and_exit_code_2(run: Run, arguments: list[str]) -> None:
    assert run(*arguments, stdin=None, code=2) == ""
    assert run.err in ("error: standard input is closed\n", "error: standard input or output is closed\n")


@pytest.mark.parametrize("missing", ["typer", "rich", "scipy"])
def test_a_missing_library_is_one_line_and_exit_code_2(run: Run, monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    for name in [name for name in sys.modules if name.startswith("tripeaks_env.commands")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, missing, None)
    assert run("stats", "--deals", "5", code=2) == ""
    extra = "the command line needs the extra cli: pip install 'tripeaks-env[cli]'"
    assert run.err == f"error: {missing} is not installed; {extra}\n"


def test_help_has_the_commands_and_an_example_of_each(run: Run) -> None:
    names = ["deal", "solve", "values", "difficulty", "random", "stats"]
    overview = run("--help")
    assert run() == overview
    for name in names:
        assert any(row[1:2] == [name] for row in cells(overview))
        text = " ".join(run(name, "--help").split())
        example = text.split("Example: ")[1].split()
        assert example[:2] == ["tripeaks", name]
        assert "JSON: " in text
        assert run(*example[1:]) if "stats" not in example else "--picture" in example


def test_help_names_every_key_of_the_answers(run: Run) -> None:
    for arguments in (("deal", CODE, "--all"), ("solve", CODE), ("values", CODE), ("difficulty", CODE), ("stats",)):
        text = " ".join(run(arguments[0], "--help").split()).split("JSON: ")[1]
        for key in run.json(*arguments):
            assert key in text


def test_version(run: Run) -> None:
    assert run("--version") == f"tripeaks {__version__}\n"


@pytest.mark.slow
def test_the_package_does_not_import_the_extra() -> None:
    code = "import sys, tripeaks_env, tripeaks_env.cli; print(*{'typer', 'rich', 'matplotlib'} & {*sys.modules})"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout == "\n"


@pytest.mark.slow
def test_an_interrupt_ends_quietly_with_130() -> None:
    with subprocess.Popen(
        [*COMMAND, "solve", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # in the background, shells have it ignored
    ) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdin.write(f"{CODE}\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["score"] == 762  # answered at once, not at the end of the input
        process.send_signal(signal.SIGINT)
        assert process.wait() == 130
        assert process.stderr.read().strip() == ""


@pytest.mark.slow
def test_a_closed_pipe_ends_quietly() -> None:
    with subprocess.Popen(
        [*COMMAND, "random", "--deals", "100000"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        assert process.stderr
        assert "rules easy" in process.stdout.readline()
        process.stdout.close()
        assert process.wait() == 1
        assert process.stderr.read() == ""


@pytest.mark.slow
def test_an_encoding_without_card_symbols_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "latin-1")
    ended = subprocess.run([*COMMAND, "deal", CODE], capture_output=True, text=True, encoding="latin-1", check=True)
    assert ended.stdout.splitlines()[-2].split()[:3] == ["3?", "5?", "K?"]
