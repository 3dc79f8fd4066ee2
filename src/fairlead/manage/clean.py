"""Removes what dead runs left: kernel state and brought files on the cluster's hosts, files that tell of runs.

The living stay.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from fairlead import lab
from fairlead.cluster.cluster_file import load_cluster
from fairlead.cluster.description import Cluster
from fairlead.cluster.executors import executor_of
from fairlead.cluster.guardian.state import CAPABILITY
from fairlead.cluster.host_binaries import bring, guardian_tool
from fairlead.cluster.remote import brought
from fairlead.cluster.remote.execute import attempt, on_all, run_on
from fairlead.errors import FairleadError, HostError, LabError, of_system
from fairlead.manage import live_runs

Found = TypeVar("Found")


@dataclass(frozen=True)
class Removed:
    """One thing that was (or, in a dry run, would be) removed.

    ``what`` is the guardian's own record of it, or the path of a file that ``--bring`` had copied.
    """

    host: str
    what: dict[str, Any]


@dataclass(frozen=True)
class CleanUp:
    """Result of a clean-up.

    Attributes:
        removed: in the order of the hosts.
        unreachable: host -> why it could not be cleaned.
        forgotten: job ids whose files were removed.
    """

    removed: list[Removed]
    unreachable: dict[str, str]
    forgotten: list[str]


def clean(clusters: list[Cluster], *, dry_run: bool = False) -> CleanUp:
    """Clean the hosts of ``clusters``, then forget the dead runs on them, if all hosts could be cleaned.

    Dead runs on other clusters are not forgotten, unless their cluster file is gone: nothing leads to their hosts then.
    Those without guardians left nothing on any host, and are always forgotten. Where there is no dead run with them,
    a guardian that may change nothing need not clean. Brought files stay while a run is alive, or a record that cannot
    be read may be of one.
    """
    registered = live_runs.look()
    runs = registered.runs
    dead = [run for run in runs if not run.alive]
    removed: list[Removed] = []
    unreachable: dict[str, str] = {}
    for cluster in filter(_exists, clusters):
        answers = on_all(cluster.managed_names(), partial(_on, cluster, dry_run))
        failed = {host: answer for host, answer in answers.items() if isinstance(answer, str)}
        bereaved = [run for run in dead if run.guardians and Path(run.cluster_file).resolve() == _file(cluster)]
        if failed and not bereaved:
            powerless = on_all(failed, partial(_powerless, cluster))
            failed = {host: why for host, why in failed.items() if not powerless[host]}
        unreachable |= failed
        for host, answer in answers.items():
            if not isinstance(answer, str):
                removed += [Removed(host, what) for what in answer]
        if len(dead) == len(runs) and not registered.unreadable:
            removed += _without_brought(cluster, unreachable, dry_run)
    files = {_file(cluster) for cluster in clusters}
    forgotten = []
    for run in dead:
        cleaned = Path(run.cluster_file).resolve() in files or not Path(run.cluster_file).is_file()
        if not dry_run and (not run.guardians or (cleaned and not unreachable)):
            live_runs.forget(run.job)
            forgotten.append(run.job)
    return CleanUp(removed, unreachable, forgotten)


def clusters_of_dead_runs() -> tuple[list[Cluster], list[str]]:
    """The clusters that dead runs of this user ran on and whose files are still there; why others cannot be cleaned.

    Only of runs with guardians: others left nothing there.
    """
    registered = live_runs.look()
    clusters, complaints = [], registered.complaints()
    for file in sorted({run.cluster_file for run in registered.runs if run.guardians and not run.alive}):
        try:
            if Path(file).is_file():
                clusters.append(load_cluster(file))
        except FairleadError as error:
            complaints.append(f"{error}\n  or remove the file: fairlead then forgets the dead runs on it")
    return clusters, complaints


def clean_host(
    cluster: Cluster, host: str, guardian: Sequence[str], *, job: str | None = None, dry_run: bool = False
) -> list[dict[str, Any]]:
    """Remove what dead guardians left on one host, of all jobs or of one; the guardian's records of what it removed.

    Raises:
        HostError: not reached, or the guardian could not do it, or its answer is not understood.
    """
    options = ["--clean", *(["--job", job] if job else []), *(["--dry-run"] if dry_run else [])]
    output = run_on(executor_of(cluster), host, guardian_tool(guardian, *options))
    try:
        return [json.loads(line) for line in output.splitlines() if line]
    except ValueError as error:
        raise HostError(f"{host}: cannot read the guardian's report of what it removed: {output.strip()!r}") from error


def _without_brought(cluster: Cluster, unreachable: dict[str, str], dry_run: bool) -> list[Removed]:
    """Remove the brought files that no host uses; none where one does not say: hosts may share the directory.

    Args:
        unreachable: hosts that are not asked; those are added that cannot be cleaned.
    """
    executor = executor_of(cluster)

    def tried(step: Callable[[str], Found], hosts: Iterable[str]) -> dict[str, Found]:
        answers = on_all(hosts, lambda host: _or_reason(partial(step, host)))
        unreachable.update({host: why for host, why in answers.items() if isinstance(why, str)})
        return {host: answer for host, answer in answers.items() if not isinstance(answer, str)}

    hosts = cluster.managed_names()
    kept = tried(partial(brought.kept, executor), [host for host in hosts if host not in unreachable])
    if len(kept) < len(hosts):
        return []
    used = {each.name for copies in kept.values() for each in copies if each.used}
    free = {host: [each for each in copies if each.name not in used] for host, copies in kept.items()}
    free = {host: copies for host, copies in free.items() if copies}
    if not dry_run:
        done = tried(lambda host: brought.remove(executor, host, free[host]), free)
        free = {host: free[host] for host in done}
    return [Removed(host, {"kind": "brought", "path": each.path}) for host, copies in free.items() for each in copies]


def _or_reason(step: Callable[[], Found]) -> Found | str:
    """What a step returns, or why it failed. The system may refuse here: no process may be started any more."""
    try:
        return step()
    except FairleadError as error:
        return str(error)
    except OSError as error:
        return str(of_system(error))


def _on(cluster: Cluster, dry_run: bool, host: str) -> list[dict[str, Any]] | str:
    return _or_reason(lambda: clean_host(cluster, host, bring(cluster, host).guardian, dry_run=dry_run))


def _powerless(cluster: Cluster, host: str) -> bool:
    """Whether the guardian was asked there, and may change nothing: it lacks CAP_NET_ADMIN."""
    try:
        done = attempt(executor_of(cluster), host, guardian_tool(bring(cluster, host).guardian, "--check"))
        checks = json.loads(done.stdout)["checks"]
        return any(check["name"] == CAPABILITY and check["ok"] is False for check in checks)
    except (FairleadError, OSError, ValueError, LookupError, TypeError):  # that it does not clean is told
        return False


def _file(cluster: Cluster) -> Path:
    return Path(cluster.source).resolve()


def _exists(cluster: Cluster) -> bool:
    """Whether the cluster has hosts now: when a lab ends, the kernel removes everything that was in its hosts.

    It has some where that cannot be told: that they are not reached is told of them.
    """
    try:
        return cluster.executor != "lab" or (cluster.lab is not None and lab.is_running(cluster.lab))
    except LabError:
        return True
