"""The benchmarks behind `make bench`: one file a group of figures, `bench.run` runs them. See docs/bench.md.

`agents`, `gains`, `simulated`, `profiling` and `durations` have the groups, by what they measure; `faults` is the fault
matrix. Beside them is what groups share.
"""
