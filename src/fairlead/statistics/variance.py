"""Analysis of variance of factorial plans, with an error stratum for what is set up once a block.

Sums of squares are type II: of a term, what it explains beyond all terms that do not contain it. Effects of whole-plot
factors are tested against the error between blocks, all others against the residual (Montgomery, "Design and Analysis
of Experiments", chapter 14). Where there are whole plots, effects of their factors are taken beyond the blocks, and all
others beyond the plots in their blocks: else, where cells are missing, what plots differ by would pass for an effect.
Factors whose levels go with each other one to one are one factor of the table.

Where plots differ in their samples, too, an effect and the error between blocks hold different multiples of the plots'
variance. The error is then put together from that between blocks and the residual so that the multiples agree, its
degrees of freedom after Satterthwaite ("An Approximate Distribution of Estimates of Variance Components", 1946).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import numpy.typing as npt
from scipy import stats

from fairlead.errors import StatisticsError
from fairlead.statistics.estimates import FloatArray

MOST_COLUMNS = 200
"""Terms with more degrees of freedom are left out of the table: no reader asks for them, and they take minutes."""

_DEPENDENT = 1e-10

BETWEEN, RESIDUAL = "between blocks", "residual"

Term = tuple[int, ...]
"""Numbers of the factors of an effect: one of a main effect, two of an interaction."""


@dataclass(frozen=True)
class AnovaLine:
    """One line of the table. ``share``: of the total sum of squares. ``p`` is None where there is no error to test by.

    Attributes:
        error: what it was tested against, `BETWEEN` or `RESIDUAL`; empty for errors themselves.
    """

    name: str
    degrees: int
    squares: float
    share: float
    f: float | None = None
    p: float | None = None
    error: str = ""


@dataclass(frozen=True)
class CellSums:
    """Samples by cell and block, as sums: shape (k,) each, ``levels`` (k, factors) as numbers from 0.

    Attributes:
        n, means, squares: samples, their mean, and their squared deviations from it.
        blocks: number of the block.
        whole_plot: numbers of the factors that are set up once a block; empty: there is no such stratum.
    """

    factors: tuple[str, ...]
    levels: "np.ndarray[tuple[int, int], np.dtype[np.int64]]"
    n: FloatArray
    means: FloatArray
    squares: FloatArray
    blocks: "np.ndarray[tuple[int], np.dtype[np.int64]]"
    whole_plot: tuple[int, ...] = ()


def analyse(samples: CellSums) -> list[AnovaLine]:
    """The table: effects, then the errors.

    Raises:
        StatisticsError: no factor has two levels, or there are no degrees of freedom left for an error.
    """
    samples = _joined(samples)
    varied = [k for k in range(len(samples.factors)) if len(np.unique(samples.levels[:, k])) > 1]
    if not varied:
        raise StatisticsError("an analysis of variance needs a factor with two levels")
    model = _Model(samples)
    terms: list[Term] = [(k,) for k in varied] + list(combinations(varied, 2))
    terms = [term for term in terms if model.degrees(term) <= MOST_COLUMNS]
    grand = float(np.average(samples.means, weights=samples.n))
    total = float((samples.n * (samples.means - grand) ** 2).sum() + samples.squares.sum())
    if total <= 0:
        raise StatisticsError("an analysis of variance needs scatter, all samples are the same")
    strata = model.strata(terms)
    if strata[RESIDUAL].degrees <= 0:
        raise StatisticsError("there are no degrees of freedom left for an error", hint="add replications")
    effects = []
    for term in terms:
        part = model.explained(term, terms)
        if part.degrees == 0:  # other terms say the same: a fraction, or a factor that follows from several others
            continue
        name = " × ".join(samples.factors[k] for k in term)
        between = strata.get(BETWEEN) if model.is_of_plots(term) else None
        if between is None:
            effects.append(_tested(name, part, total, RESIDUAL, strata[RESIDUAL]))
        else:
            effects.append(_tested(name, part, total, BETWEEN, _matched(between, strata[RESIDUAL], part)))
    errors = [AnovaLine(name, int(part.degrees), part.squares, part.squares / total) for name, part in strata.items()]
    return effects + errors


def _joined(samples: CellSums) -> CellSums:
    """Factors whose levels go with each other one to one are one: the samples cannot tell their effects apart."""
    kinds = [np.unique(column, return_inverse=True)[1] for column in samples.levels.T]
    groups: list[list[int]] = []
    for k, levels in enumerate(kinds):
        alike = (each for each in groups if _one_to_one(kinds[each[0]], levels))
        group = next(alike, None)
        if group is None or (group[0] in samples.whole_plot) != (k in samples.whole_plot):
            groups.append([k])
        else:
            group.append(k)
    firsts = [group[0] for group in groups]
    return replace(
        samples,
        factors=tuple(" with ".join(samples.factors[k] for k in group) for group in groups),
        levels=samples.levels[:, firsts],
        whole_plot=tuple(number for number, first in enumerate(firsts) if first in samples.whole_plot),
    )


def _one_to_one(one: "npt.NDArray[np.signedinteger]", other: "npt.NDArray[np.signedinteger]") -> bool:
    number = len(np.unique(one))
    return 1 < number == len(np.unique(other)) == len(np.unique(np.column_stack([one, other]), axis=0))


@dataclass(frozen=True)
class _Part:
    """A sum of squares. Expected of it: ``degrees`` times the samples' variance, ``plots`` times that of plots."""

    squares: float
    degrees: float
    plots: float = 0.0

    @property
    def mean(self) -> float:
        return self.squares / self.degrees


