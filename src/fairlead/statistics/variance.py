"""Analysis of variance of factorial plans, with an error stratum for what is set up once a block.

Sums of squares are type II: of a term, what it explains beyond all terms that do not contain it. Effects of whole-plot
factors are tested against the error between blocks, all others against the residual (Montgomery, "Design and Analysis
of Experiments", chapter 14).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy import stats

from fairlead.errors import StatisticsError
from fairlead.statistics.estimates import FloatArray

MOST_COLUMNS = 200
"""Terms with more degrees of freedom are left out of the table: no reader asks for them, and they take minutes."""

_DEPENDENT = 1e-10

Term = tuple[int, ...]
"""Numbers of the factors of an effect: one of a main effect, two of an interaction."""


@dataclass(frozen=True)
class Effect:
    """One line of the table. ``share``: of the total sum of squares. ``p`` is None where there is no error to test by.

    Attributes:
        error: what it was tested against: "between blocks" or "residual"; empty for errors themselves.
    """

    name: str
    degrees: int
    squares: float
    share: float
    f: float | None = None
    p: float | None = None
    error: str = ""


@dataclass(frozen=True)
class Samples:
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


def analyse(samples: Samples) -> list[Effect]:
    """The table: effects, then the errors.

    Raises:
        StatisticsError: no factor has two levels, or there are no degrees of freedom left for an error.
    """
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
    plots = [term for term in terms if set(term) <= set(samples.whole_plot)]
    strata = model.strata(terms, plots)
    residual = strata["residual"]
    if residual[1] <= 0:
        raise StatisticsError("there are no degrees of freedom left for an error", hint="add replications")
    effects = []
    for term in terms:
        squares, degrees = model.explained(term, terms)
        if degrees == 0:  # another term says the same: a fraction, or a factor that follows from others
            continue
        error = "between blocks" if term in plots and "between blocks" in strata else "residual"
        name = " × ".join(samples.factors[k] for k in term)
        effects.append(_tested(name, squares, degrees, total, error, strata[error]))
    errors = [Effect(name, int(d), s, s / total) for name, (s, d) in strata.items()]
    return effects + errors


def _tested(name: str, squares: float, degrees: int, total: float, error: str, stratum: tuple[float, float]) -> Effect:
    error_squares, error_degrees = stratum
    if error_degrees <= 0 or error_squares <= 0:
        return Effect(name, degrees, squares, squares / total, error=error)
    f = squares / degrees / (error_squares / error_degrees)
    return Effect(name, degrees, squares, squares / total, f, float(stats.f.sf(f, degrees, error_degrees)), error)


class _Model:
    """Least squares on the means of cells and blocks, weighted by their samples: the same as on the samples."""

    def __init__(self, samples: Samples) -> None:
        self._samples = samples
        self._weights = np.sqrt(samples.n)
        self._columns: dict[Term, FloatArray] = {}
        self._fitted: dict[frozenset[object], tuple[float, int]] = {}

    def degrees(self, term: Term) -> int:
        """Degrees of freedom of a term if all its levels are crossed."""
        product = 1
        for k in term:
            product *= len(np.unique(self._samples.levels[:, k])) - 1
        return product

    def explained(self, term: Term, terms: Sequence[Term]) -> tuple[float, int]:
        """Type II sum of squares and degrees of freedom."""
        others = [each for each in terms if not set(term) <= set(each)]
        without, with_it = self._fit(others), self._fit([*others, term])
        return without[0] - with_it[0], with_it[1] - without[1]

    def strata(self, terms: Sequence[Term], plots: Sequence[Term]) -> dict[str, tuple[float, float]]:
        """Squares and degrees of freedom of the errors, by name."""
        samples = self._samples
        pure = float(samples.squares.sum())
        blocks = samples.blocks if samples.whole_plot else np.zeros_like(samples.blocks)
        if not samples.whole_plot or len(np.unique(blocks)) < 2:
            squares, rank = self._fit(terms)
            return {"residual": (squares + pure, float(samples.n.sum()) - rank)}
        plot_of = samples.levels[:, list(samples.whole_plot)]
        plots_in_blocks = self._dummies(np.unique(np.column_stack([blocks, plot_of]), axis=0, return_inverse=True)[1])
        of_blocks = self._dummies(np.unique(blocks, return_inverse=True)[1])
        blocks_only = self._fit_columns(of_blocks)
        between = self._fit_columns(np.column_stack([of_blocks, *(self._of(term) for term in plots)]))
        within = self._fit_columns(plots_in_blocks)
        inner = [term for term in terms if term not in plots]
        full = self._fit_columns(np.column_stack([plots_in_blocks, *(self._of(term) for term in inner)]))
        none = self._fit([])
        return {
            "blocks": (none[0] - blocks_only[0], float(blocks_only[1] - none[1])),
            "between blocks": (between[0] - within[0], float(within[1] - between[1])),
            "residual": (full[0] + pure, float(samples.n.sum()) - full[1]),
        }

    def _fit(self, terms: Sequence[Term]) -> tuple[float, int]:
        name = frozenset(terms)
        if name not in self._fitted:
            ones = np.ones((len(self._samples.n), 1))
            self._fitted[name] = self._fit_columns(np.column_stack([ones, *(self._of(term) for term in terms)]))
        return self._fitted[name]

    def _fit_columns(self, columns: FloatArray) -> tuple[float, int]:
        """Residual squares between the means, and the rank."""
        target = self._samples.means * self._weights
        weighted = columns * self._weights[:, None]
        # By the normal equations: ten times as fast as a decomposition of the columns, which are coded and so well
        # conditioned. What is dependent has eigenvalues of nothing but rounding.
        values, vectors = np.linalg.eigh(weighted.T @ weighted)
        kept = values > values[-1] * _DEPENDENT
        along = vectors[:, kept]
        solution = along @ ((along.T @ (weighted.T @ target)) / values[kept])
        rest = target - weighted @ solution
        return float(rest @ rest), int(kept.sum())

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
