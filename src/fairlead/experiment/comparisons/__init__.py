"""Comparisons (``fairlead compare``): lengths and scales by short trials, then the runs."""
