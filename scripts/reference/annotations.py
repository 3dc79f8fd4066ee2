"""Types of keys in words, from pydantic's annotations: what may stand there, with its limits."""

import datetime
import re
import types
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import annotated_types
from pydantic import AfterValidator, BaseModel, BeforeValidator, StringConstraints
from pydantic.fields import FieldInfo

from fairlead.bonding.explain import MODES
from fairlead.cluster import executors
from fairlead.lab import units
from fairlead.manage.data_planes import PLANES

NAMES = {bool: "true or false", int: "whole number", float: "number", str: "text", Path: "path", datetime.date: "date"}
QUANTITIES = {
    units.parse_rate: ("rate", {"gbit": 1e9, "mbit": 1e6, "kbit": 1e3, "bit": 1}),
    units.parse_size: (
        "size",
        {"GiB": 2**30, "MiB": 2**20, "GB": 1e9, "MB": 1e6, "KiB": 2**10, "kB": 1e3, "B": 1},
    ),
    units.parse_time: ("time", {"s": 1.0, "ms": 1e-3, "us": 1e-6}),
    units.parse_queue: ("size or time", {}),
}
KNOWN: dict[str, Callable[[], Iterable[str]]] = {
    "_known_executor": executors.names,
    "_known_plane": PLANES.names,
    "_check_mode": lambda: MODES,
}
"""By the name of the function that checks them: what the names are."""


