"""``fairlead characterize`` as functions: agents up, survey, samples stored, and what came of it."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from fairlead import native
from fairlead.cluster import executors
from fairlead.cluster.deploy import deploy
from fairlead.cluster.description import Cluster, Host
from fairlead.errors import ConfigError, FairleadError
from fairlead.manage.agents import AgentGroup
from fairlead.measure import characterization
from fairlead.measure.characterization import Characterization
from fairlead.measure.sample_store import StoreSink
from fairlead.measure.samples import Progress
from fairlead.measure.survey import Settings, Survey
from fairlead.store import Store

AGENT = "fairlead-agent"


class InterruptedSurvey(FairleadError):
    """The user ended the measurement; what was taken is stored."""

    exit_code = 130


def characterize(
    cluster: Cluster, store: Store, settings: Settings, progress: Progress, began: Callable[[int], None] | None = None
) -> Characterization:
    """Measure a cluster's network. The samples are in the store as soon as they are taken.

    Args:
        began: called with the number of the run in the store, before anything is measured.

    Raises:
        ConfigError: the cluster has a single host.
        HostError, AgentError, MeasurementError: see `AgentGroup` and `Survey`; the run is kept, marked failed.
        InterruptedSurvey: Ctrl-C; the run is kept, marked aborted.
    """
    hosts = cluster.managed_hosts()
    if len(hosts) < 2:
        raise ConfigError(
            f"{cluster.source}: {cluster.name} has a single host, so there are no paths between hosts to characterize",
            hint="list at least two hosts with role compute or relay",
        )
    group = AgentGroup(hosts, _command_line(cluster), program=_agent(cluster), ports=cluster.ports)
    run = characterization.begin(store, cluster, settings)
    if began is not None:
        began(run)
    try:
        asyncio.run(_measure(group, Survey(group, settings, StoreSink(store, run), progress)))
    except KeyboardInterrupt as error:
        store.finish_run(run, "aborted", error="interrupted by the user")
        raise InterruptedSurvey(
            "interrupted", hint=f"what was measured is kept, marked incomplete, as run {run} in {store.directory}"
        ) from error
    except FairleadError as error:
        store.finish_run(run, "failed", error=str(error).splitlines()[0])
        raise
    store.finish_run(run)
    return Characterization.read(store, store.run(run))


async def _measure(group: AgentGroup, survey: Survey) -> None:
    async with group:
        await survey.run()


def _command_line(cluster: Cluster) -> Callable[[Host, list[str]], list[str]]:
    executor = executors.of(cluster)
    return lambda host, argv: executor.command(host.name, argv)


def _agent(cluster: Cluster) -> str:
    """Path of the agent on the hosts, brought there where they do not see this machine's files."""
    executor = executors.of(cluster)
    local = native.program(AGENT)
    if executor.shares_files:
        return str(local)
    places = [deploy(executor, host.name, {AGENT: Path(local)})[AGENT] for host in cluster.managed_hosts()]
    if len(set(places)) > 1:
        raise ConfigError(f"{cluster.source}: the hosts' home directories differ, so the agent is not at one path")
    return places[0]
