"""Which plane carries what a run reroutes, where that is left to fairlead."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from fairlead.agents.agent_thread import AgentThread
from fairlead.agents.events import EventThread
from fairlead.agents.group import LEASE_S, AgentGroup, JobOptions
from fairlead.cluster.description import Cluster
from fairlead.manage.components import ROUTE
from fairlead.manage.management import Management
from fairlead.protocol.answers import Ready

AUTO = "auto"
RELAY = "relay"
FEWEST = 3
"""Hosts that a reroute over another one takes: its two ends and the relay."""
ENDS = 2
"""Hosts that a reroute by another equal-cost path takes."""
CARRIED = (
    "It carries messages between ranks; collective calls, MPI-IO and one-sided communication stay on the direct path"
)
"""What agents carry, told before the program starts (docs/explanation/relay-plane.md)."""
NO_RELAY = "no other host can relay traffic"


def choose_plane(wanted: str, cluster: Cluster, management: Management, unseen: str | None = None) -> Management:
    """The management with its plane: the one that is wanted; for ``auto`` the best that hosts and program allow.

    That is route if every host can, else relay if agents can carry the program's messages, else route among the hosts
    that can, else nothing. A remark says which, why, and what would make it better. Where only other equal-cost paths
    could be taken, it is route or nothing: agents do not carry messages by these.

    Args:
        unseen: why agents could not carry the program's messages, in words; None: they could.

    Raises:
        AgentError, HostError: agents could not be started to find out.
    """
    if wanted == RELAY and management.reroutes:
        found = on_plane(management, RELAY)
        remark = f"plane: relay, by the agents. {CARRIED}"
        if not (found.components.detours or found.manual):
            remark = (
                f"plane: relay, so congestion is only reported: {NO_RELAY}, and only the route plane can take other "
                "equal-cost paths"
            )
        return replace(found, remarks=[*found.remarks, remark])
    if wanted != AUTO or not management.reroutes:
        return replace(management, plane=ROUTE if wanted == AUTO else wanted)
    return decide(cluster, management, _ready(cluster, management), unseen)


def on_plane(management: Management, plane: str) -> Management:
    """The management with this plane; without detours of its own where the plane has none to offer."""
    detours = management.components.detours and (plane == ROUTE or management.relays)
    return replace(management, plane=plane, components=replace(management.components, detours=detours))


def choose_at_start(wanted: str, cluster: Cluster, management: Management, unseen: str | None = None) -> Management:
    """As `choose_plane`, but decided by the first answers of the run's own agents: they are started once where it is
    route, on most clusters (`supervise` raises `OtherPlaneError` where it is not)."""
    if wanted != AUTO or not management.reroutes:
        return choose_plane(wanted, cluster, management)
    return replace(management, plane=ROUTE, decide=lambda ready: decide(cluster, management, ready, unseen))


def decide(cluster: Cluster, management: Management, ready: Sequence[Ready | None], unseen: str | None) -> Management:
    """`choose_plane` by the agents' first answers, in the order of the cluster's managed hosts; what did not start
    counts nothing."""
    said = {host.name: each for host, each in zip(cluster.managed_hosts(), ready, strict=True) if each is not None}
    names = list(said)
    unable = [(name, each.plane_reason) for name, each in said.items() if each.plane != ROUTE]
    if not unable:
        return _with(
            management, f"plane: route, by kernel routes (the guardian has its privilege on all {len(names)} hosts)"
        )
    first, reason = unable[0]
    cannot = f"the guardian cannot set routes on {len(unable)} of {len(names)} hosts ({first}: {reason})"
    privilege = f"`fairlead doctor {cluster.source}` shows how to give the guardian its privilege"
    why_not = _not_by_agents(management, unseen)
    if why_not is None:
        remark = (
            f"plane: relay, by the agents, because {cannot}. {CARRIED}. Even without reroutes it costs "
            "programs about 1 % of their time, more where processors limit them; --no-detours avoids that. "
            f"The route plane costs less: {privilege}"
        )
        return on_plane(_with(management, remark), RELAY)
    fewest = ENDS if management.ways else FEWEST
    if len(names) - len(unable) >= fewest or management.manual:  # which hosts cannot is said once the agents are there
        return _with(management, f"plane: route on hosts where the guardian has its privilege, because {why_not}")
    remark = f"plane: none, so congestion is only reported: {cannot}, and {why_not}. To change that: {privilege}"
    return replace(_with(management, remark), components=replace(management.components, detours=False))


def _not_by_agents(management: Management, unseen: str | None) -> str | None:
    """Why agents should not carry what is rerouted, in words; None where they may. ``unseen``: see `choose_plane`."""
    if unseen is not None:
        return f"agents cannot carry the program's messages: {unseen}"
    if management.by_way:
        return "agents cannot lead a pair by an equal-cost path"
    return None if management.relays or management.manual else NO_RELAY


def _with(management: Management, remark: str) -> Management:
    return replace(management, plane=ROUTE, remarks=[*management.remarks, remark])


def _ready(cluster: Cluster, management: Management) -> list[Ready | None]:
    """First answers of agents that are started with their guardians for a moment; None: one did not start."""
    options = JobOptions(guardian=management.binaries.guardian, lease_s=LEASE_S, revived=True)
    make_group = partial(AgentGroup.of_cluster, cluster, management.binaries.agent, options)
    with EventThread(lambda host, event: None) as told, AgentThread(make_group, told) as agents:
        return list(agents.group.ready)
