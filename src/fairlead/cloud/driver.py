"""The interface that every cloud manager is used through.

A driver reads credentials from the cloud's usual places and never puts them into a message.
"""

from dataclasses import dataclass
from typing import Protocol

from fairlead.cloud.inventory import Inventory


@dataclass(frozen=True)
class Progress:
    """How far a migration is, in words for people."""

    text: str


@dataclass(frozen=True)
class Moved:
    """A migration that has ended well. What the cloud does not tell is None."""

    time_s: float
    paused_s: float | None
    copied_B: int | None


class Migration(Protocol):
    """One migration under way."""

    def poll(self) -> Moved | Progress:
        """How far it is; returns at once.

        Raises:
            MigrationRefusedError: by the target, before anything was copied.
            CloudError: it failed, or was aborted; the message says how, and where the machine is.
        """

    def abort(self) -> None:
        """Ask for its end; `poll` tells what came of it. Raises CloudError if it cannot be asked."""

    def close(self) -> None:
        """Let go of it, whatever it does. One that is not over is aborted where that is still possible."""


class Driver(Protocol):
    """A cloud manager."""

    @property
    def site(self) -> str:
        """Names what its controllers share, also across users of one machine: a letter, then letters, digits, -, _."""

    def inventory(self) -> Inventory:
        """Raises CloudError if it does not answer, or answers nonsense."""

    def migrate(self, vm: str, server: str) -> Migration:
        """Begin to move a machine while it runs.

        Raises:
            MigrationRefusedError: not to this server; nothing was started.
            CloudError: it did not answer, or answered nonsense; see `inventory` for where the machine is.
        """
