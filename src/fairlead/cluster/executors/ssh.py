"""Hosts are reached by ssh, without ever asking for a password."""

import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from fairlead.cluster.cache import local_cache
from fairlead.cluster.description import Cluster, Ssh
from fairlead.cluster.executors import rsh_agent, ssh_refusals
from fairlead.cluster.executors.base import Executor, register, with_environment
from fairlead.cluster.executors.shell_line import shell_line

CONNECT_TIMEOUT_S = 10
ALIVE_INTERVAL_S = 5  # the agents' lease is 10 s: they have ended when their host is reached again
ALIVE_COUNT = 3
FAILED = 255  # ssh(1), EXIT STATUS
KEEP_CONNECTION_S = 60
LONGEST_SOCKET_PATH = 104  # sun_path on Linux holds 108; ssh adds a suffix while it creates the socket
SOCKET_NAME_LENGTH = 41


@register("ssh")
class SshExecutor(Executor):
    """Runs commands by ssh; connections are kept for a minute and shared, since a log-in costs 0.1 s and more."""

    passes_signals = False
    other_machines = True

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self.shares_files = cluster.ssh.shared_files

    def command(
        self, host: str, argv: Sequence[str], env: Mapping[str, str] | None = None, cwd: str | None = None
    ) -> list[str]:
        """See `Executor.command`. ssh hands one string to a shell there, so every word is quoted for it."""
        remote = shell_line(with_environment(argv, env, cwd))
        ssh = self._cluster.ssh
        return ["ssh", *options(ssh), *multiplexing(), "--", destination(ssh, self._cluster.host(host).reach), remote]

    def lasting(self, host: str, argv: Sequence[str]) -> list[str]:
        """See `Executor.lasting`."""
        ssh = self._cluster.ssh
        words = ["ssh", *options(ssh), *own_connection(), "--", destination(ssh, self._cluster.host(host).reach)]
        return [*words, shell_line(argv)]

    def on_terminal(self, host: str, argv: Sequence[str]) -> list[str]:
        """See `Executor.on_terminal`: ssh makes a terminal there, too, which sudo asks on."""
        ssh, *words = self.lasting(host, argv)
        return [ssh, "-t", *words]

    def look(self, host: str) -> str:
        """See `Executor.look`."""
        ssh = self._cluster.ssh
        words = ["ssh", *options(ssh), "--", destination(ssh, self._cluster.host(host).reach), "true"]
        return f"`{shlex.join(words)}` must work without a password; see `reach` and [ssh] in the cluster file"

    def way_out(self, host: str, said: bytes) -> str:
        """See `Executor.way_out`."""
        ssh = self._cluster.ssh
        to = destination(ssh, self._cluster.host(host).reach)
        particular = ssh_refusals.way_out(said.decode(errors="replace"), to, own_options(ssh), ssh.port)
        return f"{self.look(host)}. {particular}" if particular else self.look(host)

    def log_out(self, host: str) -> list[str]:
        """See `Executor.log_out`: the shared connection takes no more commands; those that ride on it go on."""
        shared, ssh = multiplexing(), self._cluster.ssh
        if not shared:
            return []
        return ["ssh", *options(ssh), *shared, "-O", "stop", destination(ssh, self._cluster.host(host).reach)]

    def lost_by(self, host: str, exit_code: int, said: bytes) -> str | None:
        """See `Executor.lost_by`."""
        return "ssh" if exit_code == FAILED else None

    def machine(self, host: str) -> str:
        """See `Executor.machine`: each host is one, as far as is known."""
        return host

    def rsh_agent(self) -> Path:
        """A script that turns the cluster's host names and options into a call of ssh.

        MPI launchers take a program without options, and know hosts by the cluster file's names only.
        """
        words = ["exec", "ssh", *no_master(), *options(self._cluster.ssh), "--"]
        entries = {
            host.name: shlex.join([*words, destination(self._cluster.ssh, host.reach)]) + ' "$@"'
            for host in self._cluster.hosts
        }
        return rsh_agent.write(entries)


def destination(ssh: Ssh, reach: str) -> str:
    """What ssh is to call: with the cluster's user, where there is one and ``reach`` names none."""
    return f"{ssh.user}@{reach}" if ssh.user and "@" not in reach else reach


def options(ssh: Ssh) -> list[str]:
    """ssh's options for a cluster. It never asks for anything."""
    return ["-o", "BatchMode=yes", "-o", f"ConnectTimeout={CONNECT_TIMEOUT_S}", *own_options(ssh)]


def own_options(ssh: Ssh) -> list[str]:
    """Those that the cluster file has."""
    words: list[str] = []
    if ssh.config:
        words += ["-F", str(ssh.config)]
    if ssh.port:
        words += ["-p", str(ssh.port)]
    if ssh.identity:
        words += ["-i", str(ssh.identity)]
    for option in ssh.options:
        words += ["-o", option]
    return words


def own_connection() -> list[str]:
    """Options for a connection that no other command rides on, and that ends when the host is silent.

    Of an option that stands twice ssh takes the first: where the cluster file sets one of these, that counts.
    """
    silence = ["-o", f"ServerAliveInterval={ALIVE_INTERVAL_S}", "-o", f"ServerAliveCountMax={ALIVE_COUNT}"]
    return [*silence, "-o", "ControlMaster=no", "-o", "ControlPath=none"]


def no_master() -> list[str]:
    """Options for what launchers start: it may ride on a connection that there is, and nothing rides on its own.

    It ends with its job, at last by force, and with it would end what rides on it: the user's other sessions, another
    job's daemons. They stand first, and so count whatever else is set.
    """
    return ["-o", "ControlMaster=no"]


def multiplexing() -> list[str]:
    """Options that share one connection a host; none where the home directory's path is too long for a socket."""
    directory = local_cache() / "ssh"
    if len(os.fsencode(directory)) + SOCKET_NAME_LENGTH > LONGEST_SOCKET_PATH - 17:
        return []
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = f"{directory}/%C"
    return ["-o", "ControlMaster=auto", "-o", f"ControlPath={path}", "-o", f"ControlPersist={KEEP_CONNECTION_S}"]
