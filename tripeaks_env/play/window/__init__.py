"""Play and watch in a window, with the mouse. It needs the extra ``render``."""
