"""Statistics against values from elsewhere: by hand, from scipy's own routines, and by simulated coverage."""

import math

import numpy as np
import pytest
from scipy import stats

from fairlead.errors import StatisticsError
from fairlead.statistics import bootstrap, tails
from fairlead.statistics import estimates as st
from fairlead.statistics.bootstrap import bootstrap_interval

RUNS_S = [5.1, 4.9, 5.3, 5.0, 5.6, 4.8, 5.2]


@pytest.mark.parametrize(
    ("samples", "level", "value", "half"),
    [
        # by hand: mean 3, sd sqrt(2.5), t(0.975, 4) = 2.7764451
        ([1, 2, 3, 4, 5], 0.95, 3.0, 2.7764451 * math.sqrt(2.5 / 5)),
        # two samples: mean 5, sd sqrt(2), t(0.95, 1) = 6.3137515
        ([4, 6], 0.90, 5.0, 6.3137515),
        ([2.5, 2.5, 2.5], 0.95, 2.5, 0.0),
    ],
)
def test_mean_interval(samples, level, value, half):
    got = st.mean_interval(samples, level)
    assert (got.value, got.low, got.high) == pytest.approx((value, value - half, value + half), abs=1e-6)
    assert (got.n, got.level, got.method) == (len(samples), level, "Student t")


def test_mean_interval_agrees_with_scipy():
    got = st.mean_interval(RUNS_S, 0.99)
    reference = stats.ttest_1samp(RUNS_S, 0).confidence_interval(0.99)
    assert (got.low, got.high) == pytest.approx((reference.low, reference.high))


def test_median_of_few_samples_has_the_interval_of_student():
    got = st.median_interval([1.0, 2.0, 6.0])
    half = stats.t.ppf(0.975, 2) * np.std([1, 2, 6], ddof=1) / math.sqrt(3)
    assert got.value == 2.0
    assert (got.low, got.high) == pytest.approx((3 - half, 3 + half))
    assert got.method == "Student t"


def test_median_bootstrap_agrees_with_the_exact_distribution():
    # P(resampled median of n = 7 <= x_(k)) = P(Binomial(7, k/7) >= 4), so its quantiles are known without resampling.
    samples = sorted(RUNS_S)
    tail = stats.norm.cdf(-math.sqrt(7 / 6) * stats.t.ppf(0.975, 6))
    below = [stats.binom.sf(3, 7, k / 7) for k in range(1, 8)]
    low = samples[next(k for k, p in enumerate(below) if p > tail)]
    high = samples[next(k for k, p in enumerate(below) if p >= 1 - tail)]
    got = st.median_interval(RUNS_S)
    assert (got.value, got.low, got.high, got.method) == (5.1, low, high, "bootstrap")


@pytest.mark.parametrize(("level", "least"), [(0.5, 6), (0.95, 6), (0.99, 8), (0.999, 11)])
def test_the_bootstrap_takes_as_many_samples_as_reach_the_level(level, least):
    assert st.least_for_bootstrap(level) == least
    samples = [5.0 + k / 10 for k in range(least)]
    assert st.median_interval(samples, level).method == "bootstrap"
    few = st.median_interval(samples[:-1], level)
    assert few.method == "Student t"
    assert few.high == pytest.approx(st.mean_interval(samples[:-1], level).high)
    runs = [[value + more for value in samples] for more in (0, 10, 5)]
    assert st.recovered_share(*runs, level).method == "bootstrap"
    assert st.recovered_share(*(row[:-1] for row in runs), level).method == "Student t"


def test_intervals_are_repeatable_and_follow_the_level():
    runs_s = [*RUNS_S, 5.4]
    wide, narrow = st.median_interval(runs_s, 0.99), st.median_interval(runs_s, 0.5)
    assert wide == st.median_interval(runs_s, 0.99)
    assert wide.low <= narrow.low <= narrow.value <= narrow.high <= wide.high
    assert wide.high - wide.low > narrow.high - narrow.low


def test_equal_samples_have_an_interval_of_no_width():
    got = st.median_interval([2.0] * 9)
    assert (got.low, got.value, got.high) == (2.0, 2.0, 2.0)


def test_spread():
    got = st.spread([1, 2, 3, 4, 100])
    assert got.sd == pytest.approx(np.std([1, 2, 3, 4, 100], ddof=1))
    assert got.mad == pytest.approx(1.0 / stats.norm.ppf(0.75))  # deviations from 3: 2 1 0 1 97, median 1
    assert (got.low, got.high, got.n) == (1, 100, 5)


