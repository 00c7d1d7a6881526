"""Names of keys in a window."""

import pygame

KEY_NAMES = {
    pygame.K_LEFT: "left",
    pygame.K_RIGHT: "right",
    pygame.K_UP: "up",
    pygame.K_DOWN: "down",
    pygame.K_RETURN: "enter",
    pygame.K_KP_ENTER: "enter",
    pygame.K_BACKSPACE: "backspace",
    pygame.K_KP_PLUS: "+",
    pygame.K_KP_MINUS: "-",
}


def key_name(key: int) -> str:
    """Return the name of a key of pygame, as :mod:`tripeaks_env.play.keys` names them; empty if it has none."""
    return KEY_NAMES.get(key) or (chr(key) if ord(" ") <= key <= ord("~") else "")
