"""Quantities with units."""

import re
from collections.abc import Callable

import pytest

from fairlead.lab.units import format_rate, parse_queue, parse_rate, parse_size, parse_time, queue_bytes


@pytest.mark.parametrize(
    ("text", "rate_bps"), [("1gbit", 10**9), ("200mbit", 2 * 10**8), ("2.5 gbit", 25 * 10**8), ("64kbit", 64000)]
)
def test_rates_are_powers_of_ten(text: str, rate_bps: int) -> None:
    assert parse_rate(text) == rate_bps


@pytest.mark.parametrize(("text", "size_B"), [("16KiB", 16384), ("64kB", 64000), ("1MiB", 2**20), ("1514B", 1514)])
def test_sizes_tell_binary_from_decimal(text: str, size_B: int) -> None:
    assert parse_size(text) == size_B


@pytest.mark.parametrize("value", ["200", 200, "200Mbps", "-1mbit", "0mbit", "", None, "fast"])
def test_what_is_not_a_rate_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match="rate"):
        parse_rate(value)


def test_times() -> None:
    assert parse_time("20ms") == pytest.approx(0.02)
    assert parse_time("5 us") == pytest.approx(5e-6)


@pytest.mark.parametrize(
    ("parse", "text", "least"),
    [
        (parse_rate, "0.1bit", "1bit"),
        (parse_rate, "0.0004kbit", "1bit"),
        (parse_size, "0.5B", "1B"),
        (parse_size, "0.0001KiB", "1B"),
        (parse_time, "0.0004us", "0.001us"),
        (parse_time, "0.0000000001s", "0.001us"),
    ],
)
def test_what_would_be_rounded_to_nothing_is_refused_with_the_least_that_is_possible(
    parse: Callable[[object], float], text: str, least: str
) -> None:
    with pytest.raises(ValueError, match=rf"^'{re.escape(text)}': a (rate|size|time) must be at least {least}$"):
        parse(text)
    assert parse(least) > 0


def test_what_is_not_whole_is_the_nearest_that_is() -> None:
    assert parse_rate("0.6bit") == 1
    assert parse_size("1.4B") == 1


def test_a_queue_in_time_depends_on_the_rate_and_one_in_bytes_does_not() -> None:
    assert queue_bytes("20ms", 200 * 10**6) == 500_000
    assert queue_bytes("20ms", 10**9) == 2_500_000
    assert queue_bytes("256KiB", 10**9) == 262_144
    with pytest.raises(ValueError, match="queue length"):
        parse_queue("20 packets")


def test_rates_are_shown_in_the_largest_unit_that_fits() -> None:
    assert [format_rate(x) for x in (2e8, 1e9, 2.5e9, 64e3, 5)] == [
        "200 Mbit/s",
        "1 Gbit/s",
        "2.5 Gbit/s",
        "64 kbit/s",
        "5 bit/s",
    ]
