"""The interface that every cloud manager is used through.

A driver is a file beside this one, and a table of its own in `fairlead.cluster.cloud_table`. It reads credentials from
the cloud's usual places and never puts them into a message.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from fairlead.cloud.inventory import Inventory
from fairlead.cluster.description import Cluster
from fairlead.errors import CloudError
from fairlead.registry import Registry

_Outcome = TypeVar("_Outcome", covariant=True)


@dataclass(frozen=True)
class Progress:
    """How far a migration is, in words for people; where the cloud has not ``answered``, that, and why."""

    text: str
    answered: bool = True


@dataclass(frozen=True)
class Moved:
    """A migration that has ended well. What the cloud does not tell is None."""

    time_s: float
    paused_s: float | None
    copied_B: int | None


@dataclass(frozen=True)
class Created:
    """A machine that was made, and runs; what is in it may still be starting."""

    server: str
    time_s: float


def no_answer(error: CloudError) -> Progress:
    """Of a question about something under way: it goes on or not, and is asked again."""
    return Progress(f"the cloud does not answer: {error}", answered=False)


class CloudWork(Protocol[_Outcome]):
    """What takes a cloud some time. It may begin only when it is first polled: its owner has it when it does."""

    def poll(self) -> _Outcome | Progress:
        """How far it is; waits for no more than the cloud's answers. A cloud without an answer is a `Progress`.

        Raises:
            MigrationRefusedError: by the target, before anything was copied.
            CreationRefusedError: by the cloud, and nothing of it is left.
            CloudError: it is over: it failed, or was aborted; the message says how, and where the machine is, or that
                this is not known.
        """

    def abort(self) -> None:
        """Ask for its end; `poll` asks again until that is taken, and tells what came of it."""

    def close(self) -> None:
        """Let go of it, whatever it does. One that is not over, nor was aborted, is aborted as far as possible."""


Migration = CloudWork[Moved]
"""Of a machine that runs all the while."""
Creation = CloudWork[Created]
"""Of a machine that was not there; what is left of one that failed or was aborted is taken away."""


class Driver(Protocol):
    """A cloud manager."""

    @property
    def site(self) -> str:
        """Names what its controllers share, also across users of one machine: a letter, then letters, digits, -, _."""

    def inventory(self) -> Inventory:
        """Raises CloudError if it does not answer, or answers nonsense."""

    def migrate(self, vm: str, server: str) -> Migration:
        """What moves a machine while it runs.

        Raises:
            MigrationRefusedError: not to this server; nothing was started.
            CloudError: it did not answer, or answered nonsense; nothing was started.
        """

    def create(self, name: str, like: str, server: str) -> Creation:
        """What makes another machine on a server, of the same kind as one that there is.

        Raises:
            CreationRefusedError: this cloud makes none, or not this one there; nothing was started.
            CloudError: it did not answer, or answered nonsense; nothing was started.
        """


DRIVERS: Registry[Callable[[Cluster], Driver]] = Registry("cloud driver", "fairlead.cloud")
"""What makes the driver of a cluster, by the name in its ``[cloud]``."""
