"""Fairlead's own programs on the hosts: where they are, and how the guardian is called."""

from collections.abc import Sequence
from dataclasses import dataclass

from fairlead import native
from fairlead.cluster.deploy import deploy
from fairlead.cluster.description import Cluster
from fairlead.cluster.execute import on_all
from fairlead.cluster.executors import of
from fairlead.errors import ConfigError

AGENT = "fairlead-agent"
GUARDIAN = "fairlead-guardian"


@dataclass(frozen=True)
class Parts:
    """What a run needs on a host.

    Attributes:
        agent: absolute path there.
        guardian: command line that serves an agent: a path, or what leads to one (``sudo -n ...``).
    """

    agent: str
    guardian: tuple[str, ...]


def bring(cluster: Cluster, host: str) -> Parts:
    """Make agent and guardian usable on a host; a guardian that the cluster file names is installed there already.

    Raises:
        MissingToolError, HostError: see `deploy`.
    """
    names = [AGENT] if cluster.guardian else [AGENT, GUARDIAN]
    placed = deploy(of(cluster), host, {name: native.program(name) for name in names})
    return Parts(placed[AGENT], cluster.guardian or (placed[GUARDIAN],))


def bring_everywhere(cluster: Cluster) -> Parts:
    """`bring` for all managed hosts, at the same time.

    Raises:
        ConfigError: the hosts do not have them at the same path.
    """
    if of(cluster).shares_files:
        return bring(cluster, cluster.managed_hosts()[0].name)
    placed = on_all([host.name for host in cluster.managed_hosts()], lambda host: bring(cluster, host))
    if len(set(placed.values())) > 1:
        raise ConfigError(
            f"{cluster.source}: the hosts' home directories differ, so the agents are not at one path",
            hint="give the user the same home directory on all hosts",
        )
    return next(iter(placed.values()))


def guardian_tool(guardian: Sequence[str], *options: str) -> list[str]:
    """The guardian as a tool for people (``--clean``, ``--check``): as for serving, but not bound to a user.

    ``--user N`` says whose sockets a served agent may move; the tools touch nobody's.
    """
    words = list(guardian)
    if "--user" in words:
        at = words.index("--user")
        del words[at : at + 2]
    return [*words, *options]
