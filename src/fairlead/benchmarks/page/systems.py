"""Systems of a report: which runs of each benchmark stand for a cluster of one or more results directories."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from fairlead.benchmarks.measuring import records
from fairlead.benchmarks.measuring.records import is_whole
from fairlead.benchmarks.page.system import System
from fairlead.benchmarks.registration import of_run
from fairlead.display import words
from fairlead.errors import NoSuchResultsError
from fairlead.store import Run, Store


def variant(run: Run) -> str:
    """In which of several ways a run measured; empty where its benchmark has but one."""
    benchmark = of_run(str(run.labels["benchmark"]))
    return benchmark.variant(run.plan or {}) if benchmark and benchmark.variant else ""


def notes(system: System) -> Iterator[str]:
    """What is not shown, and how to see it."""
    for newer, shown in system.passed_over:
        yield (
            f"{newer.labels['benchmark']}: run {newer.id} of {words.moment(newer.started_s)} is incomplete "
            f"({newer.status}); shown is run {shown.id}, the newest one that is (--run {newer.id} shows the other)"
        )
    for run in system.others:
        name = str(run.labels["benchmark"])
        benchmark = of_run(name)
        if benchmark is None or not benchmark.all_variants:
            shown = system.runs[name]
            yield (
                f"{name}: shown is run {shown.id}, {variant(shown)}; run {run.id} measured {variant(run)} "
                f"(--run {run.id} shows it)"
            )


def find(directories: Sequence[Path], numbers: Sequence[int] = ()) -> list[System]:
    """All systems, in the order of the directories and of their first runs.

    Args:
        numbers: only these runs (of a single directory).

    Raises:
        NoSuchResultsError: a directory has no results, or no benchmarks.
    """
    found: list[System] = []
    for directory in directories:
        with Store.read(directory) as store:
            taken = [store.run(number) for number in numbers] if numbers else records.runs(store)
            for run in taken:
                if run.kind != records.KIND:
                    raise NoSuchResultsError(f"{directory}: run {run.id} is a {run.kind}, no benchmark")
            with_samples = [run for run in taken if is_whole(run) and store.has_series(run.id)]
        if not with_samples:
            raise NoSuchResultsError(
                f"{directory}: there are no benchmarks", hint="`fairlead measure CLUSTER mpi-latency` makes one"
            )
        for cluster in dict.fromkeys(str(run.labels["cluster"]) for run in with_samples):
            found.append(_chosen(directory, cluster, [run for run in with_samples if run.labels["cluster"] == cluster]))
    clusters = [system.cluster for system in found]
    return [
        system
        if clusters.count(system.cluster) == 1
        else replace(system, name=f"{system.cluster} ({system.directory})")
        for system in found
    ]


def _chosen(directory: Path, cluster: str, runs: Sequence[Run]) -> System:
    """The runs that stand for a cluster, of all of its runs, oldest first."""
    kinds: dict[tuple[str, str], list[Run]] = {}
    for run in runs:
        kinds.setdefault((str(run.labels["benchmark"]), variant(run)), []).append(run)
    chosen, passed_over = list[Run](), list[tuple[Run, Run]]()
    for of_it in kinds.values():
        complete = [run for run in of_it if run.status == "ok"]
        chosen.append((complete or of_it)[-1])
        if chosen[-1] is not of_it[-1]:
            passed_over.append((of_it[-1], chosen[-1]))
    newest = {str(run.labels["benchmark"]): run for run in sorted(chosen, key=lambda run: run.id)}
    by_benchmark = {str(run.labels["benchmark"]): newest[str(run.labels["benchmark"])] for run in runs}
    others = tuple(run for run in reversed(chosen) if run is not newest[str(run.labels["benchmark"])])
    return System(cluster, directory, cluster, by_benchmark, others, tuple(passed_over))