@pytest.mark.parametrize(
    ("base", "time", "saved", "faster"),
    [(10, 5, 0.5, 1.0), (10, 10, 0, 0), (10, 12.5, -0.25, -0.2), (513, 376, 0.26705653, 0.36436170)],
)
def test_gains_in_both_definitions(base, time, saved, faster):
    assert st.time_saved(base, time) == pytest.approx(saved)
    assert st.speed_gained(base, time) == pytest.approx(faster)


def test_paired_ratio_of_few_pairs_is_a_paired_t_test_on_logarithms():
    top, bottom = [5.2, 4.4, 6.3], [5.0, 4.5, 6.0]
    got = st.paired_ratio(top, bottom)
    reference = stats.ttest_rel(np.log(top), np.log(bottom)).confidence_interval(0.95)
    assert got.value == pytest.approx(1.04)  # ratios 1.04, 0.978, 1.05
    assert (math.log(got.low), math.log(got.high)) == pytest.approx((reference.low, reference.high))
    assert got.method == "paired, Student t"


def test_pairing_removes_what_pairs_have_in_common():
    drift = np.linspace(5, 20, 12)
    noise = np.random.default_rng(3).normal(0, 0.005, 12)
    got = st.paired_ratio(drift * (1.02 + noise), drift)
    assert got.method == "paired, bootstrap"
    assert 1.005 < got.low < 1.02 < got.high < 1.035
    assert not st.difference(drift, drift * 1.02).told_apart


@pytest.mark.parametrize(
    ("clean", "congested", "managed", "value"),
    [
        ([248.0, 248.0], [513.0, 513.0], [376.0, 376.0], 137 / 265),  # DMCBM, section 4.9: 52 % of the loss
        ([5.0, 5.1], [15.0, 15.1], [5.0, 5.1], 1.0),
        ([5.0, 5.1], [15.0, 15.1], [20.0, 20.1], -0.5),
    ],
)
def test_recovered_share(clean, congested, managed, value):
    got = st.recovered_share(clean, congested, managed)
    assert got.value == pytest.approx(value)
    assert got.low <= got.value <= got.high
    assert got.method == "Student t"


def test_recovered_share_uses_medians_and_the_bootstrap_from_six_samples():
    generator = np.random.default_rng(5)
    clean, congested, managed = (m * generator.lognormal(0, 0.02, 8) for m in (5, 15, 6))
    got = st.recovered_share(clean, congested, managed)
    t_nc, t_ic, t_m = np.median(clean), np.median(congested), np.median(managed)
    assert got.value == (t_ic - t_m) / (t_ic - t_nc)
    assert 0.85 < got.low < got.value < got.high < 0.95
    assert got.method == "bootstrap"


def test_recovered_interval_is_that_of_the_replications_own_shares():
    got = st.recovered_share([5.0, 5.0, 5.0], [15.0, 25.0, 10.0], [6.0, 8.0, 5.25])  # 0.90, 0.85, 0.95
    half = stats.t.ppf(0.975, 2) * 0.05 / math.sqrt(3)
    assert (got.value, got.low, got.high) == pytest.approx((0.9, 0.9 - half, 0.9 + half))


def test_what_congestion_does_to_all_runs_of_a_replication_does_not_widen_the_recovered_share():
    clean, congested = [5.0, 5.2, 5.1], [15.0, 11.0, 19.5]
    managed = [n + 0.1 * (c - n) for n, c in zip(clean, congested, strict=True)]  # 90 % of each replication's loss
    got = st.recovered_share(clean, congested, managed)
    assert (got.low, got.value, got.high) == pytest.approx((0.9, 0.9, 0.9), abs=0.01)
    mixed = st.recovered_share(clean, congested, managed[1:] + managed[:1])
    assert mixed.high - mixed.low > 0.1


def test_no_recovered_share_where_congestion_cost_nothing_in_one_of_few_replications():
    with pytest.raises(StatisticsError, match="congested and clean runs overlap"):
        st.recovered_share([5.0, 5.1, 5.05], [500.0, 510.0, 5.04], [6.0, 6.1, 6.0])


def test_recovered_share_needs_matched_runs():
    with pytest.raises(StatisticsError, match="needs matched runs, there are 2, 3 and 2"):
        st.recovered_share([5.0, 5.1], [15.0, 15.1, 15.2], [6.0, 6.1])


