"""What is known of an evaluation: cells, gains of configurations over each other, groups, warnings."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from fairlead.analysis.evaluations.aggregation import ObservedNetworks
from fairlead.analysis.evaluations.aside import Alternative
from fairlead.analysis.evaluations.configuration_pair import ConfigurationPair
from fairlead.analysis.evaluations.cost import PriceSource
from fairlead.analysis.evaluations.dataset import Dataset, DesignCell, Levels
from fairlead.analysis.evaluations.losses import Loss
from fairlead.analysis.evaluations.managed_rows import Gain, ManagedCell
from fairlead.analysis.evaluations.notes import NO_NOTES, Notes
from fairlead.analysis.evaluations.settings import ReportSettings
from fairlead.statistics import variance
from fairlead.statistics.estimates import Estimate, standard_error


@dataclass(frozen=True)
class CellSummary:
    """One cell: mean and median with intervals, None below two samples.

    Where something was set up once a block both are of blocks, and None below two blocks.
    """

    cell: DesignCell
    failed: int
    mean: Estimate | None
    median: Estimate | None
    sd: float | None
    notes: Notes = NO_NOTES

    @property
    def centre(self) -> float:
        """The mean, of blocks where that is of blocks, also where it has no interval."""
        return self.cell.mean if self.mean is None else self.mean.value

    @property
    def bar(self) -> float | None:
        """Three standard errors: the papers' error bar."""
        return None if self.sd is None else 3 * standard_error(self.cell.values)


@dataclass(frozen=True)
class GroupGain:
    """The mean of a group's gains in speed at one configuration, as the papers average them.

    The interval covers the scatter of replicates in these very cells, not that of cells: other programs may gain
    otherwise. None: one run a cell.
    """

    group: str
    configuration: Levels
    cells: int
    value: float
    interval: Estimate | None


@dataclass(frozen=True)
class BetterShares:
    """Of a group (or all) at all configurations but the baseline: cells whose mean is better, and single runs."""

    group: str
    better_cells: int
    cells: int
    better_runs: int
    runs: int


@dataclass(frozen=True)
class Analysis:
    """Everything a report shows; see the classes."""

    data: Dataset
    report: ReportSettings
    level: float
    configurations: tuple[str, ...]
    baseline: Levels
    cases: tuple[str, ...]
    summaries: tuple[CellSummary, ...]
    pairs: tuple[ConfigurationPair, ...]
    other_pairs: tuple[ConfigurationPair, ...]
    groups: tuple[GroupGain, ...]
    shares: tuple[BetterShares, ...]
    effects: tuple[variance.AnovaLine, ...]
    no_effects: str
    warnings: tuple[str, ...]
    networks: ObservedNetworks = field(default_factory=ObservedNetworks)
    losses: tuple[Loss, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    managed: tuple[ManagedCell, ...] = ()
    managements: tuple[Gain, ...] = ()
    prices: PriceSource | None = None

    @cached_property
    def notes(self) -> Mapping[Levels, Notes]:
        """Notes on cells by their levels."""
        return {each.cell.levels: each.notes for each in self.summaries}

    def has_modes(self, pair: ConfigurationPair) -> bool:
        """Whether a cell of a pair has several modes."""
        return any(self.notes[cell.levels].modes is not None for cell in (pair.first, pair.second))

    def configuration_of(self, cell: DesignCell) -> Levels:
        """A cell's levels of the configurations' factors."""
        return tuple(cell.levels[self.data.place(name)] for name in self.configurations)
