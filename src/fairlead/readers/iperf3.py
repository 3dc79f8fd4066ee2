"""The JSON of iperf3 (``--json``), as client or server wrote it."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairlead import located_json
from fairlead.array_types import Bools, Floats
from fairlead.errors import MeasurementError
from fairlead.readers.reading import Reading
from fairlead.store import Series

Where = Callable[..., str]
"""Says of a part, by the keys that lead to it, where it stands: file and line, or the host that wrote it."""

INTERVALS = 30  # of a stream
SHORTEST_S, LONGEST_S = 0.1, 60.0  # iperf3 knows no other intervals
ONCE = ("start", "test_start", "intervals", "streams", "bytes")  # keys that count, and so stand once in an object
LIMITS = ("target_bitrate", "fqrate")
DURATION = ("start", "test_start", "duration")
AGREE = 1e-3  # what an interval's bytes, length and rate may differ by


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


def read(text: str, source: str) -> list[Reading]:
    """Tests as `fairlead.benchmarks.tcp` stores them: one, or several one after the other (``--logfile``).

    A client that only sends knows what it gave to its own system, not what arrived: its numbers have another name.

    Raises:
        MeasurementError: as `parse`; another protocol than TCP, a limited rate, no length of the test, or streams that
            differ in what they tell.
    """
    return [_test(data, where) for where, data in _documents(text, source)]


def _documents(text: str, source: str) -> list[tuple[Where, Any]]:
    """The JSON texts of a file, each with where its parts stand."""
    decoder, found, place = json.JSONDecoder(object_pairs_hook=lambda pairs: _once(pairs, text, source)), [], 0
    while place < len(text):
        rest = text[place:]
        place += len(rest) - len(rest.lstrip())
        if not rest.strip():
            break
        begin, line = place, text[:place].count("\n") + 1
        try:
            document, place = decoder.raw_decode(text, begin)
        except json.JSONDecodeError as error:
            raise MeasurementError(f"{source}:{error.lineno}: is not JSON of iperf3: {error.msg}") from error
        except (ValueError, RecursionError) as error:  # a number of thousands of digits, or lists in lists
            raise MeasurementError(f"{source}:{line}: is not JSON of iperf3: {error}") from error
        found.append((_lines_of(text[begin:place], source, line), document))
    if not found:
        raise MeasurementError(f"{source}:1: is not JSON of iperf3: it is empty")
    return found


def _lines_of(text: str, source: str, first: int) -> Where:
    """Where parts of a document stand whose text begins in line ``first``; it is parsed again for a complaint alone."""

    def where(*keys: str | int) -> str:
        try:
            line = located_json.parse(text).line_of(keys)
        except located_json.NoJsonError as error:  # NaN, which Python's parser takes
            line = error.line
        return f"{source}:{first - 1 + line}"

    return where


def _once(pairs: list[tuple[str, Any]], text: str, source: str) -> dict[str, Any]:
    """An object. JSON lets a key stand twice, and the last one count."""
    for key in ONCE:
        if [name for name, _ in pairs].count(key) > 1:
            line = text[: text.rindex(f'"{key}"')].count("\n") + 1
            raise MeasurementError(f"{source}:{line}: an object names {key!r} twice")
    return dict(pairs)


def _test(data: Any, where: Where) -> Reading:
    streams = _streams(data, where)
    start = data.get("start", {})
    _check_objects(start, where)
    _tcp_without_limit(start, where)
    seconds = _seconds(start, where)
    received = [stream for stream in streams if not stream.sends]
    sent = [stream for stream in streams if stream.sends]
    both = bool(received and sent)
    if both and len(received) != len(sent):
        raise MeasurementError(f"{where('intervals')}: {len(sent)} streams send and {len(received)} receive")
    counted_by = "senders" if sent else "receivers"
    rows = [*sent, *received]
    lengths = {len(row.intervals) for row in rows}
    if len(lengths) > 1:
        raise MeasurementError(
            f"{where('intervals')}: streams have {min(lengths)} to {max(lengths)} intervals; some are missing"
        )
    last_s = min(row.intervals[-1].end_s for row in rows)
    if not 0.9 <= last_s / seconds <= 1.1:
        raise MeasurementError(
            f"{where(*DURATION)}: the test was to last {seconds:g} s, and its intervals end at {last_s:g} s"
        )
    end_s = np.array([[each.end_s for each in row.intervals] for row in rows])
    if not middle_third(end_s, seconds).any(axis=1).all():
        raise MeasurementError(
            f"{where(*DURATION)}: the middle third of the {seconds:g} s, which counts, holds no whole interval",
            hint="run iperf3 for longer, or with a shorter --interval",
        )
    labels = {"streams": len(sent or received), "both": int(both), "seconds": seconds}
    moved = "sent_B" if sent else "received_B"
    again = [[np.nan if each.retransmits is None else each.retransmits for each in row.intervals] for row in rows]
    series = (
        Series("interval_end_s", "s", labels, end_s),
        Series(moved, "B", labels, np.array([[float(each.bytes_B) for each in row.intervals] for row in rows])),
        Series("retransmits_count", "count", labels, np.array(again, dtype=np.float64)),
    )
    plan = {"seconds": seconds, "program": str(start.get("version", "iperf3")), "counted_by": counted_by}
    return Reading("tcp", series, plan)


def _seconds(start: dict[str, Any], where: Where) -> float:
    """How long the test was to be."""
    try:
        seconds = float(start["test_start"]["duration"])
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise MeasurementError(f"{where(*DURATION)}: start.test_start.duration is missing or no number") from error
    if seconds <= 0:
        raise MeasurementError(f"{where(*DURATION)}: the test was given no time (start.test_start.duration)")
    return seconds


def _check_objects(start: Any, where: Where) -> None:
    """What tells of the test must have the form that iperf3 writes."""
    if not isinstance(start, dict):
        raise MeasurementError(f"{where('start')}: start is not an object")
    test = start.get("test_start", {})
    if not isinstance(test, dict):
        raise MeasurementError(f"{where('start', 'test_start')}: start.test_start is not an object")
    for keys, of in ((("start",), start), (("start", "test_start"), test)):
        for name in LIMITS:
            if not isinstance(of.get(name, 0), int | float):
                raise MeasurementError(f"{where(*keys, name)}: {name} is not a number: {of[name]!r}")


def _tcp_without_limit(start: dict[str, Any], where: Where) -> None:
    test, place = start.get("test_start", {}), ("start", "test_start")
    if test.get("protocol") != "TCP":
        told = test.get("protocol") or "an unknown protocol"
        raise MeasurementError(
            f"{where(*place, 'protocol')}: is a test of {told} (start.test_start.protocol)",
            hint="only those of TCP are read",
        )
    # Where it stands depends on the version; iperf3 writes 0 where there is no limit.
    limits = [(of.get(name, 0), (*keys, name)) for keys, of in ((("start",), start), (place, test)) for name in LIMITS]
    greatest, keys = max(limits, key=lambda each: abs(each[0]))
    if greatest:
        raise MeasurementError(
            f"{where(*keys)}: was limited to {greatest:g} bit/s (-b or --fq-rate): that does not measure the network",
            hint="run iperf3 without a limit",
        )


def interval_s(seconds: float) -> float:
    """How often iperf3 shall tell what a stream of that length carried."""
    return min(max(SHORTEST_S, seconds / INTERVALS), LONGEST_S)


def middle_third(end_s: Floats, seconds: float) -> Bools:
    """Which intervals lie in the middle third of their stream, which alone counts; shape (streams, intervals).

    Args:
        end_s: (streams, intervals) ends since the stream began; NaN: none.
        seconds: length of a stream.
    """
    begin_s = np.concatenate([np.zeros((len(end_s), 1)), end_s[:, :-1]], axis=1)
    slack_s = interval_s(seconds) / 2
    inside: Bools = (begin_s >= seconds / 3 - slack_s) & (end_s <= 2 * seconds / 3 + slack_s)
    return inside


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
        raise MeasurementError(f"{source}:{error.lineno}: is not JSON of iperf3: {error.msg}") from error
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, or lists in lists
        raise MeasurementError(f"{source}:1: is not JSON of iperf3: {error}") from error
    return _streams(data, lambda *_: source)


def _streams(data: Any, where: Where) -> list[Stream]:
    if not isinstance(data, dict):
        raise MeasurementError(f"{where()}: is not JSON of iperf3: no object")
    if "error" in data:
        raise MeasurementError(f"{where('error')}: iperf3 failed: {data['error']}")
    found: dict[tuple[int, bool], list[Interval]] = {}
    if not isinstance(data.get("intervals", []), list):
        raise MeasurementError(f"{where('intervals')}: is not JSON of iperf3: intervals is not a list")
    for number, interval in enumerate(data.get("intervals", [])):
        if not isinstance(interval, dict) or not isinstance(interval.get("streams"), list):
            place = where("intervals", number)
            raise MeasurementError(f"{place}: intervals[{number}]: there is no list of streams")
        for k, stream in enumerate(interval["streams"]):
            key, value = _interval(stream, where, ("intervals", number, "streams", k))
            if not stream.get("omitted", False):
                found.setdefault(key, []).append(value)
    if not found:
        raise MeasurementError(f"{where('intervals')}: there is no stream in this JSON of iperf3")
    return [Stream(sends, tuple(intervals)) for (_, sends), intervals in found.items()]


def _interval(stream: Any, where: Where, place: located_json.Location) -> tuple[tuple[int, bool], Interval]:
    try:
        return _checked(stream)
    except MeasurementError as error:
        raise MeasurementError(f"{where(*place)}: intervals[{place[1]}]: {error.message}", hint=error.hint) from error


def _checked(stream: Any) -> tuple[tuple[int, bool], Interval]:
    """Socket and direction, and the interval.

    Raises:
        MeasurementError: it is not what iperf3 writes; without its place.
    """
    if not isinstance(stream, dict):
        raise MeasurementError("a stream is not an object")
    try:
        value = Interval(
            float(stream["start"]),
            float(stream["end"]),
            int(stream["bytes"]),
            int(stream["retransmits"]) if "retransmits" in stream else None,
        )
        if value.retransmits is not None and value.retransmits < 0:
            raise MeasurementError(f"{value.retransmits} retransmits")
        _agree(stream)
        return (int(stream["socket"]), bool(stream["sender"])), value
    except KeyError as error:
        raise MeasurementError(f"a stream has no {error}", hint="iperf3 3.7 and later is read") from error
    except (TypeError, ValueError, OverflowError) as error:
        raise MeasurementError(f"a value is not a number: {error}") from error


def _agree(stream: dict[str, Any]) -> None:
    """iperf3 writes the rate that follows from bytes and seconds beside them."""
    if not stream.keys() & {"seconds", "bits_per_second"}:
        return
    moved_B, length_s, rate_bps = (float(stream[key]) for key in ("bytes", "seconds", "bits_per_second"))
    if not length_s:
        return
    if abs(8 * moved_B / length_s - rate_bps) > AGREE * max(rate_bps, 8 * moved_B / length_s):
        raise MeasurementError(f"{moved_B:g} bytes in {length_s:g} s are not {rate_bps:g} bit/s")
    if abs(float(stream["end"]) - float(stream["start"]) - length_s) > AGREE:
        raise MeasurementError(f"from {stream['start']} to {stream['end']} s are not {length_s:g} s")
