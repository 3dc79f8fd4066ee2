"""Numbers as people read them. Rounding happens here and nowhere else."""

import math
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # words are needed where numbers are not computed
    from fairlead.statistics.estimates import Estimate

MINUS, THIN, NBSP = "\u2212", "\u2009", "\u00a0"


def significant(value: float, digits: int = 3) -> str:
    """``value`` with so many significant digits, or all before the point: 5.00, 0.0123, 1234, −4.56; a dash for NaN."""
    if math.isnan(value):
        return "–"
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else ("∞" if value > 0 else f"{MINUS}∞")
    exponent = math.floor(math.log10(abs(value)))
    rounded = round(value, max(0, digits - 1 - exponent))
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(rounded))))
    return f"{rounded:.{decimals}f}".replace("-", MINUS)


def scaled(value: float, units: tuple[tuple[float, str], ...]) -> tuple[float, str]:
    """Scale and name of the unit that suits a value."""
    size = abs(value)
    for scale, unit in units:
        if size >= scale * 0.9995:
            return scale, unit
    return units[-1]


PERCENT = ((0.01, "%"),)
TIMES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"))
SIZES = ((2.0**50, "PiB"), (2.0**40, "TiB"), (2.0**30, "GiB"), (2.0**20, "MiB"), (1024.0, "KiB"), (1.0, "B"))
COUNTS = ((1e9, "billion"), (1e6, "million"), (1e3, "thousand"), (1.0, ""))
RATES = ((1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s"), (1.0, "bit/s"))


def duration(seconds: float, digits: int = 3, *, like_s: float | None = None) -> str:
    """For example "5.02 s", "12.3 ms", "85.0 µs"; with ``like_s``, in the unit that this would have."""
    scale, unit = scaled(like_s or seconds, TIMES) if like_s or seconds else (1.0, "s")
    return f"{significant(seconds / scale, digits)}{NBSP}{unit}"


def nanoseconds(seconds: float) -> str:
    """For example "35.0 ns": what `duration` has no unit for."""
    return f"{significant(seconds * 1e9)}{NBSP}ns"


def size(bytes_B: float) -> str:
    """For example "64 B", "8 KiB", "1.5 MiB"."""
    scale, unit = scaled(bytes_B, SIZES)
    return f"{bytes_B / scale:.4g}{NBSP}{unit}"


def rate(bps: float) -> str:
    """For example "187 Mbit/s"."""
    scale, unit = scaled(bps, RATES)
    return f"{significant(bps / scale)}{NBSP}{unit}"


def money(amount: float, currency: str, digits: int = 3) -> str:
    """For example "0.0123 EUR"."""
    return f"{significant(amount, digits)}{NBSP}{currency}"


def percent(share: float, *, signed: bool = False, decimals: int = 1) -> str:
    """For example "91.2 %", with ``signed`` "+0.4 %"; no negative zero."""
    number = round(share * 100, decimals) + 0.0
    if not math.isfinite(number):
        return significant(number)
    sign = "+" if signed and number > 0 else ""
    return f"{sign}{number:.{decimals}f}".replace("-", MINUS) + f"{NBSP}%"


def duration_interval(estimate: "Estimate") -> str:
    """For example "4.98 to 5.10 s", in the unit of the estimate."""
    scale, unit = scaled(estimate.value, TIMES)
    return f"{significant(estimate.low / scale)} to {significant(estimate.high / scale)}{NBSP}{unit}"


def percent_interval(estimate: "Estimate", *, signed: bool = False, decimals: int = 1) -> str:
    """For example "88.1 to 94.0 %"."""
    low, high = (percent(end, signed=signed, decimals=decimals) for end in (estimate.low, estimate.high))
    return f"{low.removesuffix(f'{NBSP}%')} to {high}"


def range_of(low: str, high: str) -> str:
    """For example "2 to 3"; "2" where both ends look the same."""
    return low if low == high else f"{low} to {high}"


def probability(p: float) -> str:
    """The p-value of a test: for example "0.042", "< 0.001"."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def level(value: float) -> str:
    """For example "95 %"."""
    return f"{value * 100:g}{NBSP}%"


def span(seconds: float) -> str:
    """A length of time that people plan with: "45 s", "5 min", "2 h 11 min"."""
    if seconds < 120:
        return f"{round(seconds)}{NBSP}s"
    minutes = round(seconds / 60)
    return f"{minutes}{NBSP}min" if minutes < 60 else f"{minutes // 60}{NBSP}h {minutes % 60}{NBSP}min"


def of_each_minute(time_s_per_min: float, observed_s: float) -> tuple[str, str]:
    """How long, and of what: ("25.0 s", "each minute"), or of the observed time if that is shorter: ("1.6 s", "4.1 s").

    Args:
        time_s_per_min: in s per minute of what was observed.
    """
    minutes = min(observed_s / 60, 1.0)
    whole = "each minute" if minutes == 1.0 else f"{observed_s:.1f}{NBSP}s"
    return f"{time_s_per_min * minutes:.1f}{NBSP}s", whole


def moment(epoch_s: float) -> str:
    """Date and time, UTC."""
    return datetime.fromtimestamp(epoch_s, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def count(number: int, thing: str, plural: str | None = None) -> str:
    """For example "1 run", "5 runs", "no runs"."""
    return f"{number or 'no'} {thing if number == 1 else plural or thing + 's'}"


def listing(items: list[str]) -> str:
    """For example "a, b and c"."""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}" if items else ""


def first_of(items: list[str], shown: int = 8) -> str:
    """For example "a, b, c", of many items "a, b and 40 more"."""
    more = f" and {len(items) - shown} more" if len(items) > shown else ""
    return ", ".join(items[:shown]) + more


def ranks_on(host: str, host_of_rank: Sequence[str]) -> str:
    """For example "0 3 5"."""
    return " ".join(str(rank) for rank, each in enumerate(host_of_rank) if each == host)


def arrow(pair: tuple[str, str]) -> str:
    """How a report writes a directed host pair."""
    return f"{pair[0]} → {pair[1]}"


def carrier(relay: str, destination: str) -> str:
    """What rerouted traffic is led over: a host, or another of the equal-cost paths to the destination itself."""
    return "another equal-cost path" if relay == destination else relay
