"""A registry: things of one kind by name, of which a new one is one file.

Launchers, executors, cloud drivers, data planes, benchmarks and doctor's checks each have one.
"""

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar, cast

from fairlead.errors import ConfigError

Thing = TypeVar("Thing")


class Registry(Generic[Thing]):
    """Things of one kind. Those that the modules of a package register are known once anything is asked."""

    def __init__(self, kind: str, package: str, order: Callable[[str, Thing], Any] = lambda name, _: name) -> None:
        """
        Args:
            kind: what messages call one of them: ``launcher``.
            package: each of its modules, and of its subpackages, is imported at the first question.
            order: what they are sorted by; those of the same key keep the order in which they were registered.
        """
        self._kind, self._package, self._order = kind, package, order
        self._things: dict[str, Thing] = {}
        self._is_loaded = False

    def register(self, name: str) -> Callable[[Thing], Thing]:
        """Decorator: make something known under ``name``.

        Raises:
            ValueError: the name is taken.
        """

        def add(thing: Thing) -> Thing:
            if name in self._things:
                raise ValueError(f"{self._kind} {name!r} is registered twice: {self._things[name]!r} and {thing!r}")
            self._things[name] = thing
            return thing

        return add

    def register_class(self, name: str) -> Callable[[Thing], Thing]:
        """As `register`, for classes: the name is also their attribute ``name``."""

        def add(thing: Thing) -> Thing:
            cast(Any, self.register(name)(thing)).name = name
            return thing

        return add

    def get(self, name: str, *, where: str = "") -> Thing:
        """The one of that name.

        Args:
            where: what stands before the message: the file that names it.

        Raises:
            ConfigError: unknown; the hint lists those that are known.
        """
        self._load()
        if name not in self._things:
            raise ConfigError(f"{where}{self._kind} {name!r} is unknown", hint=f"use one of {', '.join(self.names())}")
        return self._things[name]

    def names(self) -> tuple[str, ...]:
        """Names of all, in their order."""
        self._load()
        return tuple(sorted(self._things, key=lambda name: self._order(name, self._things[name])))

    def __contains__(self, name: object) -> bool:
        self._load()
        return name in self._things

    def __iter__(self) -> Iterator[Thing]:
        """All, in their order."""
        return (self._things[name] for name in self.names())

    def _load(self) -> None:
        if self._is_loaded:
            return
        for module in pkgutil.iter_modules(importlib.import_module(self._package).__path__, f"{self._package}."):
            importlib.import_module(module.name)
        self._is_loaded = True
