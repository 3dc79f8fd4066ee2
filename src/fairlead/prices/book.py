"""Price books: what hosts cost, and what runs beside them. People write them, and build on those of others."""

import datetime
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, field_validator

from fairlead import config
from fairlead.config import Model
from fairlead.display import words
from fairlead.errors import ConfigError
from fairlead.prices import efficiency

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")  # of TOML; others are quoted

KEPT = "prices"
"""Key of a stored plan under which the book is kept that it named (`Book.content`)."""


class Instance(Model):
    """A kind of host that a provider offers."""

    name: str = Field(min_length=1)
    """Unique name of the instance type."""
    provider: str
    """Name of the provider."""
    region: str
    """Region in which the price holds."""
    price_per_hour: float = Field(gt=0)
    """Price of an hour of one host, in ``currency``."""
    date: datetime.date
    """Day of the price."""
    cores: int = Field(gt=0)
    """Processor cores."""
    memory_GiB: float = Field(gt=0)
    """Memory in GiB."""
    interconnect: str
    """Kind of network."""
    bandwidth_Gbps: float = Field(gt=0)
    """Network bandwidth in Gbit/s."""
    virtualisation: str
    """Kind of virtualization."""
    placement: str
    """How hosts are placed near each other."""
    tenancy: Literal["shared", "dedicated", "own"]
    """Who uses the physical machine: others as well, this customer alone, or its owner."""

    @field_validator("date", mode="before")
    @classmethod
    def _day(cls, value: object) -> object:
        if isinstance(value, int | float):  # pydantic would count from 1970
            raise ValueError("must be a day, such as 2026-01-31")
        return value


class ExtraCost(Model):
    """A cost besides the hosts, such as storage, a gateway or a network tier."""

    name: str = Field(min_length=1)
    """Unique name of the cost."""
    per_hour: float = Field(ge=0)
    """Price of an hour, in ``currency``."""
    each: Literal["host", "cluster"] = "cluster"
    """Paid for every host, or once for the cluster."""
    idle: bool = False
    """Also paid while the hosts are off."""


class PricedSystem(Model):
    """A system, by the name that reports show or the name of its cluster."""

    instance: str
    """Name of an instance type of the book."""
    hosts: int = Field(gt=0)
    """Number of hosts."""
    costs: tuple[str, ...] = ()
    """Names of ``[[costs]]`` that the system has."""
    idle_hours: float = Field(default=0.0, ge=0)
    """Hours per hour of use in which only idle costs are paid."""


class BookFile(Model):
    """A whole book: what hosts cost, and what runs beside them."""

    currency: str = Field(min_length=1)
    """Currency of all prices."""
    extends: tuple[str, ...] = ()
    """Other books of the same currency, relative to this one. Their entries, systems too, can be used and, by name,
    overridden."""
    instances: tuple[Instance, ...] = ()
    """Instance types."""
    costs: tuple[ExtraCost, ...] = ()
    """Costs besides the hosts."""
    systems: dict[str, PricedSystem] = Field(default_factory=dict)
    """Systems, by name."""


@dataclass(frozen=True)
class Price:
    """What a system costs.

    Attributes:
        per_hour: of use, all of it.
        hosts: how many it has.
    """

    currency: str
    per_hour: float
    hosts: int
    instance: Instance

    def of_hosts(self, count: int) -> float:
        """An hour of so many of its hosts, with their part of what is paid for all."""
        return self.per_hour * count / self.hosts

    def of_seconds(self, seconds: float) -> float:
        """All of it for a time."""
        return efficiency.cost(self.per_hour, seconds)

    def describe(self, system: str) -> str:
        """For people: what it is the price of."""
        one = self.instance
        return (
            f"{system} {words.significant(self.per_hour)} {self.currency} an hour for "
            f"{words.count(self.hosts, 'host')} ({one.provider} {one.name}, {one.region}, {one.date.isoformat()})"
        )


