"""Settings of Hypothesis: the same examples in every run, no deadlines, since first calls compile. Windows open nowhere."""

import os

from hypothesis import settings

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")

settings.register_profile("tests", deadline=None, derandomize=True)
settings.load_profile("tests")
