"""Stated figures, and the readings that say what each of them is a figure of.

A file of claims is a JSON list of objects with ``dataset``, ``statement`` and ``published``. Statements are sentences;
a reading (TOML) gives, for each shape of sentence, what has to be computed. Its texts may use the names that its
pattern found, as ``{app}``.
"""

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StrictFloat,
    StrictInt,
    StrictStr,
    ValidationError,
    model_validator,
)

from fairlead import config, config_mistakes, located_json
from fairlead.errors import ConfigError, reason_of
from fairlead.published.computation import Computation, Location, MistakeError

READINGS = Path(__file__).with_name("readings")
_HINT = "write a list of claims, such as examples/published/example_claims.json"
_Number = StrictInt | StrictFloat | StrictStr


class ComputationRule(Computation):
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

    readings: tuple[ComputationRule, ...] = Field(min_length=1)
    """Readings; the first that matches a statement is used."""


class Claim(BaseModel):
    """One stated figure. Unknown keys are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    dataset: Annotated[str, Field(min_length=1)]
    """Name of the data set."""
    statement: str = Field(min_length=1)
    """The statement, as a sentence."""
    published: StrictBool | _Number | list[_Number] | None = Field(default=None, union_mode="left_to_right")
    """The published figure. Left out, or true or false, where the statement gives no number."""
    reproduces: bool | None = None
    """Whether somebody else could reproduce the figure; shown where the result differs."""
    computation: Computation | None = None
    """What has to be computed. Default: that of the first reading that matches."""


@dataclass(frozen=True)
class ClaimMistake:
    """Why a claim cannot be read, and where that stands."""

    source: str
    line: int
    key: str
    reason: str
    statement: str = ""

    def __str__(self) -> str:
        return f"{self.source}:{self.line}: {self.key}: {self.reason}"


@dataclass(frozen=True)
class ClaimLocation:
    """Where a claim stands in a file: `mistake` says what is wrong with a key of it."""

    source: str
    number: int
    text: located_json.Located

    def mistake(self, key: Location, reason: str, statement: str = "") -> ClaimMistake:
        """A mistake at a key of this claim; its line is that of the nearest key around it that is written."""
        at = (self.number, *key)
        return ClaimMistake(self.source, self.text.line_of(at), key_words(at), reason, statement)


@dataclass(frozen=True)
class ReadClaim:
    """A claim with what has to be computed; None: no reading matches its statement."""

    claim: Claim
    computation: Computation | None
    place: ClaimLocation | None = None

    def mistake(self, error: MistakeError) -> ClaimMistake:
        """What is wrong with it."""
        if self.place is None:
            return ClaimMistake("claim", 1, key_words(error.key), error.reason, self.claim.statement)
        return self.place.mistake(error.key, error.reason, self.claim.statement)


@dataclass(frozen=True)
class Claims:
    """A file of claims: those that can be read, with the place of each, and the mistakes in the others."""

    claims: tuple[Claim, ...]
    places: tuple[ClaimLocation | None, ...] = ()
    mistakes: tuple[ClaimMistake, ...] = field(default=())


def load(path: Path) -> Claims:
    """Read a file of claims. A claim with mistakes does not keep the others from being read.

    Raises:
        ConfigError: the file cannot be read, is no JSON, or is no list of claims.
    """
    located = _located(path)
    if not isinstance(located.data, list):
        raise ConfigError(f"{path}:1: file: must be a list of claims, in [ ]", hint=_HINT)
    if not located.data:
        raise ConfigError(f"{path}:1: file: holds no claim", hint=_HINT)
    claims: list[Claim] = []
    places: list[ClaimLocation] = []
    mistakes: list[ClaimMistake] = []
    for number, entry in enumerate(located.data):
        place = ClaimLocation(str(path), number, located)
        wrong = _mistakes(entry, place)
        if wrong:
            mistakes += wrong
            continue
        claims.append(Claim.model_validate(entry))
        places.append(place)
    return Claims(tuple(claims), tuple(places), tuple(mistakes))


def readings(path: Path | None = None) -> list[ComputationRule]:
    """The readings of a file; None: those that come with fairlead, for the documents that it knows."""
    files = [path] if path is not None else sorted(READINGS.glob("*.toml"))
    return [reading for file in files for reading in config.load(file, ReadingFile).readings]


def read(stated: Claims | Sequence[Claim], known: Sequence[ComputationRule]) -> list[ReadClaim]:
    """Each claim with its computation: its own, or that of the first reading that matches its whole statement."""
    claims, places = (stated.claims, stated.places) if isinstance(stated, Claims) else (stated, ())
    at: Sequence[ClaimLocation | None] = places or [None] * len(claims)
    return [
        ReadClaim(claim, claim.computation or _computation(claim, known), place)
        for claim, place in zip(claims, at, strict=True)
    ]


def key_words(location: Location) -> str:
    """A location as it is written in messages."""
    return located_json.key_words(location) or "file"


def _located(path: Path) -> located_json.Located:
    try:
        return located_json.parse(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {reason_of(error)}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: is not UTF-8 text: {error}") from error
    except located_json.NoJsonError as error:
        raise ConfigError(f"{path}:{error.line}: is not JSON: {error.reason}", hint=_HINT) from error


def _mistakes(entry: Any, place: ClaimLocation) -> list[ClaimMistake]:
    if not isinstance(entry, dict):
        return [place.mistake((), "must be an object, in { }")]
    statement = str(entry.get("statement", ""))
    found = [
        place.mistake(at[1:], "stands twice in the same object", statement)
        for at in place.text.doubled
        if at[0] == place.number
    ]
    found += [place.mistake((key,), reason, statement) for key, reason in _misspelt(entry)]
    try:
        Claim.model_validate(entry)
    except ValidationError as error:
        told: dict[Location, list[str]] = {}
        for item in config_mistakes.without_consequences(error.errors(), entry):
            names_key = item["type"] in ("missing", "extra_forbidden")
            at = _written(item["loc"], entry, names_key)
            key, named = _named_key(at, config_mistakes.describe(item, Claim))
            told.setdefault(key, []).append(named)
        found += [place.mistake(key, " or ".join(dict.fromkeys(each)), statement) for key, each in told.items()]
    return found


def _misspelt(entry: dict[str, Any]) -> list[tuple[str, str]]:
    """Keys that are nearly those of a claim. Others are notes of whoever wrote the file."""
    known = list(Claim.model_fields)
    found = []
    for key in entry:
        near = difflib.get_close_matches(key, known, n=1, cutoff=0.8)
        if key not in known and near and near[0] not in entry:
            found.append((key, f"unknown key `{key}` (did you mean `{near[0]}`?)"))
    return found


def _written(location: Location, data: Any, names_key: bool) -> Location:
    """A location without the names by which pydantic tells members of a union: they stand in no file.

    Args:
        names_key: the last part is a key even where the file does not have it.
    """
    kept: list[str | int] = []
    for place, part in enumerate(location):
        is_key = names_key and place == len(location) - 1
        if isinstance(data, dict) and (part in data or is_key):
            data = data.get(part)
        elif isinstance(data, list) and isinstance(part, int) and part < len(data):
            data = data[part]
        elif not isinstance(data, dict | list):
            break
        else:
            continue
        kept.append(part)
    return tuple(kept)


def _named_key(at: Location, reason: str) -> tuple[Location, str]:
    """A complaint of a whole computation begins with the key that it is about."""
    key, colon, rest = reason.partition(": ")
    if at == ("computation",) and colon and key in Computation.model_fields:
        return (*at, key), rest
    return at, reason


def _computation(claim: Claim, known: Sequence[ComputationRule]) -> Computation | None:
    for reading in known:
        match = re.fullmatch(reading.statement, claim.statement) if reading.dataset == claim.dataset else None
        if match:
            return reading.filled({name: text for name, text in match.groupdict().items() if text is not None})
    return None
