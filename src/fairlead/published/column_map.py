"""The map that says which column of a foreign file is which factor and value."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from pydantic import Field, field_validator

from fairlead import config
from fairlead.analysis.evaluations.dataset import BETTER, BLOCK, REPLICATION, Better
from fairlead.analysis.evaluations.settings import ReportSettings
from fairlead.config import Model
from fairlead.errors import ConfigError
from fairlead.store.series import SUFFIX_UNITS, UNITS

Location = tuple[str | int, ...]
Where = dict[str, str | tuple[str, ...]]
"""Columns with the texts that a row must have there: one, or one of several."""
_NAME = r"[A-Za-z0-9_][A-Za-z0-9_.+-]*"
_OWN_LABELS = (BLOCK, REPLICATION, "attempt", "cluster", "group")


class DatasetTable(Model):
    """The data set as a whole."""

    name: str = Field(min_length=1)
    """Name in the store."""
    source: str = ""
    """Where the numbers come from."""
    missing: tuple[str, ...] = ()
    """Texts that stand for a missing sample. Any other text that is not a number is an error."""
    replicate: str | None = None
    """Column that numbers the runs of a cell. Default: none has."""
    equal_rows: Literal["refuse", "keep"] = "refuse"
    """``keep``: rows that are alike in every column are samples of their own. ``refuse``: they are an error."""


class ValueColumn(Model):
    """A column of samples. The first table is the main value."""

    column: str
    """Name of the column."""
    unit: str
    """Unit in the store: s, B, bit/s, B/s, 1 or count."""
    scale: float = Field(default=1.0, gt=0, allow_inf_nan=False)
    """The file's numbers times this are in ``unit``."""
    better: Better | None = None
    """Whether lower or higher values are better. Default: lower of s, higher of bit/s and B/s; others need it."""

    @field_validator("unit")
    @classmethod
    def _known(cls, unit: str) -> str:
        known = [each for each in UNITS if each not in ("bool", "index")]
        if unit not in known:
            raise ValueError(f"must be one of {', '.join(known)}, not {unit!r}; `scale` converts others")
        return unit


class ColumnMap(Model):
    """A whole map: which column of a CSV file is which factor and value."""

    dataset: DatasetTable
    """The data set as a whole."""
    factors: dict[str, str | tuple[str, ...]] = Field(min_length=1)
    """Column of each factor, by the factor's name; several columns make one level together."""
    values: dict[str, ValueColumn] = Field(min_length=1)
    """Columns of samples, by the value's name."""
    where: Where = Field(default_factory=dict)
    """Text, or list of texts, by column: only rows with these texts are read."""
    imputed_where: Where = Field(default_factory=dict)
    """Texts by column: rows whose values were filled in. They are set aside and counted."""
    exclude_where: Where = Field(default_factory=dict)
    """Texts by column: rows that are not to count. They are set aside and counted."""
    empty: str = Field(default="none", min_length=1)
    """Name of the level of a factor whose column is empty."""
    report: ReportSettings = ReportSettings()
    """What the report compares."""

    @field_validator("factors")
    @classmethod
    def _factor_names(cls, factors: dict[str, str | tuple[str, ...]]) -> dict[str, str | tuple[str, ...]]:
        for name, columns in factors.items():
            if name in _OWN_LABELS:
                raise ValueError(f"{name!r} is not a name for a factor: fairlead uses it itself")
            if re.fullmatch(_NAME, name) is None:
                raise ValueError(f"{name!r} is not a name for a factor: use letters, digits and _ . + -")
            if not columns or not all(columns_of(columns)):
                raise ValueError(f"{name} names no column")
        return factors

    @field_validator("values")
    @classmethod
    def _value_names(cls, values: dict[str, ValueColumn]) -> dict[str, ValueColumn]:
        for name in values:
            if re.fullmatch(_NAME, name) is None:
                raise ValueError(f"{name!r} is not a name for a value: use letters, digits and _ . + -")
        return values

    def units_that_names_deny(self) -> Mapping[Location, str]:
        """Values whose name ends with another unit than theirs, by the key of the unit, and what is wrong."""
        return {
            ("values", name, "unit"): f"{name} ends with {suffix}: its unit must be {unit!r}, not {value.unit!r}"
            for name, value in self.values.items()
            for suffix, unit in SUFFIX_UNITS.items()
            if name.endswith(suffix) and value.unit != unit
        }

    def values_without_direction(self) -> Mapping[Location, str]:
        """Values of which neither key nor unit says what is better, by the key that is missing, and what is wrong."""
        return {
            ("values", name, "better"): f"values in {value.unit} may be better lower or higher"
            for name, value in self.values.items()
            if value.better is None and value.unit not in BETTER
        }

    def named_columns(self) -> Mapping[Location, str]:
        """Every column that the map names, by the key that names it."""
        found: dict[Location, str] = {}
        for name, columns in self.factors.items():
            if isinstance(columns, str):
                found["factors", name] = columns
            else:
                found.update({("factors", name, k): each for k, each in enumerate(columns)})
        for name, value in self.values.items():
            found["values", name, "column"] = value.column
        for key in ("where", "imputed_where", "exclude_where"):
            found.update({(key, column): column for column in getattr(self, key)})
        if self.dataset.replicate is not None:
            found["dataset", "replicate"] = self.dataset.replicate
        return found


@dataclass(frozen=True)
class MapSource:
    """Where a map comes from, for complaints about its keys."""

    path: str = "map of columns"
    text: str = ""

    def complaint(self, location: Location, reason: str, *, hint: str = "") -> ConfigError:
        """An error about one key of the map."""
        line = f":{config.line_of(self.text, location)}" if self.text else ""
        return ConfigError(f"{self.path}{line}: {'.'.join(map(str, location))}: {reason}", hint=hint)


def columns_of(columns: str | tuple[str, ...]) -> tuple[str, ...]:
    """The columns of a factor."""
    return (columns,) if isinstance(columns, str) else columns


def matches(texts: Mapping[str, str], where: Where) -> bool:
    """Whether a row has all the wanted texts; nothing wanted matches no row."""
    return bool(where) and all(
        texts[column] == wanted if isinstance(wanted, str) else texts[column] in wanted
        for column, wanted in where.items()
    )
