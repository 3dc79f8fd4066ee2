"""Ratios, order statistics, many tests, diagnostics, analysis of variance: against closed forms and known examples."""

import math

import numpy as np
import pytest
from scipy import stats

from fairlead.errors import StatisticsError
from fairlead.statistics import blocks, diagnostics, estimates, modes, ratios, variance


def test_the_interval_of_a_ratio_is_fiellers():
    """By hand: means 10 and 5, variances of the means 1/3 and 1/12."""
    found = ratios.ratio_of_means([9, 10, 11], [4.5, 5, 5.5])
    va, vb, r = 1 / 3, 1 / 12, 2.0
    degrees = (va + r * r * vb) ** 2 / (va**2 / 2 + (r * r * vb) ** 2 / 2)
    t = stats.t.ppf(0.975, degrees)
    # The ends are the roots of (a - x b)^2 = t^2 (va + x^2 vb).
    roots = sorted(np.roots([25 - t * t * vb, -100, 100 - t * t * va]))
    assert (found.value, found.method, found.n) == (2.0, "Fieller", 3)
    assert [found.low, found.high] == pytest.approx(roots)
    unbounded = ratios.ratio_of_means([9, 10, 11], [0.1, 9, 3])
    assert (unbounded.low, unbounded.high) == (-math.inf, math.inf)
    with pytest.raises(StatisticsError, match="positive denominator"):
        ratios.ratio_of_means([1, 2], [-1, 1])


def test_fiellers_interval_covers_as_often_as_it_says():
    draw = np.random.default_rng(1)
    covered = 0
    for _ in range(2000):
        a, b = draw.normal(10, 1, 8), draw.normal(4, 0.6, 8)
        covered += ratios.ratio_of_means(a, b).contains(2.5)
    assert 0.94 <= covered / 2000 <= 0.965


def test_a_ratio_by_blocks_rests_on_the_blocks():
    found = ratios.ratio_by_blocks([2, 4, 6], [1, 2, 2])
    logs = np.log([2, 2, 3])
    half = stats.t.ppf(0.975, 2) * np.std(logs, ddof=1) / math.sqrt(3)
    assert found.value == 12 / 5
    assert [found.low, found.high] == pytest.approx([math.exp(logs.mean() - half), math.exp(logs.mean() + half)])
    with pytest.raises(StatisticsError, match="needs pairs"):
        ratios.ratio_by_blocks([1, 2], [1, 2, 3])


def test_a_ratio_without_scatter_is_as_sure_as_the_difference():
    """Of rounding to a clock as coarse as they differ by: on the logarithm the same share of the value either way."""
    for n in (2, 3, 4, 9):
        a, b = [0.02] * n, [0.03] * n
        apart = estimates.difference(b, a)
        share = (apart.estimate.high - apart.estimate.value) / 0.01
        assert share == pytest.approx(stats.t.ppf(0.975, n - 1) * math.sqrt(2 / n / 12))
        found, other = ratios.ratio_of_means(a, b), ratios.ratio_of_means(b, a)
        assert (found.value, found.n) == (pytest.approx(2 / 3), n)
        assert [found.low, found.high] == pytest.approx([(2 / 3) ** (1 + share), (2 / 3) ** (1 - share)])
        assert [other.low, other.high] == pytest.approx([1 / found.high, 1 / found.low])
        by_blocks = ratios.ratio_by_blocks(a, b)
        assert [by_blocks.low, by_blocks.high] == pytest.approx([found.low, found.high])
        for each in (found, other, by_blocks):
            assert each.contains(1.0) == (not apart.told_apart) == (n < 4)
    assert ratios.ratio_of_means([2, 2], [2, 2]).value == 1.0
    assert ratios.ratio_of_means([0, 0], [2, 2]).value == 0.0


