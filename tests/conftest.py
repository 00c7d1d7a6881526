"""Settings of Hypothesis: the same examples in every run, and no deadlines, since first calls compile."""

from hypothesis import settings

settings.register_profile("tests", deadline=None, derandomize=True)
settings.load_profile("tests")
