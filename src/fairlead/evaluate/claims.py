"""Stated figures, and the readings that say what each of them is a figure of.

A file of claims is a JSON list of objects with ``dataset``, ``statement`` and ``published``. Statements are sentences;
a reading (TOML) gives, for each shape of sentence, what has to be computed. Its texts may use the names that its
pattern found, as ``{app}``.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from fairlead import config
from fairlead.errors import ConfigError

Levels = dict[str, str]
FigureName = Literal[
    "gain", "mean", "half width", "summary", "bars", "greatest gain", "all means below", "better in all"
]
READINGS = Path(__file__).with_name("readings")


class Computation(config.Model):
    """What has to be computed for a statement. Gains are in percent."""

    figure: FigureName
    """Figure that the statement gives."""
    of: Levels = Field(default_factory=dict)
    """Levels by factor that choose the cells of the figure."""
    against: Levels = Field(default_factory=dict)
    """Levels by factor that choose the cells compared with."""
    value: str | None = None
    """Measured value. Default: the data set's first."""
    data: str | None = None
    """Name of the evaluation. Default: the claim's data set."""
    each: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Lists that fill ``{name}`` in ``of`` and ``against``, in all combinations, for figures over many cells."""
    decimals: int | None = Field(default=None, ge=0)
    """Decimals of the printed figure; excludes ``digits``. Default: as many as the published number shows."""
    digits: int | None = Field(default=None, ge=1)
    """Significant digits of the printed figure; excludes ``decimals``."""
    stated: str | None = None
    """Definition of the half width that the document states, such as ``one standard error``."""
    table: str | None = None
    """Name of the document's table, to find the definition that fits most of its claims."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.decimals is not None and self.digits is not None:
            raise ValueError("decimals and digits exclude each other")
        return self

    def filled(self, found: Mapping[str, str]) -> "Computation":
        """The same with ``{name}`` replaced in levels and names."""
        changes: dict[str, Any] = {"of": fill(self.of, found), "against": fill(self.against, found)}
        for key in ("data", "value"):
            text = getattr(self, key)
            changes[key] = None if text is None else _fill(text, found)
        return self.model_copy(update=changes)

    def combinations(self) -> list[dict[str, str]]:
        """Every combination of the lists of ``each``; without lists one, empty."""
        return [dict(zip(self.each, levels, strict=True)) for levels in product(*self.each.values())]


class Reading(Computation):
    """A computation for all statements of a data set that match a regular expression.

    Texts may hold ``{name}`` of the expression's named groups.
    """

    dataset: str
    """Name of the data set."""
    statement: str
    """Regular expression that matches the whole statement."""

    @model_validator(mode="after")
    def _pattern(self) -> Self:
        try:
            re.compile(self.statement)
        except re.error as error:
            raise ValueError(f"statement: no regular expression: {error}") from error
        return self


class ReadingFile(config.Model):
    """A whole file of readings."""

    readings: tuple[Reading, ...] = Field(min_length=1)
    """Readings; the first that matches a statement is used."""


class Claim(BaseModel):
    """One stated figure. Unknown keys are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    dataset: str
    """Name of the data set."""
    statement: str = Field(min_length=1)
    """The statement, as a sentence."""
    published: Annotated[float | str | list[float], Field(union_mode="left_to_right")]
    """The published figure."""
    reproduces: bool | None = None
    """Whether somebody else could reproduce the figure; shown where the result differs."""
    computation: Computation | None = None
    """What has to be computed. Default: that of the first reading that matches."""


@dataclass(frozen=True)
class ReadClaim:
    """A claim with what has to be computed; None: no reading matches its statement."""

    claim: Claim
    computation: Computation | None


def load(path: Path) -> list[Claim]:
    """Read a file of claims.

    Raises:
        ConfigError: it cannot be read, is no JSON, or an entry is no claim.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise ConfigError(f"{path}: is no JSON: {error}") from error
    try:
        claims = TypeAdapter(list[Claim]).validate_python(data)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ConfigError(
            f"{path}: {place or 'file'}: {first['msg']}", hint="a list of claims: docs/reference/files/claims.md"
        ) from error
    if not claims:
        raise ConfigError(f"{path}: holds no claim")
    return claims


def readings(path: Path | None = None) -> list[Reading]:
    """The readings of a file; None: those that come with fairlead, for the documents that it knows."""
    files = [path] if path is not None else sorted(READINGS.glob("*.toml"))
    return [reading for file in files for reading in config.load(file, ReadingFile).readings]


def read(claims: Sequence[Claim], known: Sequence[Reading]) -> list[ReadClaim]:
    """Each claim with its computation: its own, or that of the first reading that matches its whole statement."""
    return [ReadClaim(claim, claim.computation or _computation(claim, known)) for claim in claims]


def _computation(claim: Claim, known: Sequence[Reading]) -> Computation | None:
    for reading in known:
        match = re.fullmatch(reading.statement, claim.statement) if reading.dataset == claim.dataset else None
        if match:
            return reading.filled(match.groupdict())
    return None


def fill(levels: Mapping[str, str], found: Mapping[str, str]) -> Levels:
    """Levels with ``{name}`` replaced by what was found; names that are not known stay for later."""
    return {factor: _fill(level, found) for factor, level in levels.items()}


def _fill(text: str, found: Mapping[str, str]) -> str:
    for name, value in found.items():
        text = text.replace("{" + name + "}", value)
    return text
