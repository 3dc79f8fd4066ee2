"""What has to be computed for a stated figure, as claims and readings write it (docs/reference/files/claims.md)."""

import difflib
from collections.abc import Mapping
from itertools import product
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from fairlead import config
from fairlead.analysis.evaluations import half_widths
from fairlead.analysis.evaluations.quantities import CELL_QUANTITIES, PAIR_QUANTITIES

Location = tuple[str | int, ...]
ANY = "*"
"""Stands for all levels of a factor."""
GROUP = "group"
"""A factor of its own where the data have none of this name: the groups of the map's ``[report]``."""


def _as_text(level: Any) -> Any:
    """Text or number."""
    if isinstance(level, bool) or not isinstance(level, int | float):
        return level
    return str(int(level)) if float(level).is_integer() else repr(level)


Level = Annotated[str, BeforeValidator(_as_text)]
Levels = dict[str, Level | tuple[Level, ...]]
Over = Literal["mean", "median", "greatest", "least", "range", "every", "count", "share", "grows", "falls", "order"]
Relation = Literal["is", "about", "at most", "at least", "below", "above", "between"]
Counted = Literal["gained", "lost", "faster", "slower", "no difference", "above", "below", "better runs"]
By = Literal["test", "means", "bars"]

WORDS = ("faster", "slower", "no difference")
"""Figures that are verdicts on pairs of cells."""
SHORT: dict[str, dict[str, Any]] = {
    "greatest gain": {"figure": "gain", "over": "greatest"},
    "least gain": {"figure": "gain", "over": "least"},
    "mean gain": {"figure": "gain", "over": "mean"},
    "median gain": {"figure": "gain", "over": "median"},
    "range of gains": {"figure": "gain", "over": "range"},
    "all gain": {"figure": "gain", "over": "every", "relation": "above"},
    "all lose": {"figure": "gain", "over": "every", "relation": "below"},
    "all means below": {"figure": "mean", "over": "greatest", "relation": "below"},
    "better in all": {"figure": "gain", "over": "count", "counted": "gained"},
}
"""Figures that stand for others with more said."""
OWN = ("half width", "summary", "bars", "order")
"""Figures that are computed in a way of their own."""
FIGURES = (*PAIR_QUANTITIES, *CELL_QUANTITIES, *WORDS, *OWN, *SHORT)
OF_PAIRS = (*PAIR_QUANTITIES, *WORDS, "bars")


class MistakeError(Exception):
    """One claim cannot be read as it stands: ``key`` within it, and what is wrong with the way out."""

    def __init__(self, key: Location, reason: str) -> None:
        super().__init__(reason)
        self.key = key
        self.reason = reason


