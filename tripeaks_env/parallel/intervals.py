"""95 % intervals of shares and means. They need SciPy, which the extras bring."""

import numpy as np

CONFIDENCE = 0.95


def share_interval(outcomes: np.ndarray) -> tuple[float, float, float]:
    """Return the share of true outcomes and the ends of its Wilson interval; NaN without outcomes."""
    if not len(outcomes):
        return np.nan, np.nan, np.nan
    from scipy import stats  # here, as it takes long to import and may not be installed

    test = stats.binomtest(int(outcomes.sum()), len(outcomes))
    interval = test.proportion_ci(CONFIDENCE, method="wilson")
    return test.statistic, interval.low, interval.high


def mean_interval(values: np.ndarray) -> tuple[float, float, float]:
    """Return the mean of at least two values and the ends of its Student interval."""
    from scipy import stats  # here, as above

    mean, error = float(np.mean(values)), float(stats.sem(values))
    if error == 0:  # all alike; the t distribution has no scale then
        return mean, mean, mean
    low, high = stats.t.interval(CONFIDENCE, len(values) - 1, loc=mean, scale=error)
    return mean, float(low), float(high)
