"""Which plane carries what a run moves, where that is left to fairlead."""

from dataclasses import replace

from fairlead.agents.crew import Crew
from fairlead.agents.group import AgentGroup, JobOptions
from fairlead.cluster import executors
from fairlead.cluster.description import Cluster
from fairlead.manage.supervisor import Management


def choose(wanted: str, cluster: Cluster, management: Management) -> Management:
    """The management with its plane: the one that is wanted; for ``auto`` route if every host can, else relay.

    Raises:
        AgentError, HostError: agents could not be started to find out.
    """
    if wanted != "auto" or not management.moves:
        return replace(management, plane="route" if wanted == "auto" else wanted)
    executor = executors.of(cluster)

    def make_group() -> AgentGroup:
        return AgentGroup(
            cluster.managed_hosts(),
            lambda host, argv: executor.command(host.name, argv),
            program=management.parts.agent,
            ports=cluster.ports,
            options=JobOptions(guardian=management.parts.guardian),
        )

    with Crew(make_group, lambda host, event: None) as crew:
        unable = [each.plane_reason for each in crew.group.ready if each.plane != "route"]
        hosts = len(crew.group)
    if not unable:
        return management
    remark = (
        f"{len(unable)} of {hosts} hosts cannot reroute traffic by kernel routes ({unable[0]}): agents relay messages "
        "instead"
    )
    return replace(management, plane="relay", remarks=[*management.remarks, remark])
