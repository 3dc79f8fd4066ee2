"""Checks of hosts by themselves: reachable, unloaded, told apart, clocks."""

from collections.abc import Iterable, Sequence

from fairlead.cluster.cache import local_cache
from fairlead.cluster.doctor.facts import ClusterFacts, HostFacts
from fairlead.cluster.doctor.findings import Finding, check, error, note, ok, warning
from fairlead.cluster.executors import executor_of
from fairlead.protocol.settings import ways_in

GOOD_CLOCK_SOURCES = ("tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page")
BUSY_LOAD_PER_CORE = 1.0
SMALL_SHM_B = 64 << 20
FAR_OFF_S = 2.0  # NFS and make compare times in seconds
MUNGE_LIMIT_S = 300.0  # munge's default time-to-live of a credential (munged(8))


@check
def reachable(facts: ClusterFacts) -> Iterable[Finding]:
    """Every host answers through the executor and can run the probe."""
    for host in facts.hosts:
        if host.unreachable:
            text, _, hint = host.unreachable.removeprefix(f"{host.name}: ").partition("\n")
            yield error([host.name], text, hint.strip() or executor_of(facts.cluster).look(host.name))
    if reached := facts.reached():
        yield ok([host.name for host in reached], f"reached by executor {facts.cluster.executor}")


@check
def python(facts: ClusterFacts) -> Iterable[Finding]:
    """Hosts have the Python that the probe needs. Agents need none."""
    for host in facts.reached():
        if host.without_python:
            yield warning(
                [host.name],
                f"{host.without_python}: paths to and from this host were not tested, and fewer checks ran on "
                "it; agents and MPI do not need Python",
                "apt install python3 (Debian, Ubuntu), dnf install python3.11 (RHEL family)",
            )


@check
def not_looked_at(facts: ClusterFacts) -> Iterable[Finding]:
    """The probe could look at everything; what an odd host does not tell counts as in order."""
    for host in facts.reached():
        for name, why in (host.facts.get("failures") or {}).items():
            yield note([host.name], f"the probe could not determine {name}: {why}")


@check
def shared_files(facts: ClusterFacts) -> Iterable[Finding]:
    """Where hosts are said to share files with this machine, they do."""
    blind = [host.name for host in facts.reached() if host.facts["sees_note"] is False]
    if blind:
        yield error(
            blind,
            f"do not see this machine's files ({local_cache()}): fairlead's programs there will not be found",
            f"set shared_files = false under [{facts.cluster.executor}]: fairlead then copies what it needs",
        )


@check
def enough_hosts(facts: ClusterFacts) -> Iterable[Finding]:
    """There is traffic to manage, and a third host or another equal-cost path to lead it over."""
    if reason := facts.cluster.nothing_to_manage(ways_in(facts.cluster.settings)):
        yield note(
            [],
            reason,
            "add [[hosts]]; a host without ranks (role = relay) is enough as the third, and where switches spread "
            "connections over equal-cost paths, ways.count of [settings] is enough for two",
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
                hosts,
                f"all have the hostname {name!r}: MPI would treat them as one host and try shared memory",
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
                [host.name],
                f"executor local means this machine, but mpirun may try to reach {host.name} by ssh",
                f"call it localhost or {own} in [[hosts]], or use executor ssh",
            )


@check
def busy(facts: ClusterFacts) -> Iterable[Finding]:
    """Nothing else runs there: a process that waits for a core looks like a slow network."""
    if facts.cluster.cores_shared:
        return
    for host in facts.reached():
        if host.facts["load"] > BUSY_LOAD_PER_CORE * host.facts["cores"]:
            yield warning(
                [host.name],
                f"load {host.facts['load']:.1f} on {host.facts['cores']} cores before any rank runs: "
                "measurements would mistake it for a slow network",
                "ps -eo pid,user,pcpu,comm --sort=-pcpu | head shows what runs there: wait until it ends, or stop it",
            )


def _sharing(facts: ClusterFacts) -> list[list[HostFacts]]:
    """Hosts that share processors; all of them, where it is not known which do."""
    executor = executor_of(facts.cluster)
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
                [host.name for host in hosts],
                f"{ranks} slots share {cores} cores: ranks are not bound and yield when idle",
                "compare run times only with each other",
            )
        return
    for host in facts.reached():
        if host.host.slots > host.facts["cores"]:
            yield warning(
                [host.name],
                f"{host.host.slots} slots on {host.facts['cores']} cores: ranks will compete for cores",
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
                [host.name],
                "the clock is not synchronized: agents estimate the offset, but time stamps in logs will differ",
                "timedatectl set-ntp true, or: apt install chrony",
            )
        if state["source"] and state["source"] not in GOOD_CLOCK_SOURCES:
            yield warning(
                [host.name],
                f"clock source {state['source']} is slow to read, which makes every time stamp more expensive",
                _clock_source_fix(state.get("sources") or ()),
            )


def _clock_source_fix(sources: Sequence[str]) -> str:
    better = next((name for name in GOOD_CLOCK_SOURCES if name in sources), None)
    if better is None:
        return "boot with the kernel option clocksource=tsc, if the processor's counter is stable (dmesg | grep -i tsc)"
    return f"echo {better} > /sys/devices/system/clocksource/clocksource0/current_clocksource"


@check
def clock_offset(facts: ClusterFacts) -> Iterable[Finding]:
    """No clock is far off. Agents measure offsets themselves; what compares file times or dates does not."""
    for host in facts.reached():
        found = host.clock
        if found is None or abs(found.offset_s) - found.error_s < FAR_OFF_S:
            continue
        way = "ahead of" if found.offset_s > 0 else "behind"
        tell = error if abs(found.offset_s) > MUNGE_LIMIT_S else warning
        also = "; Slurm (munge) refuses its credentials" if tell is error else ""
        yield tell(
            [host.name],
            f"the clock is {_duration(abs(found.offset_s))} {way} this machine's: on shared file systems make "
            f"rebuilds too much or too little, and logs of different hosts do not match{also}",
            "chronyc makestep (with chrony), or: timedatectl set-ntp true && systemctl restart systemd-timesyncd",
        )


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.0f} h"


@check
def scratch_space(facts: ClusterFacts) -> Iterable[Finding]:
    """There is room for shared memory segments: MPI libraries end with a bus error where there is none."""
    for host in facts.reached():
        for path, free_B in (("/dev/shm", host.facts["shm_free_B"]), ("/tmp", host.facts["tmp_free_B"])):
            if free_B is not None and free_B < SMALL_SHM_B:
                yield warning(
                    [host.name],
                    f"{path} has {free_B >> 20} MiB left; MPI keeps shared memory and session files there",
                    f"mount -o remount,size=1G {path} enlarges a tmpfs; else: find {path} -user $USER -mtime +1 "
                    "-delete",
                )
