"""Checks of hosts by themselves: reachable, unloaded, told apart, clocks."""

from collections.abc import Iterable

from fairlead.cluster.cache import local_cache
from fairlead.cluster.doctor.facts import ClusterFacts, HostFacts
from fairlead.cluster.doctor.findings import Finding, check, error, note, ok, warning
from fairlead.cluster.executors import of

GOOD_CLOCK_SOURCES = ("tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page")
BUSY_LOAD_PER_CORE = 1.0
SMALL_SHM_B = 64 << 20


@check
def reachable(facts: ClusterFacts) -> Iterable[Finding]:
    """Every host answers through the executor and can run the probe."""
    for host in facts.hosts:
        if host.unreachable:
            text, _, hint = host.unreachable.partition("\n")
            yield error("reachable", [host.name], text, hint.strip() or of(facts.cluster).look)
    if reached := facts.reached():
        yield ok("reachable", [host.name for host in reached], f"reached by executor {facts.cluster.executor}")


@check
def shared_files(facts: ClusterFacts) -> Iterable[Finding]:
    """Where hosts are said to share files with this machine, they do."""
    blind = [host.name for host in facts.reached() if host.facts["sees_note"] is False]
    if blind:
        yield error(
            "shared_files",
            blind,
            f"do not see this machine's files ({local_cache()}): programs that fairlead keeps there will not be found",
            f"set shared_files = false under [{facts.cluster.executor}]: what is needed is then brought there",
        )


@check
def enough_hosts(facts: ClusterFacts) -> Iterable[Finding]:
    """There is traffic to manage, and a third host to lead it over."""
    if reason := facts.cluster.nothing_to_manage():
        yield note(
            "enough_hosts", [], reason, "add [[hosts]]; a host without ranks (role = relay) counts as a third one"
        )


@check
def host_names(facts: ClusterFacts) -> Iterable[Finding]:
    """Hosts have different names of their own: MPI libraries take equal ones for one host."""
    by_name: dict[str, list[str]] = {}
    for host in facts.reached():
        by_name.setdefault(host.facts["hostname"], []).append(host.name)
    for name, hosts in by_name.items():
        if len(hosts) > 1:
            yield error(
                "host_names",
                hosts,
                f"call themselves {name!r} all of them: MPI would take them for one host and try shared memory",
                "give each its own name (hostnamectl set-hostname)",
            )


@check
def own_name(facts: ClusterFacts) -> Iterable[Finding]:
    """What runs on this machine alone has a name by which MPI's launchers know this machine."""
    if facts.cluster.executor != "local":
        return
    for host in facts.reached():
        own = host.facts["hostname"]
        if host.name not in ("localhost", "127.0.0.1", own, own.partition(".")[0]):
            yield warning(
                "own_name",
                [host.name],
                f"executor local means this machine, but mpirun may look for {host.name} elsewhere, by ssh",
                f"call it localhost or {own} in [[hosts]], or take executor ssh",
            )


@check
def busy(facts: ClusterFacts) -> Iterable[Finding]:
    """Nothing else runs there: a process that waits for a core looks like a slow network."""
    if facts.cluster.cores_shared:
        return
    for host in facts.reached():
        if host.facts["load"] > BUSY_LOAD_PER_CORE * host.facts["cores"]:
            yield warning(
                "busy",
                [host.name],
                f"load {host.facts['load']:.1f} on {host.facts['cores']} cores before any rank runs",
                "see what runs there (top); measurements taken now show this load, not the network",
            )


def _sharing(facts: ClusterFacts) -> list[list[HostFacts]]:
    """Hosts that share processors; all of them, where it is not known which do."""
    executor = of(facts.cluster)
    groups: dict[str, list[HostFacts]] = {}
    for host in facts.reached():
        groups.setdefault(executor.machine(host.name), []).append(host)
    if all(len(hosts) == 1 for hosts in groups.values()):
        return [list(facts.reached())] if groups else []
    return list(groups.values())


@check
def oversubscribed(facts: ClusterFacts) -> Iterable[Finding]:
    """Slots do not exceed cores."""
    if facts.cluster.cores_shared:
        for hosts in _sharing(facts):
            cores = max(host.facts["cores"] for host in hosts)
            ranks = sum(host.host.slots for host in hosts if host.host.role == "compute")
            if ranks <= cores:
                continue
            yield note(
                "oversubscribed",
                [host.name for host in hosts],
                f"{ranks} slots share {cores} cores: ranks are not bound and yield when idle",
                "compare run times only with each other",
            )
        return
    for host in facts.reached():
        if host.host.slots > host.facts["cores"]:
            yield warning(
                "oversubscribed",
                [host.name],
                f"{host.host.slots} slots on {host.facts['cores']} cores: ranks will wait for each other",
                "lower `slots` in the cluster file to the number of cores",
            )


@check
def clock(facts: ClusterFacts) -> Iterable[Finding]:
    """Clocks are disciplined and cheap to read. Agents measure offset and drift themselves."""
    for host in facts.reached():
        state = host.facts["clock"]
        if state is None:
            continue
        if not state["synchronised"]:
            yield note(
                "clock",
                [host.name],
                "the clock is not synchronised: agents estimate the offset, but time stamps of logs will differ",
                "run chrony or systemd-timesyncd",
            )
        if state["source"] and state["source"] not in GOOD_CLOCK_SOURCES:
            yield warning(
                "clock",
                [host.name],
                f"clock source {state['source']} is slow to read and makes every time stamp cost more",
                "boot with clocksource=tsc where the processor's counter is stable",
            )


@check
def scratch_space(facts: ClusterFacts) -> Iterable[Finding]:
    """There is room for shared memory segments: MPI libraries end with a bus error where there is none."""
    for host in facts.reached():
        for path, key in (("/dev/shm", "shm_free_B"), ("/tmp", "tmp_free_B")):
            free_B = host.facts[key]
            if free_B is not None and free_B < SMALL_SHM_B:
                yield warning(
                    "scratch_space",
                    [host.name],
                    f"{path} has {free_B >> 20} MiB left; MPI keeps shared memory and session files there",
                    f"free some, or enlarge it (mount -o remount,size=1G {path})",
                )
