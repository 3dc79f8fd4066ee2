"""``fairlead measure CLUSTER timer``: clocks of the hosts."""

from typing import Any

from fairlead.benchmarks.options import hosts_option
from fairlead.benchmarks.registration import LAYERS, Asked, Benchmark, asked, register


@hosts_option
def command(**options: Any) -> Asked:
    """Clocks: their resolution, and the time that a reading takes.

    \b
    Example:
      fairlead measure mesh8.cluster.toml timer
    """
    return asked(__name__, options)


register(Benchmark(name="timer", place=LAYERS + 90, package=__name__, command=command))
