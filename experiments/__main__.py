"""``python -m experiments``."""

if __name__ == "__main__":
    from experiments.command_line import main  # here, as worker processes import this module too

    main()
