"""Bring fairlead's own files to hosts that do not see this machine's."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from fairlead.cluster.description import Cluster
from fairlead.cluster.executors.base import Executor, executor_of
from fairlead.cluster.remote.execute import on_all
from fairlead.cluster.remote.parcel import Parcel
from fairlead.errors import ConfigError, MissingToolError


def deploy(executor: Executor, host: str, files: Mapping[str, Path]) -> dict[str, str]:
    """Make files usable on a host; where it shares this machine's files nothing is copied.

    Args:
        executor: how to reach it.
        host: its name in the cluster file.
        files: name on the host -> file here. Modes are kept, names have no directories.

    Returns:
        Name -> absolute path on the host.

    Raises:
        MissingToolError: a file is not here.
        HostError: the host was not reached, has no room, or received something else than was sent.
    """
    for path in files.values():
        if not path.is_file():
            raise MissingToolError(
                f"{path} must be copied to {host}, but is not on this machine", hint="run `make setup`"
            )
    if executor.shares_files:
        return {name: str(path.absolute()) for name, path in files.items()}
    directory = Parcel(files).place(executor, host).directory
    return {name: f"{directory}/{name}" for name in files}


def deploy_everywhere(cluster: Cluster, hosts: Iterable[str], files: Mapping[str, Path]) -> dict[str, str]:
    """`deploy` on hosts of a cluster at the same time, of what must be at one path on all of them.

    Raises:
        MissingToolError, HostError: see `deploy`.
        ConfigError: the hosts do not have it at the same path.
    """
    executor = executor_of(cluster)
    each = dict.fromkeys(hosts)
    if executor.shares_files:
        return deploy(executor, next(iter(each)), files)
    return same_everywhere(cluster, files, on_all(each, lambda host: deploy(executor, host, files)))


def same_everywhere(cluster: Cluster, names: Iterable[str], placed: Mapping[str, dict[str, str]]) -> dict[str, str]:
    """The paths of files that have the same ones on all hosts.

    Args:
        names: of the files.
        placed: by host, their paths there.

    Raises:
        ConfigError: they have different ones.
    """
    first, *others = placed.values()
    if any(other != first for other in others):
        raise ConfigError(
            f"{cluster.source}: home directories differ between hosts, so {' and '.join(names)} cannot be at one path",
            hint="give the user the same home directory on all hosts",
        )
    return first
