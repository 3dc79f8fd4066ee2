"""What comes out with the rows that were set aside, beside what comes out without them."""

from collections.abc import Mapping
from dataclasses import dataclass

from fairlead.analysis.evaluations import dataset
from fairlead.analysis.evaluations.configuration_pair import ConfigurationPair
from fairlead.analysis.evaluations.dataset import EXCLUDED, IMPUTED, ROWS, Dataset, Levels
from fairlead.store import Store

Key = tuple[Levels, Levels]
"""Levels of the cells of a pair."""


@dataclass(frozen=True)
class Alternative:
    """An analysis in which some of the rows that were set aside count.

    Attributes:
        kinds: which, `IMPUTED` or `EXCLUDED` or both.
        rows: how many rows they are, by the levels of their cells.
        pairs: comparisons with the baseline, by the levels of the cells.
    """

    kinds: tuple[str, ...]
    rows: Mapping[Levels, int]
    pairs: Mapping[Key, ConfigurationPair]

    @property
    def words(self) -> str:
        """For people: "with imputed and excluded rows"."""
        return f"with {' and '.join(self.kinds)} rows"


def kinds_of(data: Dataset) -> tuple[str, ...]:
    """Kinds of rows that were set aside at the import."""
    counts = data.record.facts.get("aside") or {}
    return tuple(kind for kind in (IMPUTED, EXCLUDED) if counts.get(kind))


def with_rows(store: Store, data: Dataset, kinds: tuple[str, ...]) -> Dataset:
    """The same value with these rows."""
    return dataset.load(store, data.record, data.series, kinds)


def count(store: Store, data: Dataset, kinds: tuple[str, ...]) -> dict[Levels, int]:
    """Samples of these kinds of rows by the levels of their cells."""
    samples = store.series_of_children(data.record.id, data.series)
    found: dict[Levels, int] = {}
    for run in data.rows:
        levels = tuple(run.labels[factor] for factor in data.factors)
        for series in samples.get(run.id, ()):
            if series.labels.get(ROWS) in kinds:
                found[levels] = found.get(levels, 0) + int(series.values.size)
    return found
