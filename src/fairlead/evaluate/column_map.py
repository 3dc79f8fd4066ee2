"""The map that says which column of a foreign file is which factor and value."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from pydantic import Field, field_validator

from fairlead import config
from fairlead.config import Model
from fairlead.errors import ConfigError
from fairlead.evaluate.dataset import BLOCK, REPLICATION
from fairlead.evaluate.settings import Report
from fairlead.store.series import SUFFIX_UNITS, UNITS

Location = tuple[str | int, ...]
Where = dict[str, str | tuple[str, ...]]
"""Columns with the texts that a row must have there: one, or one of several."""
_NAME = r"[A-Za-z0-9_][A-Za-z0-9_.+-]*"
_OWN_LABELS = (BLOCK, REPLICATION, "attempt", "cluster", "group")


class DatasetTable(Model):
    """``[dataset]``: its name in the store, and where the numbers come from.

    ``replicate`` names the column that numbers the runs of a cell. ``equal_rows = "keep"`` says that rows which are
    alike in every column are samples of their own.
    """

    name: str = Field(min_length=1)
    source: str = ""
    missing: tuple[str, ...] = ()
    replicate: str | None = None
    equal_rows: Literal["refuse", "keep"] = "refuse"


class ValueColumn(Model):
    """One ``[values.NAME]``: a column of samples. Stored is ``scale`` times what stands there, in ``unit``."""

    column: str
    unit: str
    scale: float = Field(default=1.0, gt=0, allow_inf_nan=False)

    @field_validator("unit")
    @classmethod
    def _known(cls, unit: str) -> str:
        known = [each for each in UNITS if each not in ("bool", "index")]
        if unit not in known:
            raise ValueError(f"must be one of {', '.join(known)}, not {unit!r}; `scale` converts others")
        return unit


class ColumnMap(Model):
    """A whole map.

    Attributes:
        factors: names with the column of each, or with several columns that make one level together.
        where: keeps rows with these texts only.
        imputed_where, exclude_where: rows that are set aside: values that were filled in, rows that shall not count.
        empty: the level of an empty cell.
    """

    dataset: DatasetTable
    factors: dict[str, str | tuple[str, ...]] = Field(min_length=1)
    values: dict[str, ValueColumn] = Field(min_length=1)
    where: Where = Field(default_factory=dict)
    imputed_where: Where = Field(default_factory=dict)
    exclude_where: Where = Field(default_factory=dict)
    empty: str = Field(default="none", min_length=1)
    report: Report = Report()

    @field_validator("factors")
    @classmethod
    def _factor_names(cls, factors: dict[str, str | tuple[str, ...]]) -> dict[str, str | tuple[str, ...]]:
        for name, columns in factors.items():
            if name in _OWN_LABELS:
                raise ValueError(f"{name!r} is no name for a factor: fairlead uses it itself")
            if re.fullmatch(_NAME, name) is None:
                raise ValueError(f"{name!r} is no name for a factor: use letters, digits and _ . + -")
            if not columns or not all(columns_of(columns)):
                raise ValueError(f"{name} names no column")
        return factors

    @field_validator("values")
    @classmethod
    def _value_names(cls, values: dict[str, ValueColumn]) -> dict[str, ValueColumn]:
        for name in values:
            if re.fullmatch(_NAME, name) is None:
                raise ValueError(f"{name!r} is no name for a value: use letters, digits and _ . + -")
        return values

    def units_that_names_deny(self) -> Mapping[Location, str]:
        """Values whose name ends with another unit than theirs, by the key of the unit, and what is wrong."""
        return {
            ("values", name, "unit"): f"{name} ends with {suffix}: its unit must be {unit!r}, not {value.unit!r}"
            for name, value in self.values.items()
            for suffix, unit in SUFFIX_UNITS.items()
            if name.endswith(suffix) and value.unit != unit
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
