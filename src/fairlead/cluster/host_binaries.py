"""Fairlead's own programs on the hosts: where they are, and how the guardian is called."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fairlead import native
from fairlead.cluster.description import Cluster
from fairlead.cluster.executors import executor_of
from fairlead.cluster.guardian import places
from fairlead.cluster.remote.deploy import deploy, deploy_everywhere

AGENT = "fairlead-agent"
GUARDIAN = places.PROGRAM
OVERLAY_PORTS = (20_000, 29_999)  # UDP; a job draws one of them (native/guardian/protocol/protocol.hpp)


@dataclass(frozen=True)
class HostBinaries:
    """What a run needs on a host.

    Attributes:
        agent: absolute path there.
        guardian: command line that serves an agent: a path, or what leads to one (``sudo -n ...``).
    """

    agent: str
    guardian: tuple[str, ...]


def bring(cluster: Cluster, host: str) -> HostBinaries:
    """Make agent and guardian usable on a host; a guardian that the cluster file names is installed there already.

    Where it names none, an installed one is found by the host itself (`places.installed_or`).

    Raises:
        MissingToolError, HostError: see `deploy`.
    """
    return _host_binaries(cluster, deploy(executor_of(cluster), host, _files(cluster)))


def bring_everywhere(cluster: Cluster) -> HostBinaries:
    """`bring` for all managed hosts, at the same time.

    Raises:
        MissingToolError, HostError, ConfigError: see `deploy_everywhere`.
    """
    hosts = cluster.managed_names()
    return _host_binaries(cluster, deploy_everywhere(cluster, hosts, _files(cluster)))


def _files(cluster: Cluster) -> dict[str, Path]:
    names = [AGENT] if cluster.guardian else [AGENT, GUARDIAN]
    return {name: native.program(name) for name in names}


def _host_binaries(cluster: Cluster, placed: Mapping[str, str]) -> HostBinaries:
    return HostBinaries(placed[AGENT], cluster.guardian or places.installed_or(placed[GUARDIAN]))


def guardian_tool(guardian: Sequence[str], *options: str) -> list[str]:
    """The guardian as a tool for people (``--clean``, ``--check``): as for serving, but not bound to a user.

    ``--user N`` says whose sockets a served agent may reroute; the tools touch nobody's.
    """
    words = list(guardian)
    if "--user" in words:
        at = words.index("--user")
        del words[at : at + 2]
    return [*words, *options]
