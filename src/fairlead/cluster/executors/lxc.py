"""Hosts are LXC containers on this machine, or on servers that are reached by ssh.

A host's ``reach`` is the container's name, or ``container@server``. Source: lxc-attach(1).
"""

import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from fairlead.cluster.description import Cluster
from fairlead.cluster.executors import rsh_agent, ssh
from fairlead.cluster.executors.base import Executor, register, with_environment
from fairlead.cluster.executors.shell_line import shell_line

_NOT_FOUND = 127  # sh(1)
# lxc-attach leaves out what a log-in does.
_LOG_IN = 'HOME=~root; export HOME; cd; exec "$@"'


@register("lxc")
class LxcExecutor(Executor):
    """Runs commands by lxc-attach, as the container's root and without this machine's environment."""

    passes_signals = False
    other_machines = True
    has_launch_host = False

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self.shares_files = cluster.lxc.shared_files

    def command(
        self, host: str, argv: Sequence[str], env: Mapping[str, str] | None = None, cwd: str | None = None
    ) -> list[str]:
        """See `Executor.command`."""
        return self._line(host, with_environment(argv, env, cwd), ssh.multiplexing)

    def look(self, host: str) -> str:
        """See `Executor.look`."""
        container, server = self._place(host)
        attach = shlex.join([*self._attach(container), "true"])
        see = "see `reach` and [lxc] in the cluster file"
        if server is None:
            return f"does the container run (`lxc-ls --fancy`)? `{attach}` must work, as root; {see}"
        login = f"ssh {ssh.destination(self._cluster.ssh, server)} true"
        return (
            f"does the container run (`lxc-ls --fancy` on {server})? `{attach}` must work on {server}, as root, "
            f"and `{login}` here; {see}"
        )

    def lasting(self, host: str, argv: Sequence[str]) -> list[str]:
        """See `Executor.lasting`."""
        return self._line(host, argv, ssh.own_connection)

    def lost_by(self, host: str, exit_code: int, said: bytes) -> str | None:
        """See `Executor.lost_by`. lxc-attach itself ends with 1, as programs do; a server may say more before it."""
        _, server = self._place(host)
        if server is not None and exit_code == ssh.FAILED:
            return "ssh"
        absent = server is not None and exit_code == _NOT_FOUND and b"lxc-attach" in said
        failed = exit_code != 0 and any(line.startswith(b"lxc-attach: ") for line in said.splitlines())
        return "lxc-attach" if absent or failed else None

    def machine(self, host: str) -> str:
        """See `Executor.machine`."""
        return self._place(host)[1] or "this machine"

    def rsh_agent(self) -> Path:
        """A script that enters a container as ssh would log in to it. It works where it was made only."""
        entries = {host.name: self._enter(host.name) for host in self._cluster.hosts}
        return rsh_agent.write(entries, before=_THROUGH + rsh_agent.QUOTED)

    def _line(self, host: str, argv: Sequence[str], connection: Callable[[], list[str]]) -> list[str]:
        container, server = self._place(host)
        attach = [*self._attach(container), "sh", "-c", _LOG_IN, "sh", *argv]
        if server is None:
            return attach
        to = ssh.destination(self._cluster.ssh, server)
        return ["ssh", *ssh.options(self._cluster.ssh), *connection(), "--", to, shell_line(attach)]

    def _place(self, host: str) -> tuple[str, str | None]:
        container, _, server = self._cluster.host(host).reach.partition("@")
        return container, server or None

    def _attach(self, container: str) -> list[str]:
        path = self._cluster.lxc.path
        return ["lxc-attach", *(["-P", str(path)] if path else []), "-n", container, "--clear-env", "--"]

    def _enter(self, host: str) -> str:
        container, server = self._place(host)
        attach = shlex.join([*self._attach(container), "sh", "-c", _LOG_IN, "sh", "sh", "-c"])
        if server is None:
            return f'through {attach} "$*"'
        to = ssh.destination(self._cluster.ssh, server)
        words = shlex.join(["ssh", *ssh.no_master(), *ssh.options(self._cluster.ssh), "--", to])
        return f'exec {words} {shlex.quote(attach)}" \'$(quoted "$*")\'"'


# Where it finds a terminal, lxc-attach makes another one, and what is said there is lost: so it finds pipes.
_THROUGH = """through() {
  [ -t 0 ] || [ -t 1 ] || [ -t 2 ] || exec "$@"
  exec 4>&2 </dev/null
  code=$({ { "$@" 2>&1; echo "$?" >&3; } | cat >&4; } 3>&1)
  exit "$code"
}
"""
