"""Under which conditions a system was measured: facts, library, clock, and where ranks might run."""

from typing import Any

from fairlead.benchmarks.measuring.records import is_native, is_read
from fairlead.benchmarks.page.system import System
from fairlead.benchmarks.page.systems import variant
from fairlead.display import words
from fairlead.store import Run, Store


def of(system: System) -> dict[str, Any]:
    """Names and values, nested: facts of the newest run, and what each run says of itself."""
    newest = max(system.runs.values(), key=lambda run: run.id)
    with Store.read(system.directory) as store:
        own = {
            name if run is system.runs[name] else f"{name}, {variant(run)}": _of_run(store, run)
            for name in sorted(system.runs)
            for run in system.variants(name)
        }
    return {**own, **newest.facts}


def _of_run(store: Store, run: Run) -> dict[str, Any]:
    found: dict[str, Any] = {"run": f"{run.id}, {words.moment(run.started_s)}, {run.status}"}
    if run.seed is not None:
        found["seed"] = run.seed
    if run.error:
        found["error"] = run.error
    if between := (run.plan or {}).get("between"):
        found["between"] = ", ".join(f"{first} and {second}" for first, second in between)
    if is_read(run):
        found["read_from"] = ", ".join(run.plan["files"])
        found |= {"version": run.plan["version"]} if "version" in run.plan else {}
    for event in store.events(run.id, "library"):
        found["library"] = event.data["library"]
        found["clock_step"] = f"{event.data['clock_step_s'] * 1e9:.3g}{words.NBSP}ns"
    for event in store.events(run.id, "perftest"):
        found["perftest"] = ", ".join(f"{version} on {host}" for host, version in event.data.items())
    if "transport" in (run.plan or {}):
        found["messages"] = "as the MPI library chose" if is_native(run) else "over TCP"
    ranks = [event.data for event in store.events(run.id, "rank")]
    if ranks:
        found["affinity"] = "; ".join(
            f"rank {rank['rank']} on {rank['host']}: {_cpus(rank['allowed_cpus'])}, began on {rank['cpu']}"
            for rank in ranks
        )
    return found


def _cpus(allowed: list[int]) -> str:
    """For example "CPU 3", "CPUs 0-7", "CPUs 0-3,8"."""
    spans: list[list[int]] = []
    for cpu in allowed:
        if spans and cpu == spans[-1][1] + 1:
            spans[-1][1] = cpu
        else:
            spans.append([cpu, cpu])
    text = ",".join(str(first) if first == last else f"{first}-{last}" for first, last in spans)
    return f"CPU{'s' if len(allowed) > 1 else ''} {text}"
