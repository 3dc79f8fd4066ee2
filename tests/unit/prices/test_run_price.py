"""What a run costs and what money buys of such runs, by hand."""

import pytest

from fairlead.prices.run_price import RunPrice


def test_a_run_of_ten_minutes_at_six_an_hour_costs_one() -> None:
    price = RunPrice(per_hour=6.0, time_s=600.0)
    assert price.per_run == pytest.approx(1.0)
    assert price.efficiency == pytest.approx(1.0)


def test_a_run_of_twice_the_time_costs_twice_as_much_and_money_buys_half_as_many() -> None:
    short, long = RunPrice(3.0, 12.0), RunPrice(3.0, 24.0)
    assert long.per_run == pytest.approx(2 * short.per_run)
    assert long.efficiency == pytest.approx(short.efficiency / 2)