def test_nothing_is_recovered_where_nothing_was_lost():
    with pytest.raises(StatisticsError, match="congested and clean runs overlap"):
        st.recovered_share([5.0, 5.2, 5.1], [5.1, 5.0, 5.3], [5.0, 5.1, 5.2])


def test_difference_agrees_with_scipy_and_says_when_it_cannot_tell():
    a, b = [5.0, 5.2, 5.1, 4.9], [5.6, 5.4, 6.1]
    got = st.difference(a, b)
    reference = stats.ttest_ind(b, a, equal_var=False)
    assert got.p == pytest.approx(reference.pvalue)
    assert got.degrees_of_freedom == pytest.approx(reference.df)
    interval = reference.confidence_interval(0.95)
    assert (got.estimate.low, got.estimate.high) == pytest.approx((interval.low, interval.high))
    assert reference.pvalue > 0.05
    assert not got.told_apart
    assert st.difference(a, b, level=0.9).told_apart  # p = 0.078
    assert not st.difference(a, [5.0, 5.1, 5.2]).told_apart


def test_difference_without_scatter():
    assert st.difference([1.0, 1.0], [1.0, 1.0]).p == 1.0
    # Rounded to a clock that may be as coarse as they differ: a variance of 1/12 each, t = 12^0.5, 1 degree of freedom.
    apart = st.difference([1.0, 1.0], [2.0, 2.0])
    assert apart.p == pytest.approx(2 * stats.t.sf(math.sqrt(12), 1))
    assert not apart.told_apart
    assert st.difference([0.02] * 9, [0.03] * 9).told_apart


def test_cliffs_delta():
    # Of 9 pairs 8 are greater, 1 equal: 8/9.
    assert st.cliffs_delta([1, 2, 3], [3, 4, 5]) == pytest.approx(8 / 9)
    assert st.cliffs_delta([1, 2], [0, 0]) == -1.0


def test_a_paired_difference_does_not_hold_what_pairs_share():
    a, b = [10.0, 20, 30, 40], [11.0, 21.5, 30.5, 41]
    found = st.paired_difference(a, b)
    expected = stats.ttest_rel(b, a)
    assert (found.estimate.value, found.degrees_of_freedom, found.estimate.n) == (1.0, 3, 4)
    assert found.p == pytest.approx(expected.pvalue)
    assert [found.estimate.low, found.estimate.high] == pytest.approx(list(expected.confidence_interval()))
    assert found.told_apart
    assert not st.difference(a, b).told_apart
    assert st.paired_difference([1, 2], [2, 3]).p == pytest.approx(2 * stats.t.sf(math.sqrt(12), 1))
    tenths = st.paired_difference([0.1, 0.2, 0.3], [0.2, 0.3, 0.4])  # alike but for the rounding of their sums
    assert tenths.p == pytest.approx(2 * stats.t.sf(math.sqrt(18), 2))
    with pytest.raises(StatisticsError, match="needs pairs, there are 3 and 2"):
        st.paired_difference([1, 2, 3], [1, 2])


@pytest.mark.parametrize(
    ("p", "adjusted"),
    [
        ([0.01, 0.04, 0.03, 0.005], [0.03, 0.06, 0.06, 0.02]),
        ([0.5, 0.9], [1.0, 1.0]),
        ([0.2], [0.2]),
        ([], []),
    ],
)
def test_holm(p, adjusted):
    assert st.holm(p) == pytest.approx(adjusted)


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (lambda: st.median([]), "needs 1 samples, there are 0"),
        (lambda: st.mean_interval([1.0]), "needs 2 samples, there are 1"),
        (lambda: st.median_interval([1.0]), "needs 2 samples"),
        (lambda: st.median_interval([1.0, math.nan]), "not a finite number"),
        (lambda: st.median_interval([[1.0, 2.0]]), "one row"),
        (lambda: st.median_interval([1.0, 2.0], 95), "between 0 and 1, not at 95"),
        (lambda: st.median_interval(RUNS_S, 0.0), "between 0 and 1"),
        (lambda: st.spread([1.0]), "needs 2 samples"),
        (lambda: st.paired_ratio([1.0, 2.0], [1.0, 2.0, 3.0]), "there are 2 and 3"),
        (lambda: st.paired_ratio([1.0, 2.0], [1.0, 0.0]), "positive"),
        (lambda: st.recovered_share([1.0, 1.1], [2.0], [1.0, 1.1]), "needs 2 samples"),
        (lambda: st.time_saved(0.0, 1.0), "positive base"),
        (lambda: st.speed_gained(1.0, 0.0), "positive time"),
        (lambda: st.holm([1.2]), "0 to 1"),
        (lambda: bootstrap_interval(np.median, [np.array([1.0])], 0.95), "two samples"),
        (lambda: bootstrap_interval(np.median, [np.array([1.0, 2.0])], 1.0), "between 0 and 1"),
    ],
)
def test_what_the_samples_do_not_allow_is_refused(call, reason):
    with pytest.raises(StatisticsError, match=reason):
        call()


