"""The JSON of iperf3 (``--json``), as client or server wrote it."""

import json
from dataclasses import dataclass
from typing import Any

from fairlead.errors import MeasurementError


@dataclass(frozen=True)
class Interval:
    """What one stream moved between two moments since the test began.

    Attributes:
        bytes_B: sent by a sender, received by a receiver.
        retransmits: of a sender, where the system counts them; else None.
    """

    start_s: float
    end_s: float
    bytes_B: int
    retransmits: int | None


@dataclass(frozen=True)
class Stream:
    """One direction of one connection, as one end of it saw it; intervals in order, without omitted ones."""

    sends: bool
    intervals: tuple[Interval, ...]


def parse(text: str, source: str) -> list[Stream]:
    """The streams of a test, in the order in which they appear.

    Args:
        source: file or host, for messages.

    Raises:
        MeasurementError: no JSON (with the line), a test that failed (in iperf3's words), or no stream in it.
    """
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise MeasurementError(f"{source}:{error.lineno}: is no JSON of iperf3: {error.msg}") from error
    if not isinstance(data, dict):
        raise MeasurementError(f"{source}:1: is no JSON of iperf3: no object")
    if "error" in data:
        raise MeasurementError(f"{source}: iperf3 failed: {data['error']}")
    found: dict[tuple[int, bool], list[Interval]] = {}
    for number, interval in enumerate(data.get("intervals", [])):
        for stream in interval.get("streams", []):
            key, value = _interval(stream, f"{source}: intervals[{number}]")
            if not stream.get("omitted", False):
                found.setdefault(key, []).append(value)
    if not found:
        raise MeasurementError(f"{source}: there is no stream in this JSON of iperf3")
    return [Stream(sends, tuple(intervals)) for (_, sends), intervals in found.items()]


def _interval(stream: dict[str, Any], where: str) -> tuple[tuple[int, bool], Interval]:
    try:
        value = Interval(
            float(stream["start"]),
            float(stream["end"]),
            int(stream["bytes"]),
            int(stream["retransmits"]) if "retransmits" in stream else None,
        )
        return (int(stream["socket"]), bool(stream["sender"])), value
    except KeyError as error:
        raise MeasurementError(f"{where}: a stream has no {error}", hint="iperf3 3.7 and later is read") from error
    except (TypeError, ValueError) as error:
        raise MeasurementError(f"{where}: a value is no number: {error}") from error
