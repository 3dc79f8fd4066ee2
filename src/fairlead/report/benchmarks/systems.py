"""Systems of a report: the newest run of each benchmark on each cluster of one or more results directories."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fairlead.errors import StoreError
from fairlead.measure.benchmarks import records
from fairlead.measure.benchmarks.imported import is_whole
from fairlead.store import Run, Store


@dataclass(frozen=True)
class System:
    """What was measured of one cluster.

    Attributes:
        name: unique in the report; the cluster's, with the directory where that alone would not tell them apart.
        runs: the newest run by benchmark that has samples.
    """

    name: str
    directory: Path
    cluster: str
    runs: dict[str, Run]


def find(directories: Sequence[Path], numbers: Sequence[int] = ()) -> list[System]:
    """All systems, in the order of the directories and of their first runs.

    Args:
        numbers: only these runs (of a single directory).

    Raises:
        StoreError: a directory has no results, or no benchmarks.
    """
    found: list[tuple[Path, str, dict[str, Run]]] = []
    for directory in directories:
        with Store.read(directory) as store:
            taken = [store.run(number) for number in numbers] if numbers else records.runs(store)
            for run in taken:
                if run.kind != records.KIND:
                    raise StoreError(f"{directory}: run {run.id} is a {run.kind}, no benchmark")
            with_samples = [run for run in taken if is_whole(run) and store.has_series(run.id)]
        if not with_samples:
            raise StoreError(
                f"{directory}: there are no benchmarks", hint="`fairlead measure CLUSTER mpi-latency` makes one"
            )
        for cluster in dict.fromkeys(str(run.labels["cluster"]) for run in with_samples):
            of_it = {str(run.labels["benchmark"]): run for run in with_samples if run.labels["cluster"] == cluster}
            found.append((directory, cluster, of_it))
    clusters = [cluster for _, cluster, _ in found]
    return [
        System(
            cluster if clusters.count(cluster) == 1 else f"{cluster} ({directory})",
            directory,
            cluster,
            runs,
        )
        for directory, cluster, runs in found
    ]
