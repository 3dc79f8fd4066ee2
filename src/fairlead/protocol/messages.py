"""What events, answers and commands have in common."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from fairlead.protocol.fields import Fields, HostT

AnswerT = TypeVar("AnswerT", bound="Answer")


@dataclass(frozen=True, slots=True, kw_only=True)
class Event(ABC, Generic[HostT]):
    """Something that an agent or its supervisor says unasked.

    Hosts are indices in what agents say (`Event[int]`), and names in stores (`Event[str]`).

    Attributes:
        t_s: when, in seconds since the epoch by the sender's clock; None: when it came.
    """

    TYPE: ClassVar[str]
    STORED: ClassVar[bool]

    t_s: float | None = None

    @classmethod
    @abstractmethod
    def read(cls, fields: Fields[HostT]) -> "Event[HostT]":
        """Made of JSON.

        Raises:
            ValueError: a field is missing, or of another type.
        """

    @abstractmethod
    def to_json(self, host: Callable[[HostT], int | str]) -> dict[str, Any]:
        """Its fields without type and time, with hosts as ``host`` has them."""


AgentEvent = Event[int]
StoredEvent = Event[str]
EventKind = type[Event[Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer(ABC):
    """What an agent says when it is asked."""

    TYPE: ClassVar[str]

    @classmethod
    @abstractmethod
    def read(cls, fields: Fields[Any]) -> "Answer":
        """Made of JSON.

        Raises:
            ValueError: a field is missing, or of another type.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Order(ABC):
    """What an agent is told, without an answer."""

    TYPE: ClassVar[str]

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """As it is sent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command(Order, Generic[AnswerT]):
    """What an agent is asked for."""

    ANSWER: ClassVar[type[Answer]]
