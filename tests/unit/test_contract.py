"""A JSON file with a version: written, described, and read again."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import Field

from fairlead.contract import Document, Finite, Part
from fairlead.errors import ConfigError
from fairlead.located_json import Location


class Leg(Part):
    length_m: Finite


class Table(Document):
    schema_name: str = Field(alias="schema", default="test.table")
    schema_version: str = "2.3"
    legs: list[Leg]

    def contradictions(self) -> Iterator[tuple[Location, str]]:
        for place, leg in enumerate(self.legs):
            if leg.length_m < 0:
                yield ("legs", place, "length_m"), "must not be negative"


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
        ({"schema": "test.chair"}, r": is not a test\.table file\n  it is a test\.chair file"),
        ({"schema": 5}, r": is not a test\.table file\n  such a file is an object whose `schema` is 'test\.table'"),
        ({"schema_version": "3.0"}, r": has version 3\.0 of test\.table; this fairlead reads 2\.3\n  create it again"),
        (
            {"schema_version": "2.0", "legs": [{}]},
            r":1: legs\[0\]\.length_m: is missing\n  .*: the file has version 2\.0 of test\.table; .* reads 2\.3",
        ),
        ({"legs": [{"length_m": True}]}, r":1: legs\[0\]\.length_m: must be a number"),
        ({"legs": [{"length_m": -1.0}]}, r":1: legs\[0\]\.length_m: must not be negative"),
    ],
)
def test_other_files_are_refused(changes: dict[str, object], reason: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=f"table.json{reason}"):
        Table.read(stored(tmp_path, **changes))


def test_the_line_of_a_key_is_told(tmp_path: Path) -> None:
    path = tmp_path / "table.json"
    path.write_text(TABLE.to_json().replace("0.7", '"long"'))
    with pytest.raises(ConfigError, match=r"table\.json:6: legs\[0\]\.length_m: must be a number"):
        Table.read(path)
    path.write_text(TABLE.to_json().replace('"length_m": 0.7', '"length_m": 0.7,\n"length_m": 0.8'))
    with pytest.raises(ConfigError, match=r"table\.json:7: legs\[0\]\.length_m: stands twice in the same object"):
        Table.read(path)
    path.write_bytes(b"\xef\xbb\xbf" + TABLE.to_json().encode())
    assert Table.read(path) == TABLE, "editors may write a byte order mark"


def test_a_file_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no\.json: cannot be read: No such file"):
        Table.read(tmp_path / "no.json")
    (tmp_path / "half.json").write_text('{"schema":')
    with pytest.raises(ConfigError, match=r"half\.json:1: is not JSON: "):
        Table.read(tmp_path / "half.json")
    (tmp_path / "deep.json").write_text("[" * 100_000)
    with pytest.raises(ConfigError, match=r"deep\.json:1: is not JSON: is nested too deeply"):
        Table.read(tmp_path / "deep.json")


def test_what_is_nested_too_deeply_is_refused_by_its_line(tmp_path: Path) -> None:
    """Not every reader of JSON follows as deeply as the next."""
    path = tmp_path / "table.json"
    path.write_text(TABLE.to_json().rstrip().removesuffix("}") + ',\n"top": ' + "[" * 600 + "]" * 600 + "}")
    with pytest.raises(ConfigError) as told:
        Table.read(path)
    assert str(told.value).startswith(f"{path}:")
