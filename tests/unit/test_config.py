"""Files that people write: mistakes are told with file, line and key."""

from pathlib import Path

import pytest

from fairlead.config import Model, line_of, load, parse
from fairlead.errors import ConfigError


class Host(Model):
    name: str
    slots: int = 1


class Cluster(Model):
    name: str


class File(Model):
    cluster: Cluster
    hosts: list[Host]


GOOD = """\
[cluster]
name = "c"

[[hosts]]
name = "h0"

[[hosts]]
name = "h1"
slots = 2
"""


def test_good_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "c.toml"
    path.write_text(GOOD)
    assert load(path, File).hosts == [Host(name="h0"), Host(name="h1", slots=2)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (GOOD.replace("slots = 2", 'slots = "two"'), "f.toml:9: hosts[1].slots: "),
        (GOOD.replace("slots = 2", "slot = 2"), "f.toml:9: hosts[1].slot: Extra inputs are not permitted"),
        (GOOD.replace('name = "h0"', ""), "f.toml:4: hosts[0].name: Field required"),
        (GOOD.replace("[cluster]", "[cluste]"), "f.toml:1: cluster: Field required"),
        (GOOD.replace('"c"', "c"), "f.toml:2: not valid TOML"),
        (GOOD + "slots =", "f.toml:10: not valid TOML: Invalid value (at end of document)"),
        (GOOD + "slots = 3", "f.toml:10: not valid TOML: Cannot overwrite a value"),
        (GOOD + 'note = """not ended', "f.toml:10: not valid TOML: "),
        (GOOD + "[cluster", "f.toml:10: not valid TOML: "),
        (GOOD + "[cluster]\n", "f.toml:10: not valid TOML: "),
        ("cluster = 7\nhosts = []\n", "f.toml:1: cluster: "),
        ("", "f.toml:1: cluster: Field required"),
    ],
)
def test_mistake_is_located(text: str, expected: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(text, File, source="f.toml")
    assert expected in str(caught.value)


def test_unreadable_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"absent\.toml: cannot be read"):
        load(tmp_path / "absent.toml", File)


def test_line_of_prefers_the_deepest_key_that_is_written() -> None:
    text = "a = 1\n[t]\n[t.u]\nx = 1\n"
    assert line_of(text, ("t", "u", "x")) == 4
    assert line_of(text, ("t", "u", "missing")) == 3
    assert line_of(text, ("elsewhere",)) == 1
