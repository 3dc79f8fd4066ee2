"""The formula of cost and cost efficiency, by hand."""

import numpy as np
import pytest

from fairlead.prices import efficiency


def test_the_cost_of_a_time_is_its_share_of_an_hour() -> None:
    assert efficiency.cost(6.0, 600.0) == pytest.approx(1.0)
    assert efficiency.cost(6.0, 0.0) == 0.0


def test_money_buys_what_is_done_in_an_hour_for_the_price_of_an_hour() -> None:
    assert efficiency.bought(1 / 600, 6.0) == pytest.approx(1.0)  # a run of 600 s costs 1
    assert efficiency.bought(np.array([1.0, 2.0]), 3600.0).tolist() == [1.0, 2.0]


@pytest.mark.parametrize(("per_hour", "time_s"), [(6.0, 600.0), (0.78, 12.5), (25.6, 3600.0)])
def test_as_many_runs_are_bought_as_their_prices_add_up_to_one(per_hour: float, time_s: float) -> None:
    assert efficiency.bought(1 / time_s, per_hour) * efficiency.cost(per_hour, time_s) == pytest.approx(1.0)
