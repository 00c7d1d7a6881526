"""Golden files: games come out as they have them, after every action, byte for byte."""

from difflib import unified_diff

import pytest

from tests.golden import FOLDER, file_of, games_of, text_of
from tripeaks_env import PRESETS, Rejection
from tripeaks_env.game.game import MESSAGES

RENEW = (
    "the games of {} are not those of their golden file; if the change is meant, see docs/changes.md on versions, "
    "and renew the file: python -m tests.golden\n{}"
)
every_preset = pytest.mark.parametrize("name", PRESETS)


def test_every_preset_has_a_file() -> None:
    names = {path.stem for path in FOLDER.glob("*.txt")}
    assert names == set(PRESETS), (
        "write the missing files: python -m tests.golden; delete those of presets that are gone"
    )


@every_preset
def test_games_are_as_they_were(name: str) -> None:
    kept, found = file_of(name).read_bytes().decode(), text_of(name, games_of(name))
    if kept != found:
        changes = unified_diff(kept.splitlines(), found.splitlines(), "golden", "now", lineterm="", n=12)
        pytest.fail(RENEW.format(name, "\n".join(list(changes)[:60])))


@every_preset
def test_golden_games_show_what_the_rules_have(name: str) -> None:
    """A win and a blocked game, undos, every reason to reject an action, and what only some rules have."""
    rules, text = PRESETS[name], file_of(name).read_text(encoding="utf-8")
    reasons = {message for message in MESSAGES.values() if f"   {message}\n" in text + "\n"}
    assert reasons == {
        message for reason, message in MESSAGES.items() if reason != Rejection.NOT_STUCK or rules.draw == "stuck"
    }
    assert [text.count(f"   {status}\n") > 0 for status in ("playing", "won", "blocked")] == [True] * 3
    assert "> action 29   reward 1\n" in text or rules.scoring.streak
    assert ("waste 15\n" in text, "waste *   " in text) == (rules.wild, rules.wild)
    assert ("waste 0\n" in text, "waste empty   " in text) == (rules.empty_waste, rules.empty_waste)
    assert ("run 3   " in text) == rules.scoring.streak
    assert ("░░" in text) != rules.open_peaks
