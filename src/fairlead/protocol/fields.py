"""Checked access to the fields of a JSON object that an agent said or a store holds."""

import math
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, Final, Generic, TypeVar

HostT = TypeVar("HostT")  # a host: its index in lines, its name in stores
T = TypeVar("T")
ChoiceT = TypeVar("ChoiceT", bound=StrEnum)
Reader = Callable[[Any, str], T]
"""(value, what it is in messages) -> the value, checked. Raises ValueError."""

_NEEDED: Final[Any] = object()


def real(value: Any, what: str) -> float:
    """A number. JSON has null for one that is not finite."""
    if value is None:
        return math.nan
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{what} is not a number: {value!r}")
    return float(value)


def whole(value: Any, what: str) -> int:
    """A whole number, which JSON may have as 2.0."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value):
        raise ValueError(f"{what} is not a whole number: {value!r}")
    return int(value)


def flag(value: Any, what: str) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise ValueError(f"{what} is neither true nor false: {value!r}")
    return value


def text(value: Any, what: str) -> str:
    """A string."""
    if not isinstance(value, str):
        raise ValueError(f"{what} is not a text: {value!r}")
    return value


def anything(value: Any, _what: str) -> Any:
    """What is checked where it is used."""
    return value


def choice(enum: type[ChoiceT]) -> Reader[ChoiceT]:
    """One text of an enumeration."""

    def read(value: Any, what: str) -> ChoiceT:
        try:
            return enum(value)
        except ValueError:
            raise ValueError(f"{what} is none of {', '.join(enum)}: {value!r}") from None

    return read


def many(read: Reader[T]) -> Reader[tuple[T, ...]]:
    """A list."""

    def read_all(values: Any, what: str) -> tuple[T, ...]:
        if not isinstance(values, list | tuple):
            raise ValueError(f"{what} is not a list: {values!r}")
        return tuple(read(value, f"{what}: an entry") for value in values)

    return read_all


def by_text(read: Reader[T]) -> Reader[Mapping[str, T]]:
    """Values by name."""

    def read_all(values: Any, what: str) -> Mapping[str, T]:
        if not isinstance(values, Mapping):
            raise ValueError(f"{what} is not an object: {values!r}")
        return {name: read(value, f"{what}: {name}") for name, value in values.items()}

    return read_all


class Fields(Generic[HostT]):
    """The fields of one object.

    Args:
        data: the object; fields that nobody reads do not matter.
        what: names it in messages.
        host: reads a host.
        earlier: an earlier version may have written it: fields that it lacks have the value that readers give for it.
    """

    def __init__(self, data: Any, what: str, host: Reader[HostT], *, earlier: bool = False) -> None:
        if not isinstance(data, Mapping):
            raise ValueError(f"{what} is not an object: {data!r}")
        self._data = data
        self._what = what
        self._earlier = earlier
        self.host = host

    def one(self, key: str, read: Reader[T], earlier: T = _NEEDED) -> T:
        """The value of a field.

        Args:
            earlier: its value in a store of a version that did not have the field; without one it must be there.

        Raises:
            ValueError: it is missing, or of another type. So do the other methods.
        """
        if self._lacks(key, earlier):
            return earlier
        return read(self._data[key], self._name(key))

    def nullable(self, key: str, read: Reader[T], earlier: T | None = _NEEDED) -> T | None:
        """As `one`; null is None."""
        if self._lacks(key, earlier) or self._data[key] is None:
            return None
        return read(self._data[key], self._name(key))

    def optional(self, key: str, read: Reader[T]) -> T | None:
        """The value of a field that may be missing."""
        value = self._data.get(key)
        return None if value is None else read(value, self._name(key))

    def within(self, read: Callable[["Fields[HostT]"], T]) -> Reader[T]:
        """Reads an object that is a field's value."""
        return lambda value, what: read(Fields(value, what, self.host, earlier=self._earlier))

    def _lacks(self, key: str, earlier: Any) -> bool:
        if key in self._data:
            return False
        if self._earlier and earlier is not _NEEDED:
            return True
        raise ValueError(f"{self._what} has no {key!r}")

    def _name(self, key: str) -> str:
        return f"{self._what}: {key!r}"
