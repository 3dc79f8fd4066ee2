"""The benchmarks behind `make bench`: one file a group of figures, `bench.run` runs them. See docs/bench.md."""
