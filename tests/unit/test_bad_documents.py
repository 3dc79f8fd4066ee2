"""JSON files that fairlead wrote and that somebody spoiled: file, line, key and way out are told; nothing is made."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from fairlead.cli.main import command
from fairlead.contract import Document
from fairlead.errors import ConfigError
from fairlead.placement.json_form import Placement
from fairlead.profile.json_form import Summary

from .profile.test_profile_report import ring, three

PLACED = Path(__file__).parents[2] / "examples/placement/nbody-placed.json"
KINDS: dict[str, tuple[type[Document], str]] = {
    "placement": (Placement, PLACED.read_text(encoding="utf-8")),
    "profile": (Summary, three().to_json()),
}
NUMBERS = {"placement": ("before.rank_s", r'"rank_s": [^,\n]+'), "profile": ("mpi_share", r'"mpi_share": [^,\n]+')}
"""The first number of each, which is no whole one: its key, and how the file has it."""


def with_number(text: str, kind: str, word: str) -> bytes:
    written = NUMBERS[kind][1]
    return re.sub(written, lambda match: match[0].split(":")[0] + f": {word}", text, count=1).encode()


def with_key(text: str, key: str, value: object) -> bytes:
    return json.dumps({**json.loads(text), key: value}, indent=2).encode()


WAYS: dict[str, tuple[Callable[[str, str], bytes], str]] = {
    "empty": (lambda text, kind: b"", r":1: is not JSON: "),
    "cut in the middle": (lambda text, kind: text[: len(text) // 2].encode(), r":\d+: is not JSON: "),
    "without its end": (lambda text, kind: text.rstrip()[:-1].encode(), r":\d+: is not JSON: a comma or } is missing"),
    "text behind it": (lambda text, kind: (text + "}").encode(), r":\d+: is not JSON: text after the end"),
    "a comma too many": (
        lambda text, kind: (text.rstrip()[:-1].rstrip() + ",\n}").encode(),
        r":\d+: is not JSON: a comma before the end",
    ),
    "NaN": (lambda text, kind: with_number(text, kind, "NaN"), r":\d+: is not JSON: NaN is not a number of JSON"),
    "infinite": (lambda text, kind: with_number(text, kind, "1e999"), r":\d+: NUMBER: must be a finite number"),
    "text for a number": (lambda text, kind: with_number(text, kind, '"fast"'), r":\d+: NUMBER: must be a number"),
    "true for a number": (lambda text, kind: with_number(text, kind, "true"), r":\d+: NUMBER: must be a number"),
    "thousands of digits": (lambda text, kind: with_number(text, kind, "9" * 5000), r":\d+: is not JSON: Exceeds"),
    "a list": (lambda text, kind: f"[{text}]".encode(), r": is not a fairlead\.KIND file\n  such a file is an object"),
    "another file": (
        lambda text, kind: with_key(text, "schema", "fairlead.run"),
        r": is not a fairlead\.KIND file\n  it is a fairlead\.run file",
    ),
    "a later version": (
        lambda text, kind: with_key(text, "schema_version", "9.0"),
        r": has version 9\.0 of fairlead\.KIND; this fairlead reads \d\.\d\n  create it again",
    ),
    "not UTF-8": (lambda text, kind: text.encode("utf-16"), r": is not UTF-8 text: "),
    "a key is missing": (
        lambda text, kind: json.dumps({k: v for k, v in json.loads(text).items() if k != "program"}).encode(),
        r":1: program: is missing\n  create it again",
    ),
    "a key stands twice": (
        lambda text, kind: text.replace('"program": [', '"program": [],\n  "program": [', 1).encode(),
        r":\d+: program: stands twice in the same object",
    ),
    "a text for a list": (lambda text, kind: with_key(text, "program", "cg"), r":\d+: program: must be a list"),
    "a number for a text": (lambda text, kind: with_key(text, "program", [5]), r":\d+: program\[0\]: must be a string"),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_spoilt_file_is_told_by_line_and_key(kind: str, way: str, tmp_path: Path) -> None:
    document, text = KINDS[kind]
    spoil, complaint = WAYS[way]
    file = tmp_path / "f.json"
    file.write_text(text)
    document.read(file)
    file.write_bytes(spoil(text, kind))
    told = complaint.replace("KIND", kind).replace("NUMBER", re.escape(NUMBERS[kind][0]))
    with pytest.raises(ConfigError, match=re.escape(str(file)) + told):
        document.read(file)


def changed(data: Any, path: str, value: object) -> None:
    *keys, last = [int(part) if part.isdigit() else part for part in path.split("/")]
    for key in keys:
        data = data[key]
    data[last] = value


@pytest.mark.parametrize(
    ("path", "value", "complaint"),
    [
        ("program", [], "program: must not be empty"),
        ("per_rank", [], "per_rank: must not be empty"),
        ("group/thresholds", {}, "group.thresholds: must not be empty"),
        ("group/name", "middling", "group.name: 'middling' is not among the groups of thresholds"),
        ("begun_s", 1e18, "begun_s: must be seconds since the epoch, before the year 10000"),
        ("ranks", 0, "ranks: must be at least 1"),
        ("ranks", 4, "host_of_rank: has 3 entries for 4 ranks"),
        ("hosts", ["a", "a"], r"hosts\[1\]: 'a' is there twice"),
        ("host_of_rank/2", "c", r"host_of_rank\[2\]: 'c' is not among the hosts"),
        ("per_rank/1/rank", 7, r"per_rank\[1\]\.rank: 7 is no rank of 3, or is there twice"),
        ("per_rank/1/rank", 0, r"per_rank\[1\]\.rank: 0 is no rank of 3, or is there twice"),
        ("messages", [[0, 1], [1, 0]], "messages: has 2 rows for 3 ranks"),
        ("bytes_B/1", [0, 0], r"bytes_B\[1\]: has 2 columns for 3 ranks"),
        ("messages/0/1", -1, r"messages\[0\]: has a number that is negative or too large"),
        ("bytes_B/0/1", 2**63, r"bytes_B\[0\]: has a number that is negative or too large"),
        ("host_bytes_B", [[0]], "host_bytes_B: has 1 rows for 2 hosts"),
        ("sizes/0/from_B", 3, r"sizes\[0\]\.from_B: 3 is not the begin of the next class"),
    ],
)
def test_values_of_a_profile_that_do_not_fit_each_other_are_told(
    path: str, value: object, complaint: str, tmp_path: Path
) -> None:
    data = json.loads(three().to_json())
    changed(data, path, value)
    file, page = tmp_path / "p.json", tmp_path / "p.html"
    file.write_text(json.dumps(data, indent=2))
    done = CliRunner().invoke(command, ["profile", "show", str(file), "--html", str(page)])
    assert isinstance(done.exception, ConfigError), (done.output, done.exception)  # the command ends with code 2
    assert re.match(rf"{re.escape(str(file))}:\d+: {complaint}", str(done.exception)), str(done.exception)
    assert not page.exists()


def test_values_of_waiting_and_of_collective_calls_are_checked_too() -> None:
    found = ring(4, 2)
    sent = {"messages": [[0] * 4] * 4, "bytes_B": [[0] * 4] * 4, "host_messages": [[0]], "host_bytes_B": [[0] * 2] * 2}
    waited = dict.fromkeys(("late_sender_s", "late_receiver_s", "transfer_s", "unknown_s"), [0.0] * 4)
    data = json.loads(found.to_json())
    data["collectives"] = {"source": "estimated", **sent}
    data["waiting"] = {
        **waited, "unknown_s": [0.0], "transfer_between_s": [[0.0] * 4] * 3,
        "joined": 0, "kept": 0, "all_ends": 0, "bound_s": None,
    }  # fmt: skip
    told = dict(Summary.model_validate(data).contradictions())
    assert told == {
        ("collectives", "host_messages"): "has 1 rows for 2 hosts",
        ("collectives", "host_messages", 0): "has 1 columns for 2 hosts",
        ("waiting", "unknown_s"): "has 1 entries for 4 of per_rank",
        ("waiting", "transfer_between_s"): "has 3 rows for 4 ranks",
    }
    assert list(found.contradictions()) == []


@pytest.mark.parametrize(
    ("key", "value", "complaint"),
    [
        ("host_of_rank", [], "host_of_rank: must not be empty: it is the host of each rank"),
        ("hosts_before", ["h0"], "hosts_before: has 1 entries, host_of_rank 8"),
    ],
)
def test_a_placement_that_places_nothing_is_told(key: str, value: object, complaint: str, tmp_path: Path) -> None:
    file = tmp_path / "placed.json"
    file.write_bytes(with_key(PLACED.read_text(encoding="utf-8"), key, value))
    with pytest.raises(ConfigError, match=rf"placed\.json:\d+: {complaint}"):
        Placement.read(file)
