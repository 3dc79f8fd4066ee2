"""What a characterization has left to measure, by the samples that it has."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, Self

from fairlead.characterize import sensitivity
from fairlead.characterize.group_samples import GroupSamples
from fairlead.characterize.grouping import HostGroups
from fairlead.characterize.host_links import HostLinks, seen
from fairlead.characterize.measurement_plan import ALL_PATHS, meeting_search, representatives
from fairlead.characterize.quiet_network import quiet
from fairlead.characterize.samples import Samples
from fairlead.characterize.tournament import Pair, tournament_rounds
from fairlead.display import words

EVENT = "left_out"
"""Of a run in the store: `Part.to_json` of each in ``parts``."""


@dataclass(frozen=True)
class Part:
    """Something that was not measured.

    Attributes:
        what: in the plural.
        missing, of: how many of how many; None: that shows only while they are measured.
    """

    what: str
    missing: int | None = None
    of: int | None = None

    def __str__(self) -> str:
        return self.what if self.missing is None else f"{self.missing} of {self.of} {self.what}"

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """As `to_json` made it."""
        return cls(data["what"], data["missing"], data["of"])


def no_time_for(parts: Iterable[Part]) -> str:
    """For people: why a characterization is incomplete that has left these out."""
    return f"there was no time for {', '.join(map(str, parts))}"


def left_out(samples: Samples, sizes_B: Iterable[int], seed: int) -> tuple[Part, ...]:
    """The parts that are missing; of what was found to be unclear only what was never repeated.

    Args:
        sizes_B: message sizes that are wanted.
        seed: of the survey, which chose hosts that stand for others.
    """
    if samples.group_of is None:
        return (Part("injections that show which hosts are alike, and all that follows"),)
    parts = [*_injections(samples, HostGroups(samples.group_of)), *_exchanges(samples, sizes_B, seed)]
    return tuple(part for part in parts if part.missing != 0)


def _injections(samples: Samples, groups: HostGroups) -> Iterator[Part]:
    network = quiet(samples)
    found = GroupSamples.of(samples.windows, groups, network)
    single = [pairs[0] for pairs in found.tests.injected() if len(pairs) == 1]
    every = len(groups) * (len(groups) - 1)
    yield Part("injections between groups of hosts", every - len(single), every)
    once = [pair for pair in single if len(found.tests.of(pair)) == 1]
    unclear = sum(bool(sensitivity.undecided(found.tests, pair, found.network)) for pair in once)
    yield Part("injections whose effect is unclear, to be repeated", unclear, len(single))
    links = HostLinks.of((test for window in samples.windows for test in seen(window, network)), found)
    several = groups.sizes[groups.of] > 1
    untested = several & ((links.tests_out == 0) | ((links.tests_in == 0) & (samples.count > 2)))
    yield Part("hosts' own links", int(untested.sum()), int(several.sum()))
    search = meeting_search(found)
    search.learn_all(found.tests)
    if search.tests < search.limit and search.open_pairs() is not None:
        yield Part("tests which paths meet behind their first bottlenecks")


def _exchanges(samples: Samples, sizes_B: Iterable[int], seed: int) -> Iterator[Part]:
    measured = exchanged(samples)
    wanted = to_exchange(samples, seed)
    sizes_of: dict[int, list[str]] = {}  # by how many are missing
    for size_B in sizes_B:
        missing = sum(size_B not in measured.get(pair, ()) for pair in wanted)
        sizes_of.setdefault(missing, []).append(words.size(size_B).replace(words.NBSP, " "))
    for missing, sizes in sizes_of.items():
        yield Part(f"pairs' latencies of {words.listing(sizes)}", missing, len(wanted))


def exchanged(samples: Samples) -> dict[Pair, set[int]]:
    """The sizes of the messages that each pair (first < second) has exchanged."""
    found: dict[Pair, set[int]] = {}
    for each in samples.exchanges:
        found.setdefault((min(each.pair), max(each.pair)), set()).add(each.size_B)
    return found


def to_exchange(samples: Samples, seed: int) -> list[Pair]:
    """The pairs whose latency is measured: all, or of many hosts one of each two groups, and each host within its own.
    Where one of two groups was measured already, it is that one."""
    if samples.count <= ALL_PATHS:
        return [pair for round_ in tournament_rounds(samples.count) for pair in round_]
    return standing_for_others(samples, seed)


def standing_for_others(samples: Samples, seed: int, *, few: bool = False) -> list[Pair]:
    """Pairs of hosts that stand for all others, preferring those of which something is measured.

    Args:
        few: a single one within each group; else each host of a group has one.
    """
    assert samples.group_of is not None
    of = samples.group_of.tolist()
    measured = {frozenset((of[a], of[b])): (a, b) for a, b in exchanged(samples) if of[a] != of[b]}
    pairs = representatives(HostGroups(samples.group_of), seed)
    found = [measured.get(frozenset((of[a], of[b])), (a, b)) for a, b in pairs if of[a] != of[b]]
    within = [(a, b) for a, b in pairs if of[a] == of[b]]
    return found + (list({of[a]: (a, b) for a, b in reversed(within)}.values()) if few else within)