@dataclass(frozen=True)
class Annotation:
    """A type and what pydantic checks of its values."""

    type: Any
    checks: tuple[Any, ...] = ()

    @classmethod
    def of_field(cls, field: FieldInfo) -> "Annotation":
        """Of a model's field."""
        return cls._of(field.annotation, tuple(field.metadata))

    @classmethod
    def _of(cls, kind: Any, checks: tuple[Any, ...] = ()) -> "Annotation":
        while True:
            if get_origin(kind) is Annotated:
                kind, *more = get_args(kind)
                checks = (*checks, *(check for each in more for check in _flat(each)))
            elif get_origin(kind) in (Union, types.UnionType) and type(None) in get_args(kind):
                kind = Union[tuple(each for each in get_args(kind) if each is not type(None))]  # noqa: UP007
            else:
                return cls(kind, checks)

    @property
    def is_list(self) -> bool:
        """Several of them stand one after the other."""
        return get_origin(self.type) is tuple

    @property
    def is_named(self) -> bool:
        """Several of them stand by names that the user gives."""
        return get_origin(self.type) is dict

    def models(self) -> Iterator[type[BaseModel]]:
        """Models of tables that stand here."""
        if isinstance(self.type, type) and issubclass(self.type, BaseModel):
            yield self.type
        for part in self._parts():
            yield from part.models()

    def _parts(self) -> list["Annotation"]:
        if get_origin(self.type) is Literal:
            return []
        return [Annotation._of(each) for each in get_args(self.type) if each is not ...]

    def tag_of(self, model: type[BaseModel]) -> str:
        """How a table says that it is of this model, where it may be of several."""
        if len(list(self.models())) < 2:
            return ""
        fixed = (field.annotation for field in model.model_fields.values())
        return next(str(get_args(each)[0]) for each in fixed if get_origin(each) is Literal)

    def describe(self, known: dict[type[BaseModel], str]) -> str:
        """What may stand here.

        Args:
            known: where tables of each model are described.
        """
        return ", ".join([self._kind(known), *self._limits()])

    def _kind(self, known: dict[type[BaseModel], str], *, many: bool = False) -> str:
        if quantity := self._quantity():
            return _plural(quantity[0], many)
        if names := self._names():
            return _one_of(names)
        if said := self._said_before():
            return said
        parts, origin = self._parts(), get_origin(self.type)
        if origin in (tuple, list):
            count = f"{len(parts)} " if origin is tuple and ... not in get_args(self.type) else ""
            return f"{'lists' if many else 'list'} of {count}{parts[0]._kind(known, many=True)}"
        if origin is dict:
            return f"{parts[1]._kind(known, many=True)} by name"
        if origin in (Union, types.UnionType):
            return self._alternatives(known, many=many)
        if self.type in known:
            return f"[{_plural('table', many)}]({known[self.type]})"
        return _plural(NAMES[self.type], many)

    def _alternatives(self, known: dict[type[BaseModel], str], *, many: bool) -> str:
        models = [each for each in self.models() if each in known]
        if len(models) > 1:
            return f"{_plural('table', many)}: {', '.join(f'[{self.tag_of(each)}]({known[each]})' for each in models)}"
        parts = self._parts()
        if any(part.type is float for part in parts):  # to write a whole number is to write a number
            parts = [part for part in parts if part.type is not int]
        return " or ".join(dict.fromkeys(part._kind(known, many=many) for part in parts))

    def _said_before(self) -> str:
        """What a function that takes the value before all others says of it; empty: there is none, or it is known."""
        checks = [check.func for check in self.checks if isinstance(check, BeforeValidator)]
        return next((_said(each) for each in checks if each.__doc__), "")

    def _quantity(self) -> tuple[str, dict[str, float]] | None:
        checks = [check.func for check in self.checks if isinstance(check, BeforeValidator)]
        return next((QUANTITIES[each] for each in checks if each in QUANTITIES), None)

    def _names(self) -> list[str]:
        checks = [getattr(check, "func", None) for check in self.checks]
        found = [KNOWN[each.__name__]() for each in checks if each is not None and each.__name__ in KNOWN]
        if get_origin(self.type) is Literal:
            found.append(map(str, get_args(self.type)))
        elif get_origin(self.type) in (Union, types.UnionType):
            literals = [get_args(each) for each in get_args(self.type) if get_origin(each) is Literal]
            found += literals if len(literals) == len(get_args(self.type)) else []
        return [name for names in found for name in names]

    def _limits(self) -> Iterator[str]:
        bounds = {type(check): check for check in self.checks}
        least, above = bounds.get(annotated_types.Ge), bounds.get(annotated_types.Gt)
        most, below = bounds.get(annotated_types.Le), bounds.get(annotated_types.Lt)
        if least and most:
            yield f"{least.ge:g} to {most.le:g}"
        else:
            yield from (f"at least {each.ge:g}" for each in [least] if each)
            yield from (f"above {each.gt:g}" for each in [above] if each)
            yield from (f"at most {each.le:g}" for each in [most] if each)
            yield from (f"below {each.lt:g}" for each in [below] if each)
        for check in self.checks:
            yield from self._limit(check)
        if get_origin(self.type) is tuple and not self._said_before():
            yield from (f"each {limit}" for limit in self._parts()[0]._limits())

    def _limit(self, check: Any) -> Iterator[str]:
        if isinstance(check, annotated_types.MinLen):
            entries = "characters" if self.type is str else "entries"
            yield "not empty" if check.min_length == 1 else f"at least {check.min_length} {entries}"
        elif isinstance(check, annotated_types.MaxLen) or (isinstance(check, StringConstraints) and check.max_length):
            yield f"at most {check.max_length} characters"
        elif isinstance(check, AfterValidator) and check.func.__name__ not in KNOWN:
            yield _said(check.func)

    def written(self, default: Any) -> str:
        """A default as a file would have it; empty where leaving the key out is more than a value."""
        if default is None or isinstance(default, BaseModel) or default in ((), {}, ""):
            return ""
        if quantity := self._quantity():
            return f"`{_with_unit(default, quantity[1])}`"
        if isinstance(default, tuple):
            return f"`[{', '.join(_toml(each) for each in default)}]`"
        return f"`{default if isinstance(default, str) else _toml(default)}`"


def _flat(check: Any) -> Iterator[Any]:
    """The checks that one stands for: `Field(ge=1)` in an annotation holds them."""
    yield from check.metadata if isinstance(check, FieldInfo) else (check,)


def _said(check: Callable[..., Any]) -> str:
    """What a function that checks a value says of itself."""
    text = (check.__doc__ or "").split("\n")[0].rstrip(".").removeprefix("it must be ")
    text = re.sub(r"^it must begin with (.+) and have (.+) only$", r"\2, beginning with \1", text)
    return f"{text[:1].lower()}{text[1:]}"


def _one_of(names: Iterable[str]) -> str:
    *others, last = [f"`{name}`" for name in names]
    return f"{', '.join(others)} or {last}" if others else last


def _plural(name: str, many: bool) -> str:
    if not many or name == "true or false":
        return name
    return " or ".join(f"{word}s" for word in name.split(" or "))


def _with_unit(value: Any, factors: dict[str, float]) -> str:
    if not factors:
        return str(value)
    unit = next((name for name, factor in factors.items() if round(value / factor, 6).is_integer()), "")
    return f"{value / factors[unit]:g}{unit}"


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else f"{value:g}"
