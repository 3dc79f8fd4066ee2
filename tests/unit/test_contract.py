"""A JSON file with a version: written, described, and read again."""

import json
from pathlib import Path

import pytest
from pydantic import Field

from fairlead.contract import Document, Finite, Part
from fairlead.errors import ConfigError


class Leg(Part):
    length_m: Finite


class Table(Document):
    schema_name: str = Field(alias="schema", default="test.table")
    schema_version: str = "2.3"
    legs: list[Leg]


TABLE = Table(legs=[Leg(length_m=0.7)])


def stored(directory: Path, **changes: object) -> Path:
    path = directory / "table.json"
    path.write_text(json.dumps({**json.loads(TABLE.to_json()), **changes}))
    return path


def test_it_is_read_as_it_was_written(tmp_path: Path) -> None:
    assert json.loads(TABLE.to_json()) == {
        "schema": "test.table",
        "schema_version": "2.3",
        "legs": [{"length_m": 0.7}],
    }
    assert Table.read(stored(tmp_path)) == TABLE


def test_readers_ignore_keys_that_they_do_not_know(tmp_path: Path) -> None:
    newer = stored(tmp_path, schema_version="2.9", legs=[{"length_m": 0.7, "colour": "red"}], top="round")
    assert Table.read(newer).legs == TABLE.legs


def test_the_schema_allows_no_other_keys() -> None:
    schema = json.loads(Table.schema_text())
    assert schema["additionalProperties"] is False
    assert schema["$defs"]["Leg"]["additionalProperties"] is False
    assert schema["properties"]["schema"]["default"] == "test.table"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"schema": "test.chair"}, "is not a test.table file"),
        ({"schema_version": "3.0"}, "has version 3.0 of test.table; this fairlead reads 2.3"),
        ({"schema_version": "2.0", "legs": [{}]}, "has version 2.0 .*: legs.0.length_m: Field required"),
    ],
)
def test_other_files_are_refused(changes: dict[str, object], reason: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=f"table.json: {reason}"):
        Table.read(stored(tmp_path, **changes))


def test_a_file_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no\.json: cannot be read: No such file"):
        Table.read(tmp_path / "no.json")
    (tmp_path / "half.json").write_text('{"schema":')
    with pytest.raises(ConfigError, match=r"half\.json: is not JSON: "):
        Table.read(tmp_path / "half.json")
    (tmp_path / "deep.json").write_text("[" * 100_000)
    with pytest.raises(ConfigError, match=r"deep\.json: is not JSON: "):
        Table.read(tmp_path / "deep.json")
