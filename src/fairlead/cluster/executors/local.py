"""Everything runs on this machine: for one host, and for trying things out."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from fairlead.cluster.executors.base import Executor, register, with_environment


@register("local")
class LocalExecutor(Executor):
    """Runs commands as they are."""

    passes_signals = True
    has_launch_host = False

    def command(
        self, host: str, argv: Sequence[str], env: Mapping[str, str] | None = None, cwd: str | None = None
    ) -> list[str]:
        """See `Executor.command`."""
        self._cluster.host(host)
        return with_environment(argv, env, cwd)

    def look(self, host: str) -> str:
        """See `Executor.look`."""
        return "run it on this machine by hand to see more"

    def rsh_agent(self) -> Path | None:
        """None: MPI launchers start processes on their own machine without help."""
        return None