# Coverage: of intervals at 95 %, how many contain the truth. With R repetitions the simulated share scatters by
# sqrt(0.05 * 0.95 / R); the bounds below allow five of those downwards.


def _coverage(repetitions, draw, truth, interval):
    generator = np.random.default_rng(42)
    return sum(interval(draw(generator)).contains(truth) for _ in range(repetitions)) / repetitions


def _lognormal_runs(n, median_s=5.0):
    return lambda generator: median_s * generator.lognormal(0.0, 0.08, n)  # run times here scatter by 8 %


@pytest.mark.slow
@pytest.mark.parametrize("n", [3, 5, 6, 8, 12, 30])
def test_median_interval_covers(n):
    share = _coverage(600, _lognormal_runs(n), 5.0, st.median_interval)
    assert share >= 0.95 - 5 * math.sqrt(0.0475 / 600)


@pytest.mark.slow
@pytest.mark.parametrize("n", [3, 5, 6, 10])
@pytest.mark.parametrize("managed_s", [5.5, 10.0])
def test_recovered_share_covers(n, managed_s):
    truth = (15.0 - managed_s) / 10.0

    def draw(generator):
        clean = _lognormal_runs(n)(generator)
        lost = 20.0 * generator.lognormal(0, 0.2, n)  # what congestion costs differs between replications
        return [clean, clean + lost, clean + (1 - truth) * lost * generator.lognormal(0, 0.08, n)]

    share = _coverage(600, draw, truth, lambda groups: st.recovered_share(*groups))
    assert share >= 0.95 - 5 * math.sqrt(0.0475 / 600)


@pytest.mark.slow
@pytest.mark.parametrize("n", [3, 6, 10])
def test_paired_ratio_covers(n):
    def draw(generator):
        block = generator.lognormal(0, 0.3, n)  # what both runs of a pair have in common
        return [block * _lognormal_runs(n, t)(generator) for t in (5.1, 5.0)]

    share = _coverage(600, draw, 1.02, lambda groups: st.paired_ratio(*groups))
    assert share >= 0.95 - 5 * math.sqrt(0.0475 / 600)


@pytest.mark.parametrize(("samples", "percent", "told"), [(10_000, 99.9, True), (9_999, 99.9, False), (1000, 99, True),
                                                          (999, 99, False), (200, 95, True)])  # fmt: skip
def test_a_percentile_with_ten_samples_beyond_it_is_told(samples: int, percent: float, told: bool) -> None:
    assert tails.is_told(samples, percent) is told


def test_a_bootstrap_of_many_samples_comes_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Or it would need 16 bytes for every sample of every resample at once."""
    group = np.random.default_rng(5).lognormal(0, 0.3, 50)
    seen: list[int] = []

    def mean(drawn):
        seen.append(drawn.shape[0])
        return drawn.mean(axis=-1)

    whole = bootstrap_interval(mean, [group], 0.95)
    assert seen == [10_000]
    monkeypatch.setattr(bootstrap, "MOST_DRAWN", 50 * 3000)
    parts = bootstrap_interval(mean, [group], 0.95)
    assert seen[1:] == [3000, 3000, 3000, 1000]
    assert parts == pytest.approx(whole, rel=0.02)


def test_cliffs_delta_of_many_samples_needs_no_table_of_pairs() -> None:
    generator = np.random.default_rng(3)
    a, b = generator.integers(0, 9, 40), generator.integers(2, 11, 31)  # with ties
    assert st.cliffs_delta(a, b) == pytest.approx(np.sign(b[:, None] - a[None, :]).mean(), abs=1e-15)
    many = np.arange(300_000, dtype=np.float64)  # 720 GB of pairs
    assert st.cliffs_delta(many, many + 0.5) == pytest.approx(1 / 300_000)
    assert st.cliffs_delta(many, many + 300_000) == 1.0
