"""``python -m tripeaks_env`` is the command ``tripeaks``."""

from tripeaks_env.cli import main

if __name__ == "__main__":
    main()
