"""``fairlead characterize`` as functions: agents up, survey, samples stored, and what came of it."""

import asyncio
from collections.abc import Callable

from fairlead.agents.group import AgentGroup
from fairlead.characterize import characterization
from fairlead.characterize.characterization import Characterization
from fairlead.characterize.sample_store import StoreSink
from fairlead.characterize.survey import Survey, SurveySettings
from fairlead.cluster import executors
from fairlead.cluster.description import Cluster, Host
from fairlead.cluster.host_binaries import bring_everywhere
from fairlead.errors import ConfigError
from fairlead.progress import Progress
from fairlead.store import Store
from fairlead.store.ending import ended


def characterize(
    cluster: Cluster,
    store: Store,
    settings: SurveySettings,
    progress: Progress,
    began: Callable[[int], None] | None = None,
) -> Characterization:
    """Measure a cluster's network. The samples are in the store as soon as they are taken.

    Args:
        began: called with the number of the run in the store, before anything is measured.

    Raises:
        ConfigError: the cluster has a single host.
        HostError, AgentError, MeasurementError: see `AgentGroup` and `Survey`; the run is kept, marked failed.
        Interrupted: Ctrl-C; the run is kept, marked aborted.
    """
    hosts = cluster.managed_hosts()
    if len(hosts) < 2:
        raise ConfigError(
            f"{cluster.source}: {cluster.name} has a single host, so there are no paths between hosts to characterize",
            hint="list at least two hosts with role compute or relay",
        )
    progress("reaching the hosts", 0, 1)
    binaries = bring_everywhere(cluster)
    progress("reaching the hosts", 1, 1)
    group = AgentGroup(hosts, _command_line(cluster), program=binaries.agent, ports=cluster.ports)
    run = characterization.begin(store, cluster, settings)
    if began is not None:
        began(run)
    with ended(store, run):
        asyncio.run(_measure(group, Survey(group, settings, StoreSink(store, run), progress), progress))
    progress("computing the matrices", 0, 1)
    found = Characterization.read(store, store.run(run))
    progress("computing the matrices", 1, 1)
    return found


async def _measure(group: AgentGroup, survey: Survey, progress: Progress) -> None:
    progress("starting the agents", 0, 1)
    async with group:
        progress("starting the agents", 1, 1)
        await survey.run()


def _command_line(cluster: Cluster) -> Callable[[Host, list[str]], list[str]]:
    executor = executors.executor_of(cluster)
    return lambda host, argv: executor.lasting(host.name, argv)
