"""Whether the values of a stored profile fit each other: a file may be cut, merged or edited by hand. Pure.

Profiles are ``Any`` here: their form (`fairlead.profile.json_form`) asks this module.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from fairlead.located_json import Location
from fairlead.profile.analysis.groups import NONE

MOST = 2**63 - 1
"""Of a count; more do not fit the arrays that are made of them."""
END_OF_TIME_S = 253_402_300_800.0
"""The year 10000, since the epoch: later moments have no date."""
Rows = Sequence[Sequence[float]]
Wrong = Iterator[tuple[Location, str]]


def of(found: Any) -> Wrong:
    """What does not fit in a `Summary`, by the keys that lead to it."""
    for key in ("program", "hosts", "per_rank"):
        if not getattr(found, key):
            yield (key,), "must not be empty"
    if not found.group.thresholds:
        yield ("group", "thresholds"), "must not be empty"
    if found.group.name not in (NONE, *found.group.thresholds):
        yield ("group", "name"), f"{found.group.name!r} is not among the groups of thresholds"
    if not 0 <= found.begun_s < END_OF_TIME_S:
        yield ("begun_s",), "must be seconds since the epoch, before the year 10000"
    yield from _ranks(found)
    ranks, hosts = found.ranks, len(found.hosts)
    places: list[tuple[Location, Any]] = [((), found), (("collectives",), found.collectives)]
    for keys, part in places[: 1 if found.collectives is None else 2]:
        yield from _matrix((*keys, "messages"), part.messages, ranks, "ranks")
        yield from _matrix((*keys, "bytes_B"), part.bytes_B, ranks, "ranks")
        yield from _matrix((*keys, "host_messages"), part.host_messages, hosts, "hosts")
        yield from _matrix((*keys, "host_bytes_B"), part.host_bytes_B, hosts, "hosts")
    if found.waiting is not None:
        yield from _waiting(found.waiting, ranks, len(found.per_rank))
    yield from _sizes([each.from_B for each in found.sizes])


def _ranks(found: Any) -> Wrong:
    if found.ranks < 1:
        yield ("ranks",), "must be at least 1"
    if len(found.host_of_rank) != found.ranks:
        yield ("host_of_rank",), f"has {len(found.host_of_rank)} entries for {found.ranks} ranks"
    for place, host in enumerate(found.hosts):
        if host in found.hosts[:place]:
            yield ("hosts", place), f"{host!r} is there twice"
    known = set(found.hosts)
    for rank, host in enumerate(found.host_of_rank):
        if host not in known:
            yield ("host_of_rank", rank), f"{host!r} is not among the hosts"
    seen: set[int] = set()
    for place, each in enumerate(found.per_rank):
        if not 0 <= each.rank < found.ranks or each.rank in seen:
            yield ("per_rank", place, "rank"), f"{each.rank} is no rank of {found.ranks}, or is there twice"
        seen.add(each.rank)


def _matrix(keys: Location, rows: Rows, size: int, of_what: str) -> Wrong:
    if len(rows) != size:
        yield keys, f"has {len(rows)} rows for {size} {of_what}"
    for place, row in enumerate(rows):
        if len(row) != size:
            yield (*keys, place), f"has {len(row)} columns for {size} {of_what}"
        if row and not 0 <= min(row) <= max(row) <= MOST:
            yield (*keys, place), "has a number that is negative or too large"


def _waiting(waiting: Any, ranks: int, records: int) -> Wrong:
    for key in ("late_sender_s", "late_receiver_s", "transfer_s", "unknown_s", "late_others_s", "collective_s"):
        times_s = getattr(waiting, key)
        if times_s is not None and len(times_s) != records:
            yield ("waiting", key), f"has {len(times_s)} entries for {records} of per_rank"
    for key in ("transfer_between_s", "receiving_between_s", "processing_between_s"):
        rows = getattr(waiting, key)
        if rows is not None:
            yield from _matrix(("waiting", key), rows, ranks, "ranks")


def _sizes(begins_B: Sequence[int]) -> Wrong:
    """Classes begin at 0 B and at powers of two, and rise."""
    for place, begin_B in enumerate(begins_B):
        if begin_B < 0 or begin_B & (begin_B - 1) or (place and begin_B <= begins_B[place - 1]):
            yield ("sizes", place, "from_B"), f"{begin_B} is not the begin of the next class: 0 or a power of two"