def test_differences_of_blocks_without_scatter_make_no_ratio_sure():
    """A step of 0.01 s in each of three blocks that drift: their ratios scatter, but only by what the blocks drift."""
    a, b, numbers = np.array([10.0, 10.01, 10.05]), np.array([10.01, 10.02, 10.06]), [0, 1, 2]
    logs = np.log(b / a)
    half = stats.t.ppf(0.975, 2) * logs.mean() * math.sqrt(2 / 3 / 12)
    ends = [logs.mean() - half, logs.mean() + half]
    assert ends[0] < 0 < ends[1]
    by_blocks = ratios.ratio_by_blocks(b, a)
    assert [by_blocks.low, by_blocks.high] == pytest.approx(np.exp(ends).tolist())
    within = blocks.log_ratio_within(a, numbers, b, numbers)
    assert [within.low, within.high] == pytest.approx(ends)
    assert not estimates.paired_difference(a, b).told_apart
    assert not blocks.difference_within(a, numbers, b, numbers).told_apart
    scattered = ratios.ratio_by_blocks([2, 4, 6], [1, 3, 5])  # more than the clock explains: that stays
    logs = np.log([2, 4 / 3, 6 / 5])
    half = stats.t.ppf(0.975, 2) * np.std(logs, ddof=1) / math.sqrt(3)
    assert [scattered.low, scattered.high] == pytest.approx(
        [math.exp(logs.mean() - half), math.exp(logs.mean() + half)]
    )
    with pytest.raises(StatisticsError, match="positive"):
        blocks.log_ratio_within([0, 1], [0, 1], [1, 2], [0, 1])


