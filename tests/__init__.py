"""Tests, one module per module of the package. ``naive.py`` is the independent reference they compare it with."""
