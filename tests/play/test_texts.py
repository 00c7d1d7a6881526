"""The two languages say the same."""

from string import Formatter

import pytest

from tripeaks_env.play.texts import TEXTS, language, text


def parameters(template: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(template) if name is not None}


def test_languages_have_the_same_keys_and_parameters() -> None:
    english, catalan = TEXTS["en"], TEXTS["ca"]
    assert list(english) == list(catalan)
    for key in english:
        assert parameters(english[key]) == parameters(catalan[key]), key
        assert english[key].strip() == english[key] != ""
        assert catalan[key].strip() == catalan[key] != ""


def test_text_fills_in_what_is_given() -> None:
    assert text("won", "en", score=750, moves=50) == "You have won with 750 points in 50 moves!"
    assert "750" in text("won", "ca", score=750, moves=50)
    with pytest.raises(KeyError):
        text("won", "en", score=750)


@pytest.mark.parametrize(
    ("environment", "found"),
    [
        ({}, "en"),
        ({"LANG": "ca_ES.UTF-8"}, "ca"),
        ({"LANG": "ca"}, "ca"),
        ({"LANG": "ca.UTF-8@valencia"}, "ca"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LANG": "cat"}, "en"),
        ({"LC_ALL": "", "LANG": "ca_AD"}, "ca"),
        ({"LC_ALL": "de_DE", "LANG": "ca_ES"}, "en"),
        ({"LC_MESSAGES": "ca_ES", "LANG": "en_GB"}, "ca"),
    ],
)
def test_the_locale_chooses(environment: dict[str, str], found: str) -> None:
    assert language(environment=environment) == found
    assert language("ca", environment) == "ca"
    assert language("en", environment) == "en"


def test_another_language_is_an_error() -> None:
    with pytest.raises(ValueError, match="language is 'de'; it must be one of en, ca"):
        language("de")
