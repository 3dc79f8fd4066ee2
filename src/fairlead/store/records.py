"""What the store hands out: plain frozen records."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypedDict

import numpy.typing as npt

from fairlead.errors import StoreError

Label = str | int | float
Status = Literal["ok", "failed", "aborted", "running", "interrupted"]


@dataclass(frozen=True)
class Run:
    """One thing that was done: a program run, a characterization, or an experiment that groups runs.

    Attributes:
        position: place in the executed (randomised) order, from 0; None where there was no order.
        facts: host and software facts at the start of the run.
        started_s, ended_s: seconds since the epoch; ``ended_s`` is None until the run has ended.
        status: as given to `Store.finish_run`; without an end ``running`` while its writer lives, else ``interrupted``.
    """

    id: int
    parent: int | None
    kind: str
    labels: Mapping[str, Label]
    plan: Any
    seed: int | None
    position: int | None
    facts: Mapping[str, Any]
    started_s: float
    ended_s: float | None
    status: Status
    exit_code: int | None
    error: str | None


@dataclass(frozen=True)
class Series:
    """An array of samples, as measured: never rounded, never reduced.

    Attributes:
        unit: one of `fairlead.store.series.UNITS`.
        values: float64, int64 or bool, any shape; read only.
    """

    name: str
    unit: str
    labels: Mapping[str, Label]
    values: npt.NDArray[Any]

    def scalar(self) -> float:
        """The value of a series of one sample.

        Raises:
            StoreError: it holds another number of samples.
        """
        if self.values.size != 1:
            raise StoreError(f"series {self.name} holds {self.values.size} samples where one is expected")
        return float(self.values.reshape(-1)[0])


@dataclass(frozen=True)
class Event:
    """Something that happened at ``t_s`` (seconds since the epoch, on the clock of the host that said it)."""

    t_s: float
    kind: str
    data: Mapping[str, Any]


@dataclass(frozen=True)
class Attachment:
    """Captured output or a file, byte for byte."""

    name: str
    content: bytes


class Kept(TypedDict, total=False):
    """What a run that is over leaves, and how it ended: arguments of `Store.record`."""

    series: Sequence[Series]
    events: Sequence[Event]
    attachments: Sequence[Attachment]
    status: Status
    exit_code: int | None
    error: str | None