def test_intervals_of_blocks_count_each_block_once():
    """Blocks of 3, 1 and 2 samples: means 2, 5 and 8, medians 1, 5 and 8."""
    values, numbers = [1, 1, 4, 5, 6, 10], [7, 7, 7, 0, 3, 3]
    assert blocks.of_each(values, numbers).tolist() == [5, 8, 2]  # by the number of the block
    mean, median = blocks.mean_of_blocks(values, numbers), blocks.median_of_blocks(values, numbers)
    half = stats.t.ppf(0.975, 2) * 3 / math.sqrt(3)
    assert (mean.value, mean.n, mean.method) == (5, 3, "Student t of blocks")
    assert [mean.low, mean.high] == pytest.approx([5 - half, 5 + half])
    half = stats.t.ppf(0.975, 2) * np.std([1, 5, 8], ddof=1) / math.sqrt(3)
    assert (median.value, median.n, median.method) == (5, 3, "Student t of blocks")
    assert [median.low, median.high] == pytest.approx([14 / 3 - half, 14 / 3 + half])
    many = blocks.median_of_blocks(range(20), np.arange(20) // 2)
    assert (many.low, many.high, many.method) == (2.5, 16.5, "order statistics of blocks")
    with pytest.raises(StatisticsError, match="2 samples and 1 blocks"):
        blocks.of_each([1, 2], [1])
    with pytest.raises(StatisticsError, match="needs 2 samples, there are 1"):
        blocks.mean_of_blocks([1, 2], [0, 0])


def test_intervals_of_blocks_cover_as_often_as_they_say():
    """Three blocks of ten samples that scatter as much as the blocks do."""
    draw = np.random.default_rng(1)
    numbers = np.repeat(range(3), 10)
    covered = {"blocks": 0, "samples": 0}
    for _ in range(1000):
        values = np.repeat(draw.normal(0, 1, 3), 10) + draw.normal(0, 1, 30)
        covered["blocks"] += blocks.mean_of_blocks(values, numbers).contains(0)
        covered["samples"] += estimates.mean_interval(values).contains(0)
    assert 930 <= covered["blocks"] <= 970
    assert covered["samples"] < 620  # why blocks are not ignored


def test_a_difference_within_blocks_is_that_of_the_additive_model():
    """Against least squares with a column a block; the block that holds one of both alone tells nothing."""
    first, second = [1.0, 2, 10, 20.5, 7], [3.0, 11, 13, 12, 21]
    of_first, of_second = [0, 0, 1, 2, 5], [0, 1, 1, 1, 2]
    found = blocks.difference_within(first, of_first, second, of_second)
    values, numbers = np.array([*first[:4], *second]), np.array([*of_first[:4], *of_second])
    columns = np.column_stack([np.eye(3)[numbers], [0.0] * 4 + [1.0] * 5])
    solution, squares, _, _ = np.linalg.lstsq(columns, values)
    error = math.sqrt(squares[0] / 5 * np.linalg.inv(columns.T @ columns)[3, 3])
    assert (found.degrees_of_freedom, found.estimate.n) == (5, 3)
    assert found.estimate.value == pytest.approx(solution[3])
    assert found.estimate.high - found.estimate.value == pytest.approx(stats.t.ppf(0.975, 5) * error)
    assert found.p == pytest.approx(2 * stats.t.sf(solution[3] / error, 5))
    pairs = blocks.difference_within([1, 2, 4], [0, 1, 2], [2, 5, 4.5], [2, 0, 1])
    assert pairs.p == pytest.approx(stats.ttest_rel([5, 4.5, 2], [1, 2, 4]).pvalue)
    with pytest.raises(StatisticsError, match="needs two blocks"):
        blocks.difference_within([1, 2], [0, 1], [1, 2], [0, 2])


@pytest.mark.parametrize(("n", "ends"), [(6, (0, 5)), (10, (1, 8)), (20, (5, 14)), (30, (9, 20))])
def test_the_interval_of_a_median_lies_between_order_statistics(n, ends):
    """The tabulated ranks, for example Conover, "Practical Nonparametric Statistics", table A3."""
    found = ratios.median_by_order(list(range(n)))
    assert (found.low, found.high, found.method) == (*ends, "order statistics")
    assert ratios.median_by_order([1, 2, 3, 4, 5]).method == "Student t"


def test_effect_sizes_and_false_discoveries():
    # Difference 2, common sd 1, 8 degrees of freedom.
    assert ratios.hedges_g([1, 2, 3, 2, 2], [3, 4, 5, 4, 4]) == pytest.approx(2 / math.sqrt(0.5) * (1 - 3 / 31))
    with pytest.raises(StatisticsError, match="scatter"):
        ratios.hedges_g([1, 1], [2, 2])
    p = [0.01, 0.04, 0.03, 0.005, 0.8]
    assert ratios.false_discovery_rate(p) == pytest.approx(list(stats.false_discovery_control(p)))
    assert ratios.false_discovery_rate([]) == []


def test_outliers_are_far_out():
    assert diagnostics.outliers([10, 11, 12, 11, 10, 12, 11, 30]).tolist() == [30]
    assert diagnostics.outliers([10, 11, 12, 11, 10, 12, 11, 14]).tolist() == []
    assert diagnostics.outliers([1, 1, 1, 1, 1, 1, 9]).tolist() == []  # no scatter to judge by


SHAPES = {
    "normal": lambda draw, n: draw.normal(10, 1, n),
    "uniform": lambda draw, n: draw.uniform(0, 1, n),
    "exponential": lambda draw, n: draw.exponential(1, n),
    "lognormal": lambda draw, n: draw.lognormal(0, 0.5, n),
    "Laplace": lambda draw, n: draw.laplace(0, 1, n),
    "t3": lambda draw, n: draw.standard_t(3, n),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n", [8, 10, 15, 30, 60])
def test_modes_have_the_stated_rate_of_false_alarms(shape, n):
    """Of 1500 cells with one mode no more than the stated 1 % are found, but for what chance allows once in 1000."""
    draw = np.random.default_rng(n)
    found = sum(modes.find(SHAPES[shape](draw, n)) is not None for _ in range(1500))
    assert found <= stats.binom.ppf(0.999, 1500, modes.FALSE_ALARMS)


@pytest.mark.parametrize("n", [10, 30])
def test_rounding_makes_no_modes(n):
    """Of times printed with one decimal whose scatter is hardly more than that, no more are found."""
    draw = np.random.default_rng(n)
    found = sum(modes.find(np.round(draw.normal(10, 0.2, n), 1), 0.1) is not None for _ in range(1500))
    assert found <= stats.binom.ppf(0.999, 1500, modes.FALSE_ALARMS)


@pytest.mark.parametrize(
    ("n", "share", "apart", "least"),
    [
        (10, 0.3, 25, 0.8),
        (12, 0.5, 20, 0.9),
        (30, 0.2, 12, 0.9),
        (30, 0.5, 8, 0.8),
        (100, 0.5, 5, 0.9),
        (300, 0.4, 5, 0.9),
    ],
)
def test_modes_that_stand_apart_are_found(n, share, apart, least):
    """``apart`` standard deviations of a mode between their means; at least so many of 100 cells are found."""
    draw = np.random.default_rng(n)
    few = round(share * n)
    cells = [np.r_[draw.normal(0, 1, n - few), draw.normal(apart, 1, few)] for _ in range(100)]
    found = [each for cell in cells if (each := modes.find(cell)) is not None]
    assert len(found) >= 100 * least
    right = [each for each in found if abs(each.high_n - few) <= 0.1 * n and abs(each.high - apart) < 1.5]
    assert len(right) >= 0.9 * len(found)


def test_modes_are_where_the_samples_are():
    draw = np.random.default_rng(7)
    found = modes.find(np.r_[draw.normal(10, 0.2, 20), draw.normal(15, 0.2, 10)])
    assert (round(found.low), round(found.high), found.low_n, found.high_n) == (10, 15, 20, 10)
    assert 11 < found.cut < 14
    assert modes.find([1, 1, 1, 9, 9, 9]) is None  # too few
    assert modes.find([2.0] * 30) is None
    assert modes.find([*np.linspace(1, 1.1, 20), 9.0]) is None  # an outlier is no mode


def test_the_dip_is_that_of_a_known_case():
    """Of equal steps the least that a distribution with one mode can be away; of two heaps a quarter of the samples."""
    assert modes.dip(np.arange(10.0)) == pytest.approx(1 / 20)
    two = np.r_[np.linspace(0, 0.001, 50), np.linspace(1, 1.001, 50)]
    assert modes.dip(two) == pytest.approx(0.25, abs=0.01)


def test_values_that_repeat_more_often_than_scatter_explains():
    draw = np.random.default_rng(3)
    measured = np.round(draw.normal(100, 1, 30), 2)
    assert diagnostics.repeated(measured) is None
    assert diagnostics.repeated(np.r_[measured[:24], [100.0] * 6]) == (100.0, 6)
    coarse = np.round(draw.normal(100, 1, 30))  # whole seconds: the same value many times is what it must be
    assert diagnostics.repeated(coarse) is None
    assert diagnostics.repeated([5.0] * 10) == (5.0, 10)


def samples(levels, blocks, groups, whole_plot=()):
    return variance.CellSums(
        tuple("abc"[: len(levels[0])]),
        np.array(levels),
        np.array([float(len(group)) for group in groups]),
        np.array([np.mean(group) for group in groups]),
        np.array([np.sum((np.array(group) - np.mean(group)) ** 2) for group in groups]),
        np.array(blocks),
        whole_plot,
    )


def test_factors_that_go_with_each_other_are_one() -> None:
    """Of b each level stands with one of a: what they explain is told once, and not left out."""
    draw = np.random.default_rng(4)
    means = {(0, 0): 1.0, (0, 1): 2.0, (1, 0): 3.0, (1, 1): 9.0}
    groups = [list(draw.normal(mean, 0.1, 5)) for mean in means.values()]
    crossed = variance.analyse(samples(list(means), [0] * 4, groups))
    confounded = variance.analyse(samples([(a, 1 - a, c) for a, c in means], [0] * 4, groups))
    assert [effect.name for effect in confounded] == ["a with b", "c", "a with b × c", "residual"]
    for one, other in zip(crossed, confounded, strict=True):
        assert (other.degrees, other.squares, other.p) == (one.degrees, pytest.approx(one.squares), one.p)
    assert sum(effect.share for effect in confounded) == pytest.approx(1.0)


def test_one_factor_is_the_classical_analysis():
    groups = [[6.9, 5.4, 5.8, 4.6, 4.0], [8.3, 6.8, 7.8, 9.2, 6.5], [8.0, 10.5, 8.1, 6.9, 9.3], [5.8, 3.8, 6.1, 5.6]]
    effect, residual = variance.analyse(samples([[0], [1], [2], [3]], [0, 0, 0, 0], groups))
    expected = stats.f_oneway(*groups)
    assert (effect.name, effect.degrees, residual.degrees) == ("a", 3, 15)
    assert effect.f == pytest.approx(expected.statistic)
    assert effect.p == pytest.approx(expected.pvalue)
    assert effect.share + residual.share == pytest.approx(1)


def test_two_factors_with_their_interaction():
    """A balanced two by two plan, sums of squares by hand: cell means 1, 2, 3, 6 of two samples each."""
    groups = [[0.5, 1.5], [1.5, 2.5], [2.5, 3.5], [5.5, 6.5]]
    a, b, ab, residual = variance.analyse(samples([[0, 0], [0, 1], [1, 0], [1, 1]], [0] * 4, groups))
    assert [effect.name for effect in (a, b, ab)] == ["a", "b", "a × b"]
    assert [effect.squares for effect in (a, b, ab, residual)] == pytest.approx([18, 8, 2, 2])
    assert [effect.f for effect in (a, b, ab)] == pytest.approx([36, 16, 4])
    assert a.p == pytest.approx(stats.f.sf(36, 1, 4))


def test_what_is_set_up_once_a_block_is_tested_against_the_error_between_blocks():
    """Three blocks, a set up in each, b within; whole-plot means by hand (Montgomery, chapter 14)."""
    draw = np.random.default_rng(5)
    levels, blocks, groups = [], [], []
    plot_error = {(block, a): draw.normal(0, 3) for block in range(3) for a in range(2)}
    for block in range(3):
        for a in range(2):
            for b in range(2):
                levels.append([a, b])
                blocks.append(block)
                groups.append((10 + a + b + plot_error[block, a] + draw.normal(0, 0.1, 4)).tolist())
    found = {effect.name: effect for effect in variance.analyse(samples(levels, blocks, groups, (0,)))}
    of_plots = np.array(
        [[np.mean(groups[4 * block + 2 * a : 4 * block + 2 * a + 2]) for a in range(2)] for block in range(3)]
    )
    centred = of_plots - of_plots.mean(0) - of_plots.mean(1)[:, None] + of_plots.mean()
    between = 8 * (centred**2).sum()
    of_a = 24 * ((of_plots.mean(0) - of_plots.mean()) ** 2).sum()
    assert found["between blocks"].degrees == 2
    assert found["between blocks"].squares == pytest.approx(between)
    assert (found["a"].error, found["b"].error) == ("between blocks", "residual")
    assert found["a"].f == pytest.approx(of_a / (between / 2))
    paired = stats.ttest_rel(of_plots[:, 0], of_plots[:, 1])
    assert found["a"].p == pytest.approx(paired.pvalue)
    assert found["b"].p < 1e-6
    assert found["residual"].degrees == 48 - 6 - 2


CELLS = [[a, b] for a in range(2) for b in range(3)]


def unbalanced(draw, plots_sd, of_b=0.0):
    """A plan that goes on until intervals are narrow: three blocks of all cells, then five with two open ones."""
    open_cells = [CELLS[k] for k in sorted(draw.choice(len(CELLS), 2, replace=False))]
    levels, blocks, groups = [], [], []
    for block in range(8):
        of_block, of_plots = draw.normal(0, 1), draw.normal(0, plots_sd, 2)
        for a, b in CELLS if block < 3 else open_cells:
            levels.append([a, b])
            blocks.append(block)
            groups.append([10 + of_block + of_plots[a] + of_b * b + draw.normal(0, 0.2)])
    return samples(levels, blocks, groups, (0,))


def test_what_plots_differ_by_is_no_effect_of_what_varies_within_them():
    """Of whole plots with missing cells: no offset of plots tells on b, and no effect of b on a."""
    quiet, loud, with_effect = (
        {each.name: each for each in variance.analyse(unbalanced(np.random.default_rng(6), *sizes))}
        for sizes in ((0.5, 0.0), (50.0, 0.0), (0.5, 7.0))
    )
    for name in ("b", "a × b", "residual"):
        assert loud[name].squares == pytest.approx(quiet[name].squares)
    for name in ("a", "between blocks", "residual"):
        assert with_effect[name].squares == pytest.approx(quiet[name].squares)
    assert with_effect["a"].p == pytest.approx(quiet["a"].p)
    assert (quiet["b"].degrees, quiet["between blocks"].degrees, quiet["residual"].degrees) == (2, 7, 8)
    assert with_effect["b"].p < 1e-9


@pytest.mark.parametrize("plots_sd", [1.0, 0.1])
def test_effects_that_are_not_there_are_found_as_rarely_as_p_says(plots_sd):
    draw = np.random.default_rng(1)
    found = {"a": 0, "b": 0, "a × b": 0}
    for _ in range(300):
        for effect in variance.analyse(unbalanced(draw, plots_sd)):
            found[effect.name] = found.get(effect.name, 0) + (effect.p is not None and effect.p < 0.05)
    for name in ("a", "b", "a × b"):
        assert 3 <= found[name] <= 25, (name, found[name])  # of 300: 15 expected; what plots leak made it 190


def test_there_is_no_analysis_without_factors_or_an_error():
    with pytest.raises(StatisticsError, match="a factor with two levels"):
        variance.analyse(samples([[0]], [0], [[1, 2]]))
    with pytest.raises(StatisticsError, match="no degrees of freedom"):
        variance.analyse(samples([[0], [1]], [0, 0], [[1], [2]]))
