"""A system of a report: the runs that stand for a cluster."""

from dataclasses import dataclass
from pathlib import Path

from fairlead.store import Run


@dataclass(frozen=True)
class System:
    """What was measured of one cluster.

    Attributes:
        name: unique in the report; the cluster's, with the directory where that alone would not tell them apart.
        runs: by benchmark that has samples, the newest run that ended well; where none did, the newest.
        others: the same of other variants of these benchmarks.
        passed_over: newer runs that did not end well, each with the one that stands in its place.
    """

    name: str
    directory: Path
    cluster: str
    runs: dict[str, Run]
    others: tuple[Run, ...] = ()
    passed_over: tuple[tuple[Run, Run], ...] = ()

    def variants(self, benchmark: str) -> list[Run]:
        """The runs of a benchmark, the newest first; none where it was not measured."""
        return [run for run in (*self.runs.values(), *self.others) if run.labels["benchmark"] == benchmark]
