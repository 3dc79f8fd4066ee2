"""What comparisons say of reroutes, and what they may cost."""

from random import Random

import pytest

from fairlead.manage.benefit.judgement import (
    COST,
    MOST,
    SUSPENDED_MAX_S,
    SUSPENDED_S,
    UNCLEAR,
    WAIT_MAX_S,
    WAIT_S,
    WINDOW_MAX_S,
    WINDOW_S,
    Comparison,
    Judgement,
    Verdict,
)

PAUSED_S = 1.3


def judged(*ratios: float) -> Judgement:
    judgement = Judgement(Random(1))
    for ratio in ratios:
        judgement.add(Comparison(ratio * 1e8, 1e8, PAUSED_S))
    return judgement


def test_figures_are_geometric_means_with_a_students_t_interval():
    judgement = judged(1.0, 4.0)
    assert judgement.ratio() == pytest.approx(2.0)
    interval = judgement.interval()
    assert interval is not None
    low, high = interval
    assert low * high == pytest.approx(4.0)  # symmetric on a logarithmic scale
    assert high == pytest.approx(2.0 * 4.0 ** (6.313752 / 2))  # t of one degree of freedom at 90 %, error log(4)/2


def test_one_comparison_has_no_interval_and_no_verdict():
    assert (judged(3.0).interval(), judged(3.0).verdict()) == (None, Verdict.UNCLEAR)


@pytest.mark.parametrize(
    ("ratios", "verdict"),
    [
        ((0.8, 0.8), Verdict.UNCLEAR),  # too few
        ((0.83, 0.86, 0.80), Verdict.HARMS),
        ((1.2, 1.3, 1.25), Verdict.PAYS),
        ((0.8, 1.2, 1.0), Verdict.UNCLEAR),
        ((1.0, 1.0, 1.0), Verdict.UNCLEAR),  # without any scatter, exactly the same
    ],
)
def test_the_verdict_needs_three_comparisons_and_an_interval_on_one_side(ratios, verdict):
    assert judged(*ratios).verdict() == verdict


def test_only_the_newest_comparisons_count():
    judgement = judged(*[0.5] * MOST, *[2.0, 2.1] * (MOST // 2))
    assert (judgement.comparisons, judgement.verdict()) == (MOST, Verdict.PAYS)


def test_comparisons_that_stay_unclear_take_longer_each():
    unclear = [0.8, 1.25]
    assert judged(*unclear).window_s() == WINDOW_S
    assert judged(*unclear * (UNCLEAR // 2)).window_s() == 2 * WINDOW_S
    assert judged(*unclear * 20).window_s() == WINDOW_MAX_S


def test_comparisons_cost_at_most_a_hundredth_of_the_time_in_the_long_run():
    judgement = Judgement(Random(3))
    program_s = lost_s = 0.0
    for _ in range(200):
        comparison = Comparison(3e8, 1e8, PAUSED_S)  # the program is three times as fast with reroutes
        judgement.add(comparison)
        lost_s += comparison.lost_s
        program_s += judgement.wait_s() + PAUSED_S
    assert lost_s == pytest.approx(200 * PAUSED_S * 2 / 3)
    assert lost_s / program_s <= 1.02 * COST


def test_where_a_pause_costs_nothing_the_next_follows_soon_and_at_random():
    judgement = judged(0.9)
    waits_s = {judgement.wait_s() for _ in range(50)}
    assert len(waits_s) == 50 and all(0.75 * WAIT_S <= wait_s <= 1.25 * WAIT_S for wait_s in waits_s)
    judgement.add(Comparison(1e12, 1.0, PAUSED_S * 10))
    assert judgement.wait_s() <= 1.25 * WAIT_MAX_S


def test_reroutes_that_harm_again_are_suspended_for_twice_as_long():
    judgement = judged(0.8, 0.81, 0.82)
    assert judgement.suspend() == SUSPENDED_S
    assert (judgement.comparisons, judgement.verdict()) == (0, Verdict.UNCLEAR)
    assert [judgement.suspend() for _ in range(5)] == [min(SUSPENDED_S * 2**k, SUSPENDED_MAX_S) for k in range(1, 6)]


def test_reroutes_that_pay_shorten_the_next_suspension():
    judgement = judged(0.8, 0.81, 0.82)
    judgement.suspend()
    for ratio in (1.2, 1.25, 1.3):
        judgement.add(Comparison(ratio * 1e8, 1e8, PAUSED_S))
    assert judgement.suspend() == SUSPENDED_S


def test_a_pause_in_which_nothing_arrived_is_no_comparison_and_the_next_comes_late():
    judgement = judged(1.0)
    assert judgement.wait_s() <= 1.25 * WAIT_S
    judgement.stalled(PAUSED_S)
    assert judgement.comparisons == 1
    assert judgement.wait_s() >= 0.75 * PAUSED_S / COST > WAIT_S
