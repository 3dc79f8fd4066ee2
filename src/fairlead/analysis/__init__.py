"""From the store to figures: what samples of experiments and runs say. No drawing, no processes.

`evaluations` and `comparison` are of experiments, `runs` of single managed runs, `networks` of characterizations.
"""
