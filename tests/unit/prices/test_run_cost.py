"""What a run costs: its numbers by hand, its words, and its JSON form."""

from pathlib import Path

import pytest

from fairlead.prices import cost_json, run_cost
from fairlead.prices.book import load_prices
from fairlead.prices.run_cost import RunCost

from .test_prices import COSTS, INSTANCE, book


def found(tmp_path: Path, hosts: int) -> RunCost:
    """A run of 90 s on so many of a system's four hosts, which share a gateway."""
    text = INSTANCE + COSTS + '[systems.c]\ninstance = "big"\nhosts = 4\ncosts = ["gateway"]\n'
    return run_cost.at(load_prices(book(tmp_path / "b.toml", text)).known_price("c"), hosts, 90.0)


def test_hosts_pay_their_part_of_what_is_paid_for_all(tmp_path: Path) -> None:
    all_of_it, half = found(tmp_path, 4), found(tmp_path, 2)
    assert (all_of_it.hosts, all_of_it.per_hour, half.per_hour) == (4, 4 * 3.0 + 1.0, 6.5)
    assert all_of_it.per_run == pytest.approx(13.0 / 40)
    assert all_of_it.efficiency == pytest.approx(40 / 13.0)
    assert half.efficiency == pytest.approx(2 * all_of_it.efficiency)


def test_a_cost_in_words(tmp_path: Path) -> None:
    cost = found(tmp_path, 4)
    assert cost.describe().replace("\u00a0", " ") == "0.325 EUR: 90.0 s of 4 hosts at 13.0 EUR an hour"
    assert cost.describe_bought() == "one EUR buys 3.08 such runs"


def test_a_cost_as_json(tmp_path: Path) -> None:
    assert cost_json.of(found(tmp_path, 2)).model_dump() == {
        "currency": "EUR",
        "hosts": 2,
        "per_hour": 6.5,
        "per_run": pytest.approx(6.5 / 40),
        "efficiency": pytest.approx(40 / 6.5),
    }
