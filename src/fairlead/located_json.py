"""JSON with the line of every key, so that a complaint can say where in the file it is about."""

import json
import re
from dataclasses import dataclass, field
from typing import Any, NoReturn

Location = tuple[str | int, ...]
_SPACE = re.compile(r"[ \t\r\n]*")


class NoJsonError(Exception):
    """A text is no JSON: ``line`` (from 1), and what is wrong there."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line
        self.reason = reason


@dataclass
class Located:
    """A value, the line (from 1) of each part of it, and keys that stand twice in one object."""

    data: Any = None
    lines: dict[Location, int] = field(default_factory=dict)
    doubled: list[Location] = field(default_factory=list)

    def line_of(self, location: Location) -> int:
        """Line of a part, or of the nearest part around it that the file has."""
        while location not in self.lines and location:
            location = location[:-1]
        return self.lines.get(location, 1)


def key_words(location: Location) -> str:
    """A location as it is written in messages: ``[3].computation.of.program``; empty of the whole."""
    return ".".join(f"[{part}]" if isinstance(part, int) else part for part in location).replace(".[", "[")


def parse(text: str) -> Located:
    """Parse a JSON text.

    Raises:
        NoJsonError: it is none, or holds NaN or Infinity, which JSON does not have.
    """
    return _Parser(text).whole()


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._found = Located()
        self._scalars = json.JSONDecoder(parse_constant=self._refuse_constant)

    def whole(self) -> Located:
        try:
            self._found.data = self._value(())
        except json.JSONDecodeError as error:
            raise NoJsonError(error.lineno, error.msg) from error
        except ValueError as error:  # a number of thousands of digits
            raise NoJsonError(self._line(), str(error)) from error
        except RecursionError as error:
            raise NoJsonError(1, "is nested too deeply") from error
        if self._next():
            self._fail("text after the end of the value")
        return self._found

    def _value(self, location: Location) -> Any:
        start = self._next()
        self._found.lines.setdefault(location, self._line())
        if start == "{":
            return self._object(location)
        if start == "[":
            return self._list(location)
        value, self._at = self._scalars.raw_decode(self._text, self._at)
        return value

    def _object(self, location: Location) -> dict[str, Any]:
        found: dict[str, Any] = {}
        self._at += 1
        while (start := self._next()) != "}":
            if start != '"':
                self._fail("a key must be a string in double quotes")
            line = self._line()
            key, self._at = self._scalars.raw_decode(self._text, self._at)
            place = (*location, key)
            if key in found:
                self._found.doubled.append(place)
            self._found.lines[place] = line
            if self._next() != ":":
                self._fail(f"a colon is missing after the key {key!r}")
            self._at += 1
            found[key] = self._value(place)
            self._separator("}")
        self._at += 1
        return found

    def _list(self, location: Location) -> list[Any]:
        found: list[Any] = []
        self._at += 1
        while self._next() != "]":
            found.append(self._value((*location, len(found))))
            self._separator("]")
        self._at += 1
        return found

    def _separator(self, end: str) -> None:
        found = self._next()
        if found == ",":
            self._at += 1
            if self._next() == end:
                self._fail("a comma before the end of a list or object")
        elif found != end:
            self._fail(f"a comma or {end} is missing")

    def _next(self) -> str:
        """The next character that is no space; empty at the end."""
        match = _SPACE.match(self._text, self._at)
        self._at = match.end() if match else self._at
        return self._text[self._at : self._at + 1]

    def _line(self) -> int:
        return self._text.count("\n", 0, self._at) + 1

    def _refuse_constant(self, name: str) -> NoReturn:
        self._fail(f"{name} is not a number of JSON")

    def _fail(self, reason: str) -> NoReturn:
        raise NoJsonError(self._line(), reason)
