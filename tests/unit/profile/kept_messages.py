"""Records of ranks that kept given ends of messages."""

from datetime import UTC, datetime

import numpy as np

from fairlead.profile.analysis import waiting
from fairlead.profile.record import END, Messages, Record, SizeHistogram

WORLD = 77


def end(kind: int, peer: int, begun: float, needed: float, done: float, **others: float) -> tuple[float, ...]:
    values = {
        "communicator": WORLD,
        "size_B": 8,
        "computed_s": 0.0,
        "tag": 1,
        "thread": 0,
        "function": 0,
        "by": 0,
        "member": 0,
    }
    values.update(others)
    return (
        values["communicator"], values["size_B"], begun, needed, values["computed_s"], done, peer, values["tag"],
        values["thread"], values["function"], values["by"], kind, values["member"],
    )  # fmt: skip


def a_record(rank: int, ends: list[tuple[float, ...]], host: str = "h", ranks: int = 2) -> Record:
    messages = np.zeros(ranks + 1, np.uint64)
    sizes = np.zeros(65, np.uint64)
    return Record(
        source="x", pid=rank, host=host, program="p", library="l", opened=datetime(2026, 11, 22, tzinfo=UTC),
        state="finalized", rank=rank, ranks=ranks, time_s=100.0, threads=1, functions={},
        messages=Messages(messages + len(ends), messages, messages, messages), sizes=SizeHistogram(sizes, sizes, sizes),
        ends=np.array(ends, END),
    )  # fmt: skip


def waited(records: list[Record], hosts: list[str] | None = None) -> waiting.Waiting:
    """What these ranks waited for; all on one host if not told."""
    result = waiting.of(records, len(records), hosts or ["h"] * len(records))
    assert result is not None
    return result
