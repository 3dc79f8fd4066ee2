"""Which plane carries what a run moves: the kernel (route), or agents, which ranks hand messages to (relay)."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from fairlead.agents.crew import Crew
from fairlead.agents.group import AgentGroup, JobOptions
from fairlead.cluster import executors, preload
from fairlead.cluster.description import Cluster
from fairlead.cluster.job import Job
from fairlead.manage.supervisor import Management

RELAY_VARIABLE = "FAIRLEAD_RELAY"


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
        unable = [each.get("plane_reason", "") for each in crew.group.ready if each["plane"] != "route"]
        hosts = len(crew.group)
    if not unable:
        return management
    remark = (
        f"{len(unable)} of {hosts} hosts cannot move traffic by the kernel ({unable[0]}): agents carry what is moved"
    )
    return replace(management, plane="relay", remarks=[*management.remarks, remark])


@contextmanager
def relayed(cluster: Cluster, job: Job, management: Management) -> Iterator[tuple[Job, Management]]:
    """The job and its management; under the relay plane, ranks and agents meet in a directory on every host.

    Raises:
        MissingToolError: libfairlead was not built.
        HostError: a host was not reached, or has no place for the directory.
        ConfigError: the hosts do not have libfairlead at the same path.
    """
    if management.plane != "relay":
        yield job, management
        return
    environment = preload.environment(cluster, tuple(host.name for host in cluster.compute_hosts()))
    hosts = tuple(host.name for host in cluster.managed_hosts())  # also those without ranks may relay
    with preload.directory(cluster, hosts, f"fairlead-relay-{job.id}") as path:
        joined = replace(job, env={**job.env, **environment, RELAY_VARIABLE: path})
        yield joined, replace(management, relay=path)
