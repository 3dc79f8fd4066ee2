"""Hosts are reached by a command that the cluster file gives: podman, docker or kubectl exec, nsenter, a site's own."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from fairlead.cluster.description import Cluster
from fairlead.cluster.executors import rsh_agent
from fairlead.cluster.executors.base import Executor, register, with_environment
from fairlead.cluster.executors.shell_line import shell_line

# What a log-in does and these commands leave out: a home, and starting in it.
_LOG_IN = '[ -n "$HOME" ] || eval "HOME=~$(id -un)"; export HOME; cd; exec "$@"'


@register("command")
class CommandExecutor(Executor):
    """Runs commands behind the words of ``[command] run``, in which ``{reach}`` stands for what the host is called."""

    passes_signals = False
    other_machines = True
    has_launch_host = False

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self.shares_files = cluster.command.shared_files

    def command(
        self, host: str, argv: Sequence[str], env: Mapping[str, str] | None = None, cwd: str | None = None
    ) -> list[str]:
        """See `Executor.command`."""
        return self._line(self._cluster.command.run, host, with_environment(argv, env, cwd))

    def look(self, host: str) -> str:
        """See `Executor.look`."""
        words = [*self._words(self._cluster.command.run, host), "true"]
        return f"`{shlex.join(words)}` must work; see `reach` and [command] in the cluster file"

    def on_terminal(self, host: str, argv: Sequence[str]) -> list[str]:
        """See `Executor.on_terminal`."""
        table = self._cluster.command
        return self._line(table.terminal or table.run, host, argv)

    def lost_by(self, host: str, exit_code: int, said: bytes) -> str | None:
        """See `Executor.lost_by`."""
        table = self._cluster.command
        return Path(table.run[0]).name if exit_code in table.failed else None

    def machine(self, host: str) -> str:
        """See `Executor.machine`: each host is one, as far as is known."""
        return host

    def rsh_agent(self) -> Path:
        """A script that enters a host as ssh would log in to it. It works where it was made only."""
        entries = {host.name: self._enter(host.name) for host in self._cluster.hosts}
        return rsh_agent.write(entries, before=rsh_agent.QUOTED)

    def _words(self, words: Sequence[str], host: str) -> list[str]:
        reach = self._cluster.host(host).reach
        return [word.replace("{reach}", reach) for word in words]

    def _line(self, words: Sequence[str], host: str, argv: Sequence[str]) -> list[str]:
        there = ["sh", "-c", _LOG_IN, "sh", *argv]
        return [*self._words(words, host), *([shell_line(there)] if self._cluster.command.by_shell else there)]

    def _enter(self, host: str) -> str:
        words = shlex.join(self._words(self._cluster.command.run, host))
        there = shlex.join(["sh", "-c", _LOG_IN, "sh", "sh", "-c"])
        if self._cluster.command.by_shell:
            return f'exec {words} {shlex.quote(there)}" \'$(quoted "$*")\'"'
        return f'exec {words} {there} "$*"'
