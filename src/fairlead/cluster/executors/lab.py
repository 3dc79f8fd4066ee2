"""Hosts are namespaces of an emulated cluster on this machine (`fairlead.lab`)."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from fairlead.cluster.description import Cluster
from fairlead.cluster.executors.base import Executor, register, with_environment
from fairlead.errors import ConfigError, LabError, NoSuchLabError
from fairlead.lab import idle

if TYPE_CHECKING:
    from fairlead.lab import Lab


@contextmanager
def _not_reached() -> Iterator[None]:
    """A host of a cluster file that is not there is one that is not reached, as over ssh; nobody named it just now."""
    try:
        yield
    except NoSuchLabError as error:
        raise LabError(*error.args, hint=error.hint) from error


@register("lab")
class LabExecutor(Executor):
    """Runs commands inside a lab host's namespaces."""

    passes_signals = True
    own_files = (
        "lab hosts have their own /tmp and /dev/shm: keep programs elsewhere, or share a directory of /tmp with "
        "the hosts: `share` in [lab] of its description, or `fairlead lab up FILE --share DIRECTORY`"
    )

    def __init__(self, cluster: Cluster) -> None:
        if cluster.lab is None:
            raise ConfigError(f"{cluster.source}: executor lab needs cluster.lab, the lab's name")
        super().__init__(cluster)
        self._lab_name = cluster.lab

    @cached_property
    def lab(self) -> "Lab":
        """The running lab.

        Raises:
            LabError: it is not up.
        """
        from fairlead import lab

        with _not_reached():
            return lab.find_lab(self._lab_name)

    def look(self, host: str) -> str:
        """See `Executor.look`."""
        return "start the lab: `fairlead lab up FILE`; `fairlead lab show` lists running labs"

    def command(
        self, host: str, argv: Sequence[str], env: Mapping[str, str] | None = None, cwd: str | None = None
    ) -> list[str]:
        """See `Executor.command`."""
        reach = self._cluster.host(host).reach
        with _not_reached():
            return [str(word) for word in self.lab.enter_command(reach, with_environment(argv, env, cwd))]

    def preloaded(self) -> Path | None:
        """What lets ranks wait asleep, where the lab is of that kind."""
        return idle.library() if self.lab.plan.asleep else None

    def rsh_agent(self) -> Path | None:
        """The lab's own script, which enters a host as ssh would log in to it."""
        return Path(self.lab.agent_script)