def _tested(name: str, part: _Part, total: float, error: str, against: _Part) -> AnovaLine:
    degrees, share = int(part.degrees), part.squares / total
    if against.degrees <= 0 or against.squares <= 0:
        return AnovaLine(name, degrees, part.squares, share, error=error)
    f = part.mean / against.mean
    return AnovaLine(name, degrees, part.squares, share, f, float(stats.f.sf(f, degrees, against.degrees)), error)


def _matched(between: _Part, residual: _Part, effect: _Part) -> _Part:
    """The error between blocks with as much of the plots' variance as the effect holds; the same where all is balanced.

    It is never taken for less than the error between blocks if the effect holds more of that variance.
    """
    if between.degrees <= 0 or between.plots <= 0:
        return between
    multiple = (effect.plots / effect.degrees) / (between.plots / between.degrees)
    of_plots, of_samples = multiple * between.mean, (1 - multiple) * residual.mean
    if multiple >= 1:
        mean = max(of_plots + of_samples, between.mean)
        return _Part(mean * between.degrees, between.degrees)
    mean = of_plots + of_samples
    scatter = of_plots**2 / between.degrees + of_samples**2 / residual.degrees
    degrees = mean**2 / scatter if scatter > 0 else between.degrees
    return _Part(mean * degrees, degrees)


@dataclass(frozen=True)
class _Fit:
    """Residual squares between the means, the rank, and how much of the plots' variance the columns take up."""

    squares: float
    rank: int
    plots: float

    def beyond(self, less: "_Fit") -> _Part:
        """What these columns explain that ``less``, a part of them, does not."""
        return _Part(less.squares - self.squares, self.rank - less.rank, self.plots - less.plots)


