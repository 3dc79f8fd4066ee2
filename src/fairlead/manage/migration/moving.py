"""What a run needs of migration: something that moves virtual machines beside its program."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from fairlead.agents.agent import EventCallback
from fairlead.manage.migration.probing import Probing
from fairlead.manage.migration.sharing import Sharing
from fairlead.protocol.messages import AgentEvent


class Mover(AbstractContextManager[object], Protocol):
    """What moves virtual machines beside a program; `fairlead.manage.migration.mover.Mover` is it."""

    def __call__(self, host: int, event: AgentEvent) -> None: ...


MakeMover = Callable[[Sequence[str], EventCallback, Probing, Sharing], Mover]
"""(names of the agents' hosts, where it reports, what measures paths, what tells what they share) -> a mover."""
