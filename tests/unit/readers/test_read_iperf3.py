"""Reading iperf3's JSON: what it says, and what is refused."""

import json
from typing import Any

import pytest

from fairlead.errors import MeasurementError
from fairlead.readers.iperf3 import Interval, parse


def stream(socket: int, start: float, **values: Any) -> dict[str, Any]:
    whole = {
        "socket": socket,
        "start": start,
        "end": start + 1,
        "seconds": 1,
        "bytes": 1000,
        "bits_per_second": 8.0 * (values.get("bytes", 1000) or 0),
        "omitted": False,
    }
    return {**whole, "sender": True, "retransmits": 2, **values}


def text(*intervals: list[dict[str, Any]], **more: Any) -> str:
    return json.dumps({"intervals": [{"streams": streams} for streams in intervals], **more})


def test_streams_are_told_apart_by_socket_and_direction() -> None:
    back = {"sender": False, "bytes": 7}
    found = parse(
        text(
            [stream(5, 0, omitted=True)],
            [stream(5, 0), {k: v for k, v in stream(7, 0, **back).items() if k != "retransmits"}],
            [stream(5, 1, bytes=2000)],
        ),
        "x",
    )
    assert [each.sends for each in found] == [True, False]
    assert found[0].intervals == (Interval(0.0, 1.0, 1000, 2), Interval(1.0, 2.0, 2000, 2))
    assert found[1].intervals == (Interval(0.0, 1.0, 7, None),)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"a":\n1,\n', "out.json:3: is not JSON of iperf3"),
        ("[1]", "out.json: is not JSON of iperf3: no object"),
        ('{"error": "unable to connect to server: Connection refused"}', "iperf3 failed: unable to connect"),
        ("{}", "out.json: there is no stream"),
        (text([{"socket": 1}]), r"out.json: intervals\[0\]: a stream has no 'start'"),
        (text([stream(1, 0, bytes=None)]), r"out.json: intervals\[0\]: a value is not a number"),
    ],
)
def test_what_is_not_understood_is_refused(content: str, message: str) -> None:
    with pytest.raises(MeasurementError, match=message):
        parse(content, "out.json")
