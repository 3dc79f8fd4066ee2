"""Comparing two characterizations of a cluster: what shifted beyond the scatter of the measurements."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from fairlead.characterize.characterization import Characterization
from fairlead.characterize.samples import Bools, Floats
from fairlead.errors import MeasurementError

MOST_CASES = 100_000
"""Of sharing that began, and of sharing that ended, so many are kept: of hundreds of hosts there may be thousands of
millions."""

LEAST_SHARE = 0.2
"""Smaller relative changes are not reported: two measurements on one day differ by as much."""


@dataclass(frozen=True)
class Shift:
    """A value of an ordered pair that changed.

    Attributes:
        what: "latency of 64 B", "throughput".
        before, after: in ``unit`` ("s" or "bit/s").
        noise: larger half width of the two measurements' scatter (5th to 95th percentile); 0 where there is one sample.
    """

    source: str
    destination: str
    what: str
    before: float
    after: float
    noise: float
    unit: str

    @property
    def share(self) -> float:
        """Relative change."""
        return self.after / self.before - 1

    def __str__(self) -> str:
        scale, name = (1e3, "ms") if self.unit == "s" else (1e-6, "Mbit/s")
        return (
            f"{self.source} → {self.destination}: {self.what} {self.before * scale:.3g} → {self.after * scale:.3g} "
            f"{name} ({self.share:+.0%})"
        )


@dataclass(frozen=True)
class CharacterizationDifference:
    """What changed from one characterization to another.

    Attributes:
        shifts: the largest relative change first.
        compared: values that were compared.
        begun, ended: (injected pair, other pair) by host names: sharing that appeared or disappeared, of injections
            that both made; the first `MOST_CASES`.
        begun_cases, ended_cases: how many there are.
        injections: how many those are, and of how many.
        incomplete: why one of them made fewer; empty if both are complete.
    """

    shifts: tuple[Shift, ...]
    compared: int
    begun: tuple[tuple[str, str], ...]
    ended: tuple[tuple[str, str], ...]
    begun_cases: int
    ended_cases: int
    injections: tuple[int, int]
    incomplete: str = ""

    def describe(self, most: int = 20) -> list[str]:
        """For people: the ``most`` largest shifts, and what sharing began and ended."""
        lines = [str(shift) for shift in self.shifts[:most]]
        if len(self.shifts) > most:
            lines.append(f"... and {len(self.shifts) - most} more")
        head = f"{len(self.shifts)} of {self.compared} values shifted beyond the measurements' scatter"
        tail = []
        if self.incomplete:
            made, every = self.injections
            tail.append(f"sharing was compared for {made} of {every} injections only: {self.incomplete}")
        for what, cases, cells in (
            ("now share", self.begun_cases, self.begun),
            ("no longer share", self.ended_cases, self.ended),
        ):
            if cells:
                tail.append(f"paths that {what} a bottleneck ({cases} cases):")
                tail += [f"  an injection on {injected} and the path {other}" for injected, other in cells[:most]]
        return [head, *lines, *tail]

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "compared": self.compared,
            "shifts": [asdict(shift) | {"share": shift.share} for shift in self.shifts],
            "begun": [list(cell) for cell in self.begun],
            "ended": [list(cell) for cell in self.ended],
            "begun_cases": self.begun_cases,
            "ended_cases": self.ended_cases,
            "injections": {"compared": self.injections[0], "of": self.injections[1]},
            "incomplete": self.incomplete,
        }


def compare(before: Characterization, after: Characterization) -> CharacterizationDifference:
    """What differs between two characterizations of the same hosts.

    Raises:
        MeasurementError: their hosts differ, or they have no message size in common.
    """
    if before.hosts != after.hosts:
        raise MeasurementError(
            f"{before.cluster} and {after.cluster} cannot be compared: their hosts differ",
            hint=f"{', '.join(before.hosts)} against {', '.join(after.hosts)}",
        )
    sizes = [size for size in before.latency.sizes_B if size in after.latency.sizes_B]
    if not sizes and before.latency.sizes_B and after.latency.sizes_B:  # an incomplete one may have none
        raise MeasurementError("the two characterizations have no message size in common")
    shifts: list[Shift] = []
    compared = 0
    for size in sizes:
        old, new = (c.latency for c in (before, after))
        a, b = old.sizes_B.index(size), new.sizes_B.index(size)
        noise = np.fmax(old.p95_s[a] - old.p5_s[a], new.p95_s[b] - new.p5_s[b]) / 2
        # What neither measured are medians of the same few pairs: each of these would count many times.
        measured = (old.count[a] > 0) | (new.count[b] > 0)
        old_s = np.where(measured, old.median_s[a], np.nan)
        found, number = _shifts(before.hosts, f"latency of {size} B", old_s, new.median_s[b], noise, "s")
        shifts += found
        compared += number
    rates = before.rates_bps, after.rates_bps
    found, number = _shifts(before.hosts, "throughput", *rates, np.zeros_like(rates[0]), "bit/s")
    shifts += found
    # An injection that was not made hurts nothing that is known of.
    made = before.sensitivity.measured & after.sensitivity.measured
    began, ended = _Cases(before.hosts), _Cases(before.hosts)
    for k, m in np.argwhere(made):
        old_hurt, new_hurt = (each.sensitivity.hurt_by((int(k), int(m))) for each in (before, after))
        # An incomplete one lacks the tests that show what is shared behind the first bottleneck.
        if before.complete:
            began.add(int(k), int(m), new_hurt & ~old_hurt)
        if after.complete:
            ended.add(int(k), int(m), old_hurt & ~new_hurt)
    return CharacterizationDifference(
        tuple(sorted(shifts, key=lambda shift: -abs(np.log(shift.after / shift.before)))),
        compared + number,
        tuple(began.kept),
        tuple(ended.kept),
        began.number,
        ended.number,
        (int(made.sum()), len(before.hosts) * (len(before.hosts) - 1)),
        "; ".join(
            f"run {each.run} is incomplete ({each.incomplete_because})" for each in (before, after) if not each.complete
        ),
    )


def _shifts(
    hosts: tuple[str, ...], what: str, before: Floats, after: Floats, noise: Floats, unit: str
) -> tuple[list[Shift], int]:
    both = np.isfinite(before) & np.isfinite(after)
    beyond = both & (np.abs(after - before) > np.maximum(noise, LEAST_SHARE * before))
    found = [
        Shift(hosts[i], hosts[j], what, float(before[i, j]), float(after[i, j]), float(noise[i, j]), unit)
        for i, j in np.argwhere(beyond)
    ]
    return found, int(both.sum())


class _Cases:
    """Injections and paths, by host names: how many, and the first `MOST_CASES`."""

    def __init__(self, hosts: tuple[str, ...]) -> None:
        self._hosts = hosts
        self.number = 0
        self.kept: list[tuple[str, str]] = []

    def add(self, source: int, destination: int, paths: Bools) -> None:
        """Those of an injection on one ordered pair."""
        self.number += int(np.count_nonzero(paths))
        if len(self.kept) < MOST_CASES:
            hosts = self._hosts
            injected = f"{hosts[source]}→{hosts[destination]}"
            found = np.argwhere(paths)[: MOST_CASES - len(self.kept)].tolist()
            self.kept += [(injected, f"{hosts[i]}→{hosts[j]}") for i, j in found]
