"""At which message sizes a network is measured for a program: few sizes that say how long its messages take. Pure.

The rule (docs/guides/characterize.md): 64 B stands for everything smaller and is always there, because levels and
probes stand on the latency of a small message. Of the classes above, those with the most messages and with the most
bytes between hosts are taken in turn, until those taken hold 95 % of both or are four. A class is measured at its first
size, the largest one at its end, too, so that all messages of the classes lie between sizes that were measured.
"""

from dataclasses import dataclass

from fairlead.errors import MeasurementError
from fairlead.profile.json_form import Rank, Summary
from fairlead.protocol import numbers

SMALL_B = 64
LARGEST_B = numbers.PINGPONG_SIZES_B[1]  # that agents exchange
MOST_CLASSES = 4
ENOUGH = 0.95  # share of messages, and of bytes
_MIDDLE = 1.5  # mean size of a class over its first size, if sizes are spread evenly in it


@dataclass(frozen=True)
class SelectedSizes:
    """The sizes, ascending, and how much of what the program sends between hosts they stand for.

    Attributes:
        messages_share, bytes_share: of the classes that were taken. Bytes are estimated from the classes.
        one_host: the profile is of one host, so that what is sent inside it counts in place of that between hosts.
    """

    sizes_B: tuple[int, ...]
    messages_share: float
    bytes_share: float
    one_host: bool


def select_message_sizes(profile: Summary) -> SelectedSizes:
    """The sizes for a program.

    A rank's messages of each size are taken to go to other hosts as often as all its messages do: a profile does not
    tell more. A collective call counts as one message of what it gives to one rank.

    Raises:
        MeasurementError: the program sends nothing between hosts.
    """
    one_host = len(profile.hosts) == 1
    messages: dict[int, float] = {}
    for rank in profile.per_rank:
        share = 1.0 if one_host else _away_share(profile, rank)
        for each in rank.sizes:
            first_B = each.from_B if each.from_B >= SMALL_B else 0
            messages[first_B] = messages.get(first_B, 0.0) + share * each.messages + each.collective_calls
    bytes_B = {first_B: _MIDDLE * first_B * number for first_B, number in messages.items()}
    if not any(messages.values()):
        raise MeasurementError("the program of this profile sends nothing between hosts", hint="give --sizes instead")
    taken = _take(messages, bytes_B)
    sizes = [SMALL_B, *taken, *([2 * max(taken)] if taken else [])]
    held = {0, *taken}
    return SelectedSizes(
        tuple(sorted({min(size, LARGEST_B) for size in sizes})), _held(messages, held), _held(bytes_B, held), one_host
    )


def _take(messages: dict[int, float], bytes_B: dict[int, float]) -> list[int]:
    """First sizes of the classes from `SMALL_B` on that are measured."""
    taken: list[int] = []
    orders = [
        sorted((first_B for first_B, number in amount.items() if first_B and number), key=lambda b: (-amount[b], b))
        for amount in (messages, bytes_B)
    ]
    while len(taken) < min(MOST_CLASSES, len(orders[0])):
        if all(_held(amount, {0, *taken}) >= ENOUGH for amount in (messages, bytes_B)):
            break
        order = orders[len(taken) % 2]
        taken.append(next(first_B for first_B in order if first_B not in taken))
    return taken


def _held(amount: dict[int, float], classes: set[int]) -> float:
    whole = sum(amount.values())
    return sum(number for first_B, number in amount.items() if first_B in classes) / whole if whole else 1.0


def _away_share(profile: Summary, rank: Rank) -> float:
    """Share of a rank's messages that go to other hosts."""
    row = profile.messages[rank.rank]
    away = sum(number for to, number in enumerate(row) if profile.host_of_rank[to] != rank.host)
    return away / sum(row) if any(row) else 0.0