class _Model:
    """Least squares on the means of cells and blocks, weighted by their samples: the same as on the samples."""

    def __init__(self, samples: CellSums) -> None:
        self._samples = samples
        self._weights = np.sqrt(samples.n)
        self._columns: dict[Term, FloatArray] = {}
        self._fitted: dict[tuple[str, frozenset[Term]], _Fit] = {}
        self._bases = {"mean": np.ones((len(samples.n), 1))}
        self._has_plots = bool(samples.whole_plot) and len(np.unique(samples.blocks)) > 1
        if self._has_plots:
            plots = np.column_stack([samples.blocks, samples.levels[:, list(samples.whole_plot)]])
            self._bases["blocks"] = self._dummies(np.unique(samples.blocks, return_inverse=True)[1])
            self._bases["plots"] = self._dummies(np.unique(plots, axis=0, return_inverse=True)[1].reshape(-1))

    def degrees(self, term: Term) -> int:
        """Degrees of freedom of a term if all its levels are crossed."""
        product = 1
        for k in term:
            product *= len(np.unique(self._samples.levels[:, k])) - 1
        return product

    def is_of_plots(self, term: Term) -> bool:
        """Whether all factors of a term are set up once a block."""
        return set(term) <= set(self._samples.whole_plot)

    def explained(self, term: Term, terms: Sequence[Term]) -> _Part:
        """Type II sum of squares of a term, beyond the blocks or the plots where there are any."""
        base = "mean" if not self._has_plots else "blocks" if self.is_of_plots(term) else "plots"
        others = [each for each in terms if not set(term) <= set(each)]
        return self._fit(base, [*others, term]).beyond(self._fit(base, others))

    def strata(self, terms: Sequence[Term]) -> dict[str, _Part]:
        """The errors, by name."""
        samples = self._samples
        nothing = self._fit("mean", [])
        full = self._fit("plots" if self._has_plots else "mean", terms)
        residual = _Part(full.squares + float(samples.squares.sum()), float(samples.n.sum()) - full.rank)
        if not self._has_plots:
            return {RESIDUAL: residual}
        return {
            "blocks": self._fit("blocks", []).beyond(nothing),
            BETWEEN: full.beyond(self._fit("blocks", terms)),
            RESIDUAL: residual,
        }

    def _fit(self, base: str, terms: Sequence[Term]) -> _Fit:
        """Fit the columns of a base and of terms; what plots take up already is left out."""
        used = [term for term in terms if base != "plots" or not self.is_of_plots(term)]
        name = base, frozenset(used)
        if name not in self._fitted:
            self._fitted[name] = self._fit_columns(np.column_stack([self._bases[base], *map(self._of, used)]))
        return self._fitted[name]

    def _fit_columns(self, columns: FloatArray) -> _Fit:
        target = self._samples.means * self._weights
        weighted = columns * self._weights[:, None]
        # By the normal equations: ten times as fast as a decomposition of the columns, which are coded and so well
        # conditioned. What is dependent has eigenvalues of nothing but rounding.
        values, vectors = np.linalg.eigh(weighted.T @ weighted)
        kept = values > values[-1] * _DEPENDENT
        along = vectors[:, kept]
        solution = along @ ((along.T @ (weighted.T @ target)) / values[kept])
        rest = target - weighted @ solution
        taken = 0.0
        if self._has_plots:  # the trace of Z'PZ, with Z the plots' columns and P the projection on these
            of_plots = along.T @ (weighted.T @ (self._bases["plots"] * self._weights[:, None]))
            taken = float((of_plots**2 / values[kept][:, None]).sum())
        return _Fit(float(rest @ rest), int(kept.sum()), taken)

    def _of(self, term: Term) -> FloatArray:
        """Columns of a term, coded so that they add up to nothing over its levels."""
        if term not in self._columns:
            columns = np.ones((len(self._samples.n), 1))
            for k in term:
                coded = self._coded(self._samples.levels[:, k])
                columns = (columns[:, :, None] * coded[:, None, :]).reshape(len(coded), -1)
            self._columns[term] = columns
        return self._columns[term]

    @staticmethod
    def _coded(levels: "np.ndarray[tuple[int], np.dtype[np.int64]]") -> FloatArray:
        dummies = _Model._dummies(np.unique(levels, return_inverse=True)[1])
        return dummies[:, :-1] - dummies[:, -1:]

    @staticmethod
    def _dummies(numbers: "np.ndarray[tuple[int], np.dtype[np.int64]]") -> FloatArray:
        return np.asarray(np.eye(int(numbers.max()) + 1)[numbers])
