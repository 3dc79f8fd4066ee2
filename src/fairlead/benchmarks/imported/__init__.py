"""Tables of other programs, read from their files (``fairlead measure import``)."""

from fairlead.benchmarks.registration import LAYERS, Benchmark, register

register(
    Benchmark(
        name="imported",
        package=__name__,
        place=LAYERS + 100,
        compared="every size and configuration that both have",
        interval_over="files",
    )
)
