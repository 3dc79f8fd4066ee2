"""Checks of fairlead's own parts: agents, the route plane's privileges, other jobs."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fairlead import __version__
from fairlead.cluster.description import Cluster
from fairlead.cluster.doctor.facts import AUTO, RELAY, ClusterFacts, HostFacts
from fairlead.cluster.doctor.findings import Finding, check, error, note, ok, warning
from fairlead.cluster.executors import executor_of

RELAY_INSTEAD = "Runs use the relay plane instead, which recovers less, if their program can be preloaded"
TOLD_BY_OTHERS = ("input_policy", "forward_policy")  # hints of the guardian's that `firewall` has the command for


@check
def agent(facts: ClusterFacts) -> Iterable[Finding]:
    """The agent can be brought there, runs, and is of our version."""
    good = []
    for host in facts.hosts:
        if host.deploy_error and host.reached:
            text, _, hint = host.deploy_error.partition("\n")
            yield error([host.name], text, hint.strip() or "make setup")
        elif host.reached:
            found = host.facts["agent"] or {"error": "fairlead-agent was not copied there"}
            if "error" in found:
                yield error([host.name], found["error"], _way_out(found["error"], facts.cluster, ""))
            elif __version__ not in found["version"].split():
                yield error(
                    [host.name],
                    f"the agent there calls itself {found['version']!r}; here it is {__version__}",
                    "install the same version everywhere, or set shared_files = false under "
                    f"[{facts.cluster.executor}]",
                )
            else:
                good.append(host.name)
    if good:
        yield ok(good, f"fairlead-agent {__version__} runs")


@check
def route_plane(facts: ClusterFacts) -> Iterable[Finding]:
    """The guardian has the privilege and the kernel's parts to reroute traffic.

    What is missing is an error only where runs are to use this plane. Those that may choose use the relay plane then.
    """
    good = []
    for host in facts.reached():
        missing = list(_missing(host, facts.cluster))
        if not missing:
            good.append(host.name)
        if facts.plane == RELAY:
            yield from _not_needed(host, missing)
            continue
        for text, fix in missing:
            if facts.plane == AUTO:
                yield warning([host.name], f"{text}. {RELAY_INSTEAD}", fix)
            else:
                yield error([host.name], text, fix)
        yield from _hints(host)
    if good:
        yield ok(good, "traffic can be rerouted by kernel routes")


def _missing(host: HostFacts, cluster: Cluster) -> Iterable[tuple[str, str]]:
    """Why a host cannot reroute traffic by kernel routes, and what to do about it."""
    state = host.facts["guardian"] or {"error": "fairlead-guardian was not copied there"}
    if "error" in state:
        named = "correct `guardian` in the cluster file" if cluster.guardian else ""
        yield state["error"], _way_out(state["error"], cluster, named)
    elif state.get("version") != __version__:
        found = state.get("version", "unknown (older)")
        yield (
            f"the guardian there has version {found}; here it is {__version__}",
            _installing(cluster) or "replace it with this one",
        )
    else:
        for item in state["checks"]:
            if item["ok"] is False:
                yield _cannot(host, item, cluster)


def _not_needed(host: HostFacts, missing: Sequence[tuple[str, str]]) -> Iterable[Finding]:
    """What is missing for the route plane, for runs on the relay plane."""
    if missing:
        reasons = "; ".join(text for text, _ in missing)
        yield note([host.name], f"the relay plane needs none of what the route plane lacks here: {reasons}")


def _hints(host: HostFacts) -> Iterable[Finding]:
    """What the guardian remarks on a host beside what it can and cannot do."""
    state = host.facts["guardian"] or {}
    for item in state.get("checks", ()) if state.get("version") == __version__ else ():
        if item["ok"] is None and item["name"] not in TOLD_BY_OTHERS:
            tell = warning if item["name"] == "low_ports" else note
            yield tell([host.name], item["detail"], item["fix"] or "")


# What the native programs need of a host: Debian's name of the package, and Fedora's.
_PACKAGES = {
    "libsodium": ("libsodium23", "libsodium"),
    "libstdc++": ("libstdc++6", "libstdc++"),
}


def _way_out(said: str, cluster: Cluster, if_not_there: str) -> str:
    """What to do about a program that does not run on a host."""
    if missing := re.search(r"loading shared libraries: (lib[\w+-]+)\.so", said):
        names = _PACKAGES.get(missing.group(1))
        return f"install {names[0]} there ({names[1]} on Fedora and RHEL)" if names else f"install {missing.group(1)}"
    if re.search("No such file|command not found", said):
        if if_not_there:
            return if_not_there
        if executor_of(cluster).shares_files:
            return (
                "make this installation available at the same path there, or set shared_files = false under "
                f"[{cluster.executor}]"
            )
    return "run `make setup`, on a host of the same kind (processor, C library)"


def _cannot(host: HostFacts, item: Mapping[str, Any], cluster: Cluster) -> tuple[str, str]:
    """What one thing says that the guardian cannot do, and what to do about it."""
    text, fix = f"traffic cannot be rerouted: {item['name']}: {item['detail']}", item["fix"] or ""
    if item["name"] == "cap_net_admin" and (command := _installing(cluster)):
        fix = command
        installed = host.facts.get("installed_guardians") or {}
        if refused := [place for place, executable in installed.items() if not executable]:
            text += f"; {refused[0]} is installed, but this user may not execute it"
            fix += "; if you joined its group since you logged in: log in again"
    return text, fix


def _installing(cluster: Cluster) -> str:
    """The command that gives hosts a guardian with its privilege; empty where that is not the way."""
    return "" if cluster.guardian or cluster.executor == "lab" else f"fairlead guardian install {cluster.source}"


@check
def other_jobs(facts: ClusterFacts) -> Iterable[Finding]:
    """No managed job is there already: two share links and cores, and each sees the other as congestion."""
    for host in facts.reached():
        if host.facts["running_jobs"]:
            jobs = ", ".join(host.facts["running_jobs"])
            yield warning(
                [host.name],
                f"managed job {jobs} is running: both will work, but each is cross-traffic for the other",
                "wait for it, or see `fairlead status`",
            )
