"""Commands that only the fake agent knows (fake_agent.py)."""

from dataclasses import dataclass
from typing import Any, ClassVar

from fairlead.protocol import answers
from fairlead.protocol.fields import Fields, anything
from fairlead.protocol.messages import Answer, Command


@dataclass(frozen=True, slots=True, kw_only=True)
class Echoed(Answer):
    """The value that was sent."""

    TYPE: ClassVar[str] = "echo"
    value: Any

    @classmethod
    def read(cls, fields: Fields[Any]) -> "Echoed":
        return cls(value=fields.one("value", anything))


@dataclass(frozen=True, slots=True)
class Echo(Command[Echoed]):
    """Gives a value back."""

    TYPE: ClassVar[str] = "echo"
    ANSWER: ClassVar[type[Answer]] = Echoed
    value: Any

    def to_json(self) -> dict[str, Any]:
        return {"type": self.TYPE, "value": self.value}


class _Plain(Command[answers.Done]):
    ANSWER: ClassVar[type[Answer]] = answers.Done

    def to_json(self) -> dict[str, Any]:
        return {"type": self.TYPE}


class Refuse(_Plain):
    TYPE: ClassVar[str] = "refuse"


class Die(_Plain):
    TYPE: ClassVar[str] = "die"


class SayEvent(_Plain):
    TYPE: ClassVar[str] = "event"


class Silence(_Plain):
    TYPE: ClassVar[str] = "silence"