@dataclass(frozen=True)
class Book:
    """A price book with all that it extends; of entries of the same name the outer one counts.

    Attributes:
        file: with all systems.
        origins: of systems, by name, the file that has them; empty of a book that was kept.
    """

    path: Path
    file: BookFile
    instances: dict[str, Instance]
    costs: dict[str, ExtraCost]
    origins: Mapping[str, Path] = field(default_factory=dict)

    @property
    def currency(self) -> str:
        """Of all its prices."""
        return self.file.currency

    def price(self, *names: str) -> Price | None:
        """Of the first of these names that is a system of the book; None where none is."""
        name = next((each for each in names if each in self.file.systems), None)
        if name is None:
            return None
        system = self.file.systems[name]
        instance = self.instances[system.instance]
        paid = [self.costs[each] for each in system.costs]
        per_hour = system.hosts * instance.price_per_hour
        for cost in paid:
            times = (system.hosts if cost.each == "host" else 1) * (1 + (system.idle_hours if cost.idle else 0))
            per_hour += times * cost.per_hour
        return Price(self.file.currency, per_hour, system.hosts, instance)

    def known_price(self, system: str) -> Price:
        """The price of a system that must have one.

        Raises:
            ConfigError: the book does not have it.
        """
        price = self.price(system)
        if price is None:
            key = system if _BARE_KEY.fullmatch(system) else json.dumps(system)
            raise ConfigError(f"{self.path}: no [systems.{key}]", hint="add it, or name no price book")
        return price

    def missing(self, systems: Iterable[str]) -> str:
        """For people: whose price the book does not have; empty: it has all."""
        unknown = [name for name in dict.fromkeys(systems) if name not in self.file.systems]
        if not unknown:
            return ""
        return f"{words.listing(unknown)} {'has' if len(unknown) == 1 else 'have'} no price in {self.path}"

    def describe(self, systems: Iterable[str]) -> str:
        """For people: what these systems cost, of those that have a price; empty: none has."""
        priced = {name: self.price(name) for name in dict.fromkeys(systems)}
        told = [price.describe(name) for name, price in priced.items() if price is not None]
        return f"Prices of {self.path}: {'; '.join(told)}." if told else ""

    def content(self) -> dict[str, Any]:
        """All of it, with what it extends, as plain dictionaries: to be kept with results. `from_content` reads it."""
        entries = {"instances": tuple(self.instances.values()), "costs": tuple(self.costs.values())}
        file = self.file.model_copy(update={"extends": (), **entries})
        return {"path": str(self.path), **file.model_dump(mode="json")}

    @classmethod
    def from_content(cls, content: Mapping[str, Any]) -> Self:
        """The inverse of `content`."""
        file = BookFile.model_validate({key: value for key, value in content.items() if key != "path"})
        instances = {entry.name: entry for entry in file.instances}
        return cls(Path(content["path"]), file, instances, {entry.name: entry for entry in file.costs})


def kept(path: Path | None) -> dict[str, Any]:
    """What a stored plan has of the book that it names, so that reports can be made without the file; None: nothing.

    Raises:
        ConfigError: see `load_prices`.
    """
    return {} if path is None else {KEPT: load_prices(path).content()}


def kept_with(plan: Any) -> Book | None:
    """The book that a stored plan named, as it was then; None: it named none."""
    content = plan.get(KEPT) if isinstance(plan, Mapping) else None
    return None if content is None else Book.from_content(content)


def load_prices(path: Path) -> Book:
    """Read a price book.

    Raises:
        ConfigError: a file is not usable, two entries of one file have the same name, currencies differ, books extend
            each other in a circle, a system's instance or cost is not in the book, or it has a cost twice.
    """
    book = _load(path, ())
    for name, system in book.file.systems.items():
        if system.instance not in book.instances:
            raise _mistake(book, name, "instance", f"there is no {system.instance!r} in the book")
        for place, each in enumerate(system.costs):
            if each not in book.costs:
                raise _mistake(book, name, "costs", f"there is no {each!r} in the book")
            if each in system.costs[:place]:
                raise _mistake(book, name, "costs", f"{each!r} is there twice, and would be paid twice")
    return book


def _mistake(book: Book, system: str, key: str, reason: str) -> ConfigError:
    path = book.origins[system]
    return ConfigError(config.told(path.read_text(encoding="utf-8-sig"), str(path), ("systems", system, key), reason))


def _load(path: Path, outer: tuple[Path, ...]) -> Book:
    file = config.load(path, BookFile)

    def complaint(location: tuple[str | int, ...], reason: str) -> ConfigError:
        return ConfigError(config.told(path.read_text(encoding="utf-8-sig"), str(path), location, reason))

    instances: dict[str, Instance] = {}
    costs: dict[str, ExtraCost] = {}
    systems: dict[str, PricedSystem] = {}
    origins: dict[str, Path] = {}
    for place, name in enumerate(file.extends):
        if (path.parent / name).resolve() in (*outer, path.resolve()):
            raise complaint(("extends", place), f"{name}: price books extend each other in a circle")
        inner = _load(path.parent / name, (*outer, path.resolve()))
        if inner.file.currency != file.currency:
            raise complaint(("extends", place), f"{name} is in {inner.file.currency}, this book in {file.currency}")
        instances |= inner.instances
        costs |= inner.costs
        systems |= inner.file.systems
        origins |= inner.origins
    for key, entries in (("instances", file.instances), ("costs", file.costs)):
        names = [entry.name for entry in entries]
        if twice := [place for place, name in enumerate(names) if name in names[:place]]:
            raise complaint((key, twice[0], "name"), f"{names[twice[0]]!r} is there twice")
    instances |= {entry.name: entry for entry in file.instances}
    costs |= {entry.name: entry for entry in file.costs}
    merged = file.model_copy(update={"systems": systems | file.systems})
    return Book(path, merged, instances, costs, origins | dict.fromkeys(file.systems, path))
