"""From what was seen of pairs of ranks to advice: which are outweighed, what that costs, what would help. Pure.

A receiving rank is outweighed where its waiting for transmissions, t_t, takes longer than what it does between them,
t_p, all its senders together (DMCBM 3.4.4). Named are its pairs for which that holds by themselves.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fairlead.display import words
from fairlead.errors import ConfigError, MeasurementError
from fairlead.mitigation.evidence import Evidence, RankPair, Sums
from fairlead.protocol import enums, events
from fairlead.protocol.objects import OutweighedPair

LEAST_SHARE = 0.01  # of the receiver's time: a pair that is waited for less is not named
LEAST_COST_S_PER_MIN = 3.0
"""Waiting of the mean rank from which the user is told: one part in twenty of its time."""
LEAST_SAVING = 0.1
"""Share of what messages cost from which another placement is advised."""
MOST_PAIRS = 16  # that are recorded


@dataclass(frozen=True)
class BetterPlacement:
    """Another placement.

    Attributes:
        host_of_rank: names, in rank order.
        saving_share: how much less the program's messages cost there
            (`fairlead.placement.cost.CommunicationCost.time_s`).
    """

    host_of_rank: Sequence[str]
    saving_share: float


Placing = Callable[[Evidence], BetterPlacement | None]
"""The best placement that is found for what was seen; None: it cannot be told."""


def outweighed(seen: Evidence) -> dict[RankPair, Sums]:
    """Pairs of ranks that spend more in transmission than in processing, the longest transmission first."""
    transmission_s: dict[int, float] = defaultdict(float)
    processing_s: dict[int, float] = defaultdict(float)
    for (_, rank), sums in seen.pairs.items():
        transmission_s[rank] += sums.transmission_s
        processing_s[rank] += sums.processing_s
    found = {
        pair: sums
        for pair, sums in seen.pairs.items()
        if transmission_s[pair[1]] > processing_s[pair[1]]
        and sums.transmission_s > sums.processing_s
        and sums.transmission_s >= LEAST_SHARE * seen.counted_s(sums.path)
    }
    return dict(sorted(found.items(), key=lambda each: -each[1].transmission_s))


def cost_s_per_min(seen: Evidence, pairs: dict[RankPair, Sums]) -> float:
    """What a rank waits for the transmissions of these pairs in each minute, the mean of all ranks."""
    ranks = len({rank for pair in seen.pairs for rank in pair})
    return sum(60 * sums.transmission_s / seen.counted_s(sums.path) for sums in pairs.values()) / max(ranks, 1)


def advice(seen: Evidence, names: Sequence[str], place: Placing) -> events.Mitigation[int] | None:
    """What to tell the user; None: nothing.

    Args:
        names: of the hosts, by index.
        place: called only where there is something to tell.
    """
    pairs = outweighed(seen)
    cost = cost_s_per_min(seen, pairs)
    if cost < LEAST_COST_S_PER_MIN:
        return None
    try:
        better = place(seen)
    except (ConfigError, MeasurementError):  # hosts that were not characterized: no other placement is compared
        better = None
    moves = better is not None and better.saving_share >= LEAST_SAVING
    saving = None if better is None else cost * better.saving_share
    return events.Mitigation(
        remedy=enums.Remedy.MAPPING if moves else enums.Remedy.DECOMPOSITION,
        reason=sentence(pairs, names, seen.observed_s, cost, saving if moves else None, known=better is not None),
        observed_s=seen.observed_s,
        cost_s_per_min=cost,
        saving_s_per_min=saving,
        host_of_rank=tuple(better.host_of_rank) if better is not None and moves else (),
        pairs=tuple(
            OutweighedPair(
                source=sums.path[0],
                destination=sums.path[1],
                source_rank=source,
                rank=rank,
                messages=sums.messages,
                size_B=sums.size_B,
                transmission_s=sums.transmission_s,
                processing_s=sums.processing_s,
            )
            for (source, rank), sums in list(pairs.items())[:MOST_PAIRS]
        ),
        all_pairs=len(pairs),
        paths_left_out=len(seen.left_out),
    )


def sentence(
    pairs: dict[RankPair, Sums],
    names: Sequence[str],
    observed_s: float,
    cost: float,
    saving: float | None,
    *,
    known: bool,
) -> str:
    """For the terminal. Of less than a minute, times are those of the run so far.

    Args:
        observed_s: how long the program was observed.
        cost, saving: in s per minute; None: no other placement is better.
        known: whether other placements could be compared.
    """
    (source, rank), longest = next(iter(pairs.items()))
    hosts = f"{names[longest.path[0]]}→{names[longest.path[1]]}"
    cost_s, whole = words.of_each_minute(cost, observed_s)
    what = (
        f"{words.count(len(pairs), 'pair')} of ranks {'spends' if len(pairs) == 1 else 'spend'} more in transmission "
        f"than in processing (first: rank {source} to {rank}, {hosts}): it costs {cost_s} of {whole}"
    )
    if saving is not None:
        saving_s, _ = words.of_each_minute(saving, observed_s)
        what += f", of which another placement of the ranks would save about {saving_s}: `fairlead placement`"
    else:
        other = "no other placement is much better" if known else "other placements were not compared"
        what += f"; {other}: more work per rank, or fewer messages, may help"
    return what.replace(words.NBSP, " ")
