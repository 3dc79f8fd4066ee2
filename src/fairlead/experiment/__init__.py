"""Designed experiments, in rooms, of which each imports only those before it.

`factors`, `plans` and their rows in order, `running` of rows, and the two kinds of experiments: `comparisons` and
`evaluations`, which do not know each other.
"""
