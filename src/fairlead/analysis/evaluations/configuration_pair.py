"""Two configurations of one case, held against each other."""

from dataclasses import dataclass

from fairlead.analysis.evaluations.dataset import DesignCell, Levels
from fairlead.statistics.estimates import Difference, Estimate

FASTER, SLOWER, ALIKE, UNKNOWN = "faster", "slower", "no significant difference", "too few samples"


@dataclass(frozen=True)
class ConfigurationPair:
    """Two configurations of one case; ``second`` is judged against ``first``.

    Attributes:
        case: levels of the factors that are the same for both.
        speed: gain in speed, base / t - 1 (of a rate: rate / base - 1); saved: share of time saved, (base - t) / base.
        difference: of means, second less first.
        by_blocks: the difference and the gains are of block means: what was set up varies from block to block.
        p_holm, p_fdr: adjusted for all pairs against the baseline, or for all other pairs, whichever this is one of.
        verdict: `FASTER` or `SLOWER` where ``p_holm`` is below one less the level; of these pairs together, not alone.
        delta, g: effect sizes, Cliff's and Hedges'.
        bars_overlap: the papers' rule.
        better_runs: single runs of ``second`` that beat the mean of ``first``.
        speed_value: the gain in speed, also where it has no interval; median_value: the same of medians.
    """

    case: Levels
    first: DesignCell
    second: DesignCell
    speed: Estimate | None
    saved: Estimate | None
    difference: Difference | None
    by_blocks: bool
    verdict: str
    p_holm: float | None
    p_fdr: float | None
    delta: float
    g: float | None
    bars_overlap: bool | None
    better_runs: int
    speed_value: float
    median_value: float | None = None

    @property
    def better(self) -> bool:
        """Whether the mean is better."""
        return self.speed_value > 0
