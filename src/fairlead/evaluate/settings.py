"""What a report compares: the ``[report]`` table of a plan or of a map of columns."""

from typing import Self

from pydantic import Field, model_validator

from fairlead.config import Model

Level = str | int | float


class Group(Model):
    """One ``[[report.groups]]``: cells whose gains are averaged, as the papers do.

    ``where`` gives, of each factor named, the levels that belong to it. A row whose neighbour factor has a level that
    is not listed (a solo run, "none") is counted only if the list names it.
    """

    name: str = Field(min_length=1)
    where: dict[str, tuple[Level, ...]]


class Cost(Model):
    """``[report.cost]``: what an hour costs. ``prices`` are per instance hour by level of ``factor``."""

    factor: str
    prices: dict[str, float] = Field(min_length=1)
    instances: int = Field(default=1, ge=1)
    currency: str = "US$"
    source: str = ""

    @model_validator(mode="after")
    def _positive(self) -> Self:
        free = [name for name, price in self.prices.items() if price <= 0]
        if free:
            raise ValueError(f"prices: {', '.join(free)} must cost more than nothing")
        return self


class Report(Model):
    """``[report]``.

    ``configurations`` are the factors whose levels are held against each other; all others tell cases apart.
    ``baseline`` is the level of each of them that gains refer to. ``mpi_share`` gives, by level of ``program``, the
    share of time in MPI (`fairlead profile` measures it).
    """

    configurations: tuple[str, ...] = ()
    baseline: dict[str, Level] = Field(default_factory=dict)
    groups: tuple[Group, ...] = ()
    program: str = "program"
    mpi_share: dict[str, float] = Field(default_factory=dict)
    cost: Cost | None = None

    def complaint(self, factors: dict[str, tuple[Level, ...]]) -> str | None:
        """What does not fit these factors and levels, in words; None if all does."""
        named = [*self.configurations, *self.baseline, *(name for group in self.groups for name in group.where)]
        if self.cost:
            named.append(self.cost.factor)
        for name in named:
            if name not in factors:
                return f"report: there is no factor {name}; there are {', '.join(factors)}"
        wanted = [(name, level) for name, level in self.baseline.items()]
        wanted += [(name, level) for group in self.groups for name, levels in group.where.items() for level in levels]
        for name, level in wanted:
            if str(level) not in [str(each) for each in factors[name]]:
                return f"report: {name} has no level {level!r}; it has {', '.join(map(str, factors[name]))}"
        missing = [name for name in self.configurations if name not in self.baseline]
        if missing:
            return f"report: baseline: {', '.join(missing)} is missing: which level do gains refer to?"
        return None
