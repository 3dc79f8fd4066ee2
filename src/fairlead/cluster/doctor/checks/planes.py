"""Checks of fairlead's own parts: agents, the route plane's privileges, other jobs."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from fairlead import __version__
from fairlead.cluster.description import Cluster
from fairlead.cluster.doctor.facts import ClusterFacts, HostFacts
from fairlead.cluster.doctor.findings import Finding, check, error, note, ok, warning
from fairlead.cluster.executors import executor_of

TOLD_BY_OTHERS = ("input_policy", "forward_policy")  # hints of the guardian's that `firewall` has the command for


@check
def agent(facts: ClusterFacts) -> Iterable[Finding]:
    """The agent can be brought there, runs, and is of our version."""
    good = []
    for host in facts.hosts:
        if host.deploy_error and host.reached:
            text, _, hint = host.deploy_error.partition("\n")
            yield error("agent", [host.name], text, hint.strip() or "make setup")
        elif host.reached:
            found = host.facts["agent"] or {"error": "fairlead-agent was not copied there"}
            if "error" in found:
                yield error("agent", [host.name], found["error"], _way_out(found["error"], facts.cluster, ""))
            elif __version__ not in found["version"].split():
                yield error(
                    "agent",
                    [host.name],
                    f"the agent there calls itself {found['version']!r}; here it is {__version__}",
                    "install the same version everywhere, or set shared_files = false under "
                    f"[{facts.cluster.executor}]",
                )
            else:
                good.append(host.name)
    if good:
        yield ok("agent", good, f"fairlead-agent {__version__} runs")


@check
def route_plane(facts: ClusterFacts) -> Iterable[Finding]:
    """The guardian has the privilege and the kernel's parts to reroute traffic."""
    good = []
    for host in facts.reached():
        state = host.facts["guardian"] or {"error": "fairlead-guardian was not copied there"}
        if "error" in state:
            named = "correct `guardian` in the cluster file" if facts.cluster.guardian else ""
            yield error("route_plane", [host.name], state["error"], _way_out(state["error"], facts.cluster, named))
            continue
        if state.get("version") != __version__:
            yield error(
                "route_plane",
                [host.name],
                f"the guardian there has version {state.get('version', 'unknown (older)')}; here it is {__version__}",
                _installing(facts.cluster) or "replace it with this one",
            )
            continue
        for item in state["checks"]:
            if item["ok"] is False:
                yield _cannot(host, item, facts.cluster)
            elif item["ok"] is None and item["name"] not in TOLD_BY_OTHERS:
                tell = warning if item["name"] == "low_ports" else note
                yield tell("route_plane", [host.name], item["detail"], item["fix"] or "")
        if all(item["ok"] is not False for item in state["checks"]):
            good.append(host.name)
    if good:
        yield ok("route_plane", good, "traffic can be rerouted by kernel routes")


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


def _cannot(host: HostFacts, item: Mapping[str, Any], cluster: Cluster) -> Finding:
    """What one thing says that the guardian cannot do."""
    text, fix = f"traffic cannot be rerouted: {item['name']}: {item['detail']}", item["fix"] or ""
    if item["name"] == "cap_net_admin" and (command := _installing(cluster)):
        fix = command
        installed = host.facts.get("installed_guardians") or {}
        if refused := [place for place, executable in installed.items() if not executable]:
            text += f"; {refused[0]} is installed, but this user may not execute it"
            fix += "; if you joined its group since you logged in: log in again"
    return error("route_plane", [host.name], text, fix)


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
                "other_jobs",
                [host.name],
                f"managed job {jobs} is running: both will work, but each is cross-traffic for the other",
                "wait for it, or see `fairlead status`",
            )
