"""What a report compares: the ``[report]`` table of a plan or of a map of columns."""

from typing import Self

from pydantic import Field, model_validator

from fairlead.config import Model

Level = str | int | float


class CellGroup(Model):
    """Cells whose gains are averaged (arithmetic mean)."""

    name: str = Field(min_length=1)
    """Name of the group."""
    where: dict[str, tuple[Level, ...]]
    """Levels of the group by factor. Only cells with listed levels count."""


class HourlyCost(Model):
    """What an hour costs, by level of a factor."""

    factor: str
    """Name of the factor."""
    prices: dict[str, float] = Field(min_length=1)
    """Price of an instance hour by level of ``factor``, in ``currency``; above 0."""
    instances: int = Field(default=1, ge=1)
    """Number of instances."""
    currency: str = "US$"
    """Currency of the prices."""
    source: str = ""
    """Where the prices come from."""

    @model_validator(mode="after")
    def _positive(self) -> Self:
        free = [name for name, price in self.prices.items() if price <= 0]
        if free:
            raise ValueError(f"prices: {', '.join(free)} must be above 0")
        return self


class ReportSettings(Model):
    """What the report compares."""

    configurations: tuple[str, ...] = ()
    """Factors whose levels are compared; the others define cases. Default: those of ``[whole_plot]``, or the last."""
    baseline: dict[str, Level] = Field(default_factory=dict)
    """Baseline level that gains refer to, for each of ``configurations``. Default without these: the first
    with samples."""
    groups: tuple[CellGroup, ...] = ()
    """Groups of cells whose gains are averaged."""
    program: str = "program"
    """Name of the factor that ``mpi_share`` refers to."""
    mpi_share: dict[str, float] = Field(default_factory=dict)
    """Share of time in MPI by level of ``program`` (``fairlead profile`` measures it)."""
    cost: HourlyCost | None = None
    """What an hour costs."""

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
        for program, share in self.mpi_share.items():
            if not 0 <= share <= 1:
                return f"report.mpi_share: {program} is {share:g}, and a share is from 0 to 1 (94 % is 0.94)"
        missing = [name for name in self.configurations if name not in self.baseline]
        if missing:
            return f"report.baseline: {', '.join(missing)} is missing: name the level that gains refer to"
        return None
