"""What players read, in English and Catalan: a table of texts each, with the same keys and the same parameters."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

ENGLISH = {
    # Why nothing happened.
    "wrong_rank": "It must be one rank higher or lower.",
    "card_blocked": "This card is blocked.",
    "card_removed": "This card is already removed.",
    "stock_empty": "The stock is empty.",
    "nothing_to_undo": "There is nothing to undo.",
    "won_for_good": "The game is won: it is over for good.",
    "bad_code": "“{code}” is no deal code; one looks like TP1-E-AAAAAAB.",
    # What happened.
    "peak_left": "The left peak is empty: +{points}!",
    "peak_centre": "The centre peak is empty: +{points}!",
    "peak_right": "The right peak is empty: +{points}!",
    "new_game": "New game {code}.",
    "help_on": "Error help is on.",
    "help_off": "Error help is off.",
    # How it ended.
    "won": "You have won with {score} points in {moves} moves!",
    "no_more_moves": "No more moves. Undo, or begin a new game.",
    # What the solver says.
    "hint_remove_won": "Remove the {card}: a win with {score} points is possible.",
    "hint_draw_won": "Draw: a win with {score} points is possible.",
    "hint_remove_lost": "Remove the {card}: it is lost, {score} points are the most.",
    "hint_draw_lost": "Draw: it is lost, {score} points are the most.",
    "no_hint": "The game is over: there is no move to hint at.",
    "winnable": "It can be won, with up to {score} points.",
    "not_winnable": "It cannot be won from here; {score} points are the most.",
    "optimum_won": "The best of this deal: a win with {score} points in {moves} moves.",
    "optimum_lost": "This deal cannot be won; {score} points are the most.",
    # Names of things.
    "score": "score",
    "moves": "moves",
    "stock": "stock",
    "waste": "waste",
    "code": "code",
    "rules": "rules",
    "easy": "easy",
    "classic": "classic",
    "easy_rules": "easy: king and ace are neighbours",
    "classic_rules": "classic: king and ace are not neighbours",
    "yours": "yours",
    "best": "best",
    "value": "value",
    # What can be done: buttons and keys.
    "draw": "draw",
    "undo": "undo",
    "new": "new game",
    "again": "same deal again",
    "hint": "hint",
    "ask_winnable": "still winnable?",
    "ask_optimum": "best possible",
    "compare": "best line",
    "enter_code": "enter a code",
    "error_help": "error help",
    "highlight": "show playable cards",
    "quit": "quit",
    "cancel": "cancel",
    # What only the window says.
    "won_short": "You won!",
    "blocked_short": "No more moves",
    "deal": "deal",
    "empty_code": "code, or empty for a random deal",
    "see_board": "see the board",
    "line_title": "{whose}: {score} points, {moves} moves",
    "line_legend": "Grey cards were drawn, a golden edge empties a peak.",
    "copied": "The code {code} is on the clipboard.",
    "play": "play",
    "pause": "pause",
    "step": "step",
    "slower": "slower",
    "faster": "faster",
    "next_deal": "next deal",
    "shown_agent": "values: the agent’s",
    "shown_solver": "values: the solver’s",
    "shown_none": "values: none",
    "agent_removes": "{name} removes the {card}.",
    "agent_draws": "{name} draws.",
    "agent_won": "{name} has won with {score} points.",
    "agent_blocked": "{name} is stuck at {score} points.",
    # In the terminal.
    "keys_card": "card",
    "keys_new": "new",
    "keys_arrows": "arrows enter",
    "keys_space": "space",
    "keys_draw": "d space",
    "choose_card": "choose and play a card",
    "play_column": "play the card with this number",
    "did_remove": "{card} removed: {points}",
    "did_draw": "{card} drawn: {points}",
    "undone": "Undone.",
    "ask_values": "worth of every action",
    "values_solver": "Best score possible after:",
    "values_agent": "The agent’s values:",
    "all_keys": "all keys",
    "how": "Empty the peaks: remove free cards one rank above or below the waste card, or draw. Suits do not matter; a card "
    "is free when nothing lies on it. Each move costs a point, an empty peak brings 100.",
    "any_key": "any key: back",
    "scroll": "up down: scroll; any other key: back",
    "new_menu": "New game: n as before, e easy, c classic, a this deal again, t type a code; any other key: go on",
    "type_code": "Code: {code}_   (enter: deal it, escape: back)",
    "compare_later": "The best line is shown when the game is over.",
    "quit_question": "Quit this game? y: yes, any other key: no",
    "too_small": "The terminal is too small: it must be {columns} columns by {lines} lines. q: quit",
    "unknown_key": "“{key}” does nothing; ? shows the keys.",
    "goodbye": "{code}   score {score}   moves {moves}",
    # Watching an agent.
    "watching": "{agent} plays",
    "paused": "paused",
    "back": "a move back",
    "faster_slower": "faster, slower",
    "speed": "moves a second: {speed}",
    "values_next": "values: agent, solver, none",
    "won_watched": "Won with {score} points in {moves} moves.",
    "blocked_watched": "No more moves: lost with {score} points.",
    "no_agent_values": "This agent has no values of its own; here are the solver’s.",
}

CATALAN = {
    "wrong_rank": "Només hi va una carta d’un punt més o d’un punt menys.",
    "card_blocked": "Carta bloquejada: encara en té d’altres a sobre.",
    "card_removed": "Aquesta carta ja no hi és.",
    "stock_empty": "No queden cartes per robar.",
    "nothing_to_undo": "No hi ha res per desfer.",
    "won_for_good": "La partida és guanyada: ja no es toca.",
    "bad_code": "«{code}» no és cap codi; un codi és com ara TP1-E-AAAAAAB.",
    "peak_left": "Pic esquerre buit: +{points}!",
    "peak_centre": "Pic central buit: +{points}!",
    "peak_right": "Pic dret buit: +{points}!",
    "new_game": "Partida nova {code}.",
    "help_on": "Ara s’expliquen els errors.",
    "help_off": "Ja no s’expliquen els errors.",
    "won": "Has guanyat amb {score} punts i {moves} moviments!",
    "no_more_moves": "No queda cap jugada. Desfés o comença una altra partida.",
    "hint_remove_won": "Retira {card}: encara pots guanyar amb {score} punts.",
    "hint_draw_won": "Roba: encara pots guanyar amb {score} punts.",
    "hint_remove_lost": "Retira {card}: està perduda, com a molt {score} punts.",
    "hint_draw_lost": "Roba: està perduda, com a molt {score} punts.",
    "no_hint": "La partida s’ha acabat: no hi ha res a aconsellar.",
    "winnable": "Es pot guanyar, amb {score} punts com a molt.",
    "not_winnable": "Des d’aquí no es pot guanyar; com a molt, {score} punts.",
    "optimum_won": "El millor d’aquest repartiment: guanyar amb {score} punts en {moves} moviments.",
    "optimum_lost": "Aquest repartiment no es pot guanyar; com a molt, {score} punts.",
    "score": "punts",
    "moves": "moviments",
    "stock": "pila",
    "waste": "descart",
    "code": "codi",
    "rules": "regles",
    "easy": "fàcil",
    "classic": "clàssic",
    "easy_rules": "fàcil: rei i as són veïns",
    "classic_rules": "clàssic: rei i as no són veïns",
    "yours": "la teva",
    "best": "la millor",
    "value": "valor",
    "draw": "robar",
    "undo": "desfer",
    "new": "partida nova",
    "again": "repetir",
    "hint": "pista",
    "ask_winnable": "es pot guanyar?",
    "ask_optimum": "el màxim",
    "compare": "línia millor",
    "enter_code": "posar un codi",
    "error_help": "explicar errors",
    "highlight": "mostrar les jugables",
    "quit": "sortir",
    "cancel": "cancel·lar",
    "won_short": "Has guanyat!",
    "blocked_short": "Cap més jugada",
    "deal": "repartir",
    "empty_code": "un codi, o res per repartir a l’atzar",
    "see_board": "mirar la taula",
    "line_title": "{whose}: {score} punts, {moves} moviments",
    "line_legend": "Gris: carta robada. Vora daurada: pic buidat.",
    "copied": "El codi {code} és al porta-retalls.",
    "play": "continuar",
    "pause": "pausa",
    "step": "un pas",
    "slower": "més lent",
    "faster": "més ràpid",
    "next_deal": "repartiment següent",
    "shown_agent": "valors: de l’agent",
    "shown_solver": "valors: exactes",
    "shown_none": "valors: cap",
    "agent_removes": "{name} retira {card}.",
    "agent_draws": "{name} roba.",
    "agent_won": "{name} ha guanyat amb {score} punts.",
    "agent_blocked": "{name} s’ha encallat amb {score} punts.",
    "keys_card": "carta",
    "keys_new": "nova",
    "keys_arrows": "fletxes retorn",
    "keys_space": "espai",
    "keys_draw": "d espai",
    "choose_card": "triar i jugar una carta",
    "play_column": "jugar la carta amb aquest número",
    "did_remove": "{card} retirada: {points}",
    "did_draw": "{card} robada: {points}",
    "undone": "Desfet.",
    "ask_values": "valor de cada jugada",
    "values_solver": "Punts possibles després de:",
    "values_agent": "Els valors de l’agent:",
    "all_keys": "tecles",
    "how": "Buida els pics: retira cartes lliures d’un punt més o menys que la del descart, o roba. El pal tant li fa; una "
    "carta és lliure quan no en té cap a sobre. Cada jugada costa un punt, un pic buit en dona 100.",
    "any_key": "qualsevol tecla: tornar",
    "scroll": "amunt avall: moure; altres: tornar",
    "new_menu": "Partida nova: n com ara, e fàcil, c clàssic, a repetir, t escriure un codi; una altra tecla: seguir",
    "type_code": "Codi: {code}_   (retorn: repartir, esc: tornar)",
    "compare_later": "La línia millor es mostra quan s’acaba la partida.",
    "quit_question": "Deixes aquesta partida? s: sí, una altra tecla: no",
    "too_small": "El terminal és massa petit: calen {columns} columnes i {lines} línies. q: sortir",
    "unknown_key": "«{key}» no fa res; amb ? surten les tecles.",
    "goodbye": "{code}   punts {score}   moviments {moves}",
    "watching": "juga {agent}",
    "paused": "en pausa",
    "back": "una jugada enrere",
    "faster_slower": "més de pressa, més a poc a poc",
    "speed": "jugades per segon: {speed}",
    "values_next": "valors: agent, càlcul, cap",
    "won_watched": "Guanyada amb {score} punts i {moves} moviments.",
    "blocked_watched": "No queda cap jugada: perduda amb {score} punts.",
    "no_agent_values": "Aquest agent no té valors propis; aquests són els calculats.",
}

TEXTS: Mapping[str, Mapping[str, str]] = {"en": ENGLISH, "ca": CATALAN}
"""The texts by language and key; parameters are in braces."""


def text(key: str, language: str, /, **parameters: object) -> str:
    """Return a text in a language, with its parameters filled in.

    >>> text("optimum_lost", "en", score=657)
    'This deal cannot be won; 657 points are the most.'
    """
    return TEXTS[language][key].format_map(parameters)


def language(wanted: str | None = None, environment: Mapping[str, str] = os.environ) -> str:
    """Return the language to use: the one that is wanted, or that of the locale, or English.

    Args:
        wanted: a key of :data:`TEXTS`.
        environment: where ``LC_ALL``, ``LC_MESSAGES`` and ``LANG`` are looked up, the first that is set counts.

    Raises:
        ValueError: there are no texts in the language that is wanted.

    >>> language(environment={"LANG": "ca_ES.UTF-8"})
    'ca'
    """
    if wanted is not None:
        if wanted not in TEXTS:
            raise ValueError(f"language is {wanted!r}; it must be one of {', '.join(TEXTS)}")
        return wanted
    locale = next(filter(None, map(environment.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), "")
    found = re.split("[-_.@]", locale)[0].lower()
    return found if found in TEXTS else "en"