class Computation(config.Model):
    """What has to be computed for a statement. Gains are in percent."""

    figure: str
    """Figure that the statement gives, such as ``gain`` or ``mean``; the guide to published results lists all."""
    of: Levels = Field(default_factory=dict)
    """Levels by factor that choose cells: one, a list, or ``*`` for all. A factor that is not named may have
    any level."""
    against: Levels = Field(default_factory=dict)
    """Levels by factor of the cells compared with; other factors are as in ``of``."""
    over: Over | None = None
    """How many numbers are reduced to one. Default: there must be one cell, or one pair of cells."""
    average_over: Literal["*"] | tuple[str, ...] = ()
    """Factors over which numbers are averaged before ``over``; ``*``: all."""
    relation: Relation = "is"
    """Relation that the computed number must have to the published one."""
    at: dict[str, Level] = Field(default_factory=dict)
    """Levels by factor at which the greatest or the least must occur."""
    along: str | None = None
    """Factor that a number grows or falls with, or whose levels are ranked."""
    counted: Counted | None = None
    """What ``count`` and ``share`` count."""
    bound: float | None = Field(default=None, allow_inf_nan=False)
    """Number for ``above`` and ``below``."""
    by: By = "test"
    """How to judge what is faster: Welch's test after Holm, means alone, or bars of three standard errors."""
    within: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    """Tolerance of ``about``, in the published unit."""
    unit: str | None = None
    """Unit of the published number. Default: percent of shares, else the unit of the data."""
    value: str | None = None
    """Measured value. Default: the data set's first."""
    data: str | None = None
    """Name of the evaluation. Default: the claim's data set."""
    no_data: str | None = Field(default=None, min_length=1)
    """Why the data lack these levels, this value or data set. Without it an unknown name is a mistake."""
    each: dict[str, tuple[Level, ...]] = Field(default_factory=dict)
    """Lists that fill ``{name}`` in ``of`` and ``against``, in all combinations."""
    decimals: int | None = Field(default=None, ge=0)
    """Decimals of the printed figure; excludes ``digits``. Default: as many as the published number shows."""
    digits: int | None = Field(default=None, ge=1)
    """Significant digits of the printed figure; excludes ``decimals``."""
    stated: str | None = None
    """Definition of the half width that the document states, such as ``one standard error``."""
    table: str | None = None
    """Name of the document's table, to find the definition that fits most of its claims."""

    @model_validator(mode="before")
    @classmethod
    def _written_out(cls, data: Any) -> Any:
        """A short figure with what it stands for; what is said beside it wins."""
        figure = data.get("figure") if isinstance(data, dict) else None
        return {**SHORT[figure], **data, "figure": SHORT[figure]["figure"]} if figure in list(SHORT) else data

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.figure not in FIGURES:
            near = difflib.get_close_matches(self.figure, FIGURES, n=1)
            meant = f" (did you mean {near[0]!r}?)" if near else ""
            raise ValueError(f"figure: {self.figure!r} is unknown{meant}; known are {', '.join(FIGURES)}")
        if self.stated is not None and self.stated not in half_widths.DEFINITIONS:
            raise ValueError(f"stated: {self.stated!r} is unknown; known are {', '.join(half_widths.DEFINITIONS)}")
        for wrong, reason in self._conflicts():
            if wrong:
                raise ValueError(reason)
        return self

    def _conflicts(self) -> list[tuple[bool, str]]:
        of_pairs = self.figure in OF_PAIRS
        needs_along = self.figure == "order" or self.over in ("grows", "falls", "order")
        counts = self.over in ("count", "share")
        with_bound = self.counted in ("above", "below")
        judged = self.figure in WORDS or (counts and self.counted in WORDS)
        plain = self.figure in PAIR_QUANTITIES or self.figure in CELL_QUANTITIES
        return [
            (self.decimals is not None and self.digits is not None, "decimals and digits exclude each other"),
            (of_pairs and not self.against, f"against: is missing: name what the {self.figure} is relative to"),
            (not of_pairs and bool(self.against), f"against: the figure {self.figure} has no base; omit it"),
            (not plain and self.over is not None, f"over: the figure {self.figure} has none; omit it"),
            (needs_along and self.along is None, "along: is missing: name the factor"),
            (
                not needs_along and self.along is not None,
                "along: goes with over = grows, falls or order, or with the figure order",
            ),
            (bool(self.at) and self.over not in ("greatest", "least"), "at: goes with over = greatest or least"),
            (counts and self.counted is None and not of_pairs, "counted: is missing: above or below, with a bound"),
            (self.counted is not None and not counts, "counted: goes with over = count or share"),
            (
                with_bound != (self.bound is not None),
                "bound: goes with counted = above or below, and is required there",
            ),
            (
                self.counted is not None and not with_bound and not of_pairs,
                f"counted: {self.counted} is of gains; of the figure {self.figure} count above or below a bound",
            ),
            ((self.relation == "about") != (self.within is not None), "within: goes with relation = about"),
            (judged and bool(self.average_over), "average_over: what is faster is judged cell by cell; use gain"),
            (self.counted == "better runs" and bool(self.average_over), "average_over: runs are counted by cells"),
        ]

    @property
    def bound_of_words(self) -> float | None:
        """The number that "all gain" and "all lose" are held against; they state none."""
        return 0.0 if self.over == "every" and self.relation in ("above", "below") else None

    def filled(self, found: Mapping[str, str]) -> Self:
        """The same with ``{name}`` replaced in all texts but those that are one of a fixed list."""
        changes: dict[str, Any] = {key: fill(getattr(self, key), found) for key in ("of", "against", "at", "each")}
        for key in ("data", "value", "along", "unit", "no_data", "table"):
            text = getattr(self, key)
            changes[key] = None if text is None else _fill(text, found)
        if self.average_over != ANY:
            changes["average_over"] = tuple(_fill(factor, found) for factor in self.average_over)
        return self.model_copy(update=changes)

    def combinations(self) -> list[dict[str, str]]:
        """Every combination of the lists of ``each``; without lists one, empty."""
        return [dict(zip(self.each, levels, strict=True)) for levels in product(*self.each.values())]


def fill(levels: Mapping[str, str | tuple[str, ...]], found: Mapping[str, str]) -> Levels:
    """Levels with ``{name}`` replaced by what was found; names that are not known stay for later."""
    return {
        factor: _fill(level, found) if isinstance(level, str) else tuple(_fill(each, found) for each in level)
        for factor, level in levels.items()
    }


def _fill(text: str, found: Mapping[str, str]) -> str:
    for name, value in found.items():
        text = text.replace("{" + name + "}", value)
    return text
