"""Profiles of mpiP, read from its files (``fairlead measure import mpip``)."""

from fairlead.benchmarks.registration import LAYERS, Benchmark, register

register(Benchmark(name="mpiP", place=LAYERS + 110, package=__name__))
