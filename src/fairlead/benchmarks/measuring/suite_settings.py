"""What was asked of all benchmarks together."""

from dataclasses import dataclass
from typing import Any

from fairlead.benchmarks.measuring.pairs import HostPair
from fairlead.benchmarks.measuring.repeat import Until


@dataclass(frozen=True)
class SuiteSettings:
    """What was asked of all benchmarks together.

    Attributes:
        budget_s: for all of it.
        between: two hosts for what is measured between two; none: the first two compute hosts.
        pairs: numbers of rank pairs, of TCP streams and of queue pairs.
    """

    budget_s: float = 300.0
    between: tuple[HostPair, ...] = ()
    pairs: tuple[int, ...] = (1, 4)
    mpirun: str | None = None
    seed: int = 1

    def mpi(self, seconds: float) -> dict[str, Any]:
        """Settings that all MPI programs have which are repeated until so many seconds are over."""
        return {**self.repeated(seconds), "mpirun": self.mpirun}

    def repeated(self, seconds: float) -> dict[str, Any]:
        """Settings that all have which are repeated until so many seconds are over."""
        return {"until": Until(budget_s=seconds), "seed": self.seed}
