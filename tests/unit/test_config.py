"""Files that people write: mistakes are told with file, line and key."""

from pathlib import Path
from typing import Annotated, Literal, Self

import pytest
from pydantic import Field, model_validator

from fairlead import config
from fairlead.config import Model, line_of, parse, text_of
from fairlead.config_changes import ConfigChange
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


class Numbers(Model):
    by_name: dict[str, float] = Field(default_factory=dict)
    listed: tuple[int, ...] = ()
    one: float = 1.0
    is_so: bool = False
    odd: int | bool = 0
    text: str = ""
    host: Host | None = None
    under: float = Field(default=0, alias="with")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("one = true", "f.toml:1: one: must be a number, not true or false"),
        ("\nwith = false", "f.toml:2: with: must be a number, not true or false"),
        ("listed = [1, true]", "f.toml:1: listed[1]: must be a number, not true or false"),
        ("[by_name]\na = 1\nb = true", "f.toml:3: by_name.b: must be a number, not true or false"),
        ('[host]\nname = "a"\nslots = true', "f.toml:3: host.slots: must be a number, not true or false"),
        ("one = inf", "f.toml:1: one: must be a finite number"),
        ("[by_name]\nb = -nan", "f.toml:2: by_name.b: must be a finite number"),
        ("listed = [1" + "0" * 20 + "]", "f.toml:1: listed[0]: must be at most 9223372036854775807"),
        ("one = -1" + "0" * 20, "f.toml:1: one: must be at least -9223372036854775807"),
        ('text = "a\\u0000b"', "f.toml:1: text: must not have a control character (U+0000)"),
        ('host = { name = "a\\u001bb" }', "f.toml:1: host.name: must not have a control character (U+001B)"),
    ],
)
def test_what_toml_allows_and_no_key_can_mean_is_refused(text: str, expected: str) -> None:
    with pytest.raises(ConfigError) as raised:
        parse(text, Numbers, source="f.toml")
    assert str(raised.value) == expected


def test_truths_and_texts_of_several_lines_are_kept_where_they_belong() -> None:
    made = parse('is_so = true\nodd = true\ntext = """a\n\tb"""\none = 1', Numbers, source="f.toml")
    assert (made.is_so, made.odd, made.text, made.one) == (True, True, "a\n\tb", 1.0)


def test_a_change_of_a_value_is_named_if_it_is_what_no_key_can_mean() -> None:
    with pytest.raises(ConfigError, match=r"--set by_name.a: must be a finite number"):
        parse("[by_name]\na = 1", Numbers, source="f.toml", changes=[ConfigChange.parse("by_name.a=nan")])


def test_good_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "c.toml"
    path.write_text(GOOD)
    assert config.load(path, File).hosts == [Host(name="h0"), Host(name="h1", slots=2)]


def test_a_byte_order_mark_is_no_part_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "c.toml"
    path.write_bytes(GOOD.encode("utf-8-sig"))
    assert config.load(path, File).hosts == [Host(name="h0"), Host(name="h1", slots=2)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (GOOD.replace("slots = 2", 'slots = "two"'), "f.toml:9: hosts[1].slots: must be a whole number"),
        (GOOD.replace("slots = 2", "slot = 2"), "f.toml:9: hosts[1].slot: unknown key `slot` (did you mean `slots`?)"),
        (GOOD.replace('name = "h0"', ""), "f.toml:4: hosts[0].name: is missing"),
        (GOOD.replace("[cluster]", "[cluste]"), "f.toml:1: cluster: is missing"),
        (GOOD.replace('"c"', "c"), "f.toml:2: not valid TOML"),
        (GOOD + "slots =", "f.toml:10: not valid TOML: Invalid value (at end of document)"),
        (GOOD + "slots = 3", "f.toml:10: not valid TOML: Cannot overwrite a value"),
        (GOOD + 'note = """not ended', "f.toml:10: not valid TOML: "),
        (GOOD + "[cluster", "f.toml:10: not valid TOML: "),
        (GOOD + "[cluster]\n", "f.toml:10: not valid TOML: "),
        ("cluster = 7\nhosts = []\n", "f.toml:1: cluster: must be a table"),
        ("", "f.toml:1: cluster: is missing"),
    ],
)
def test_mistake_is_located(text: str, expected: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(text, File, source="f.toml")
    assert expected in str(caught.value)


def test_unreadable_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"absent\.toml: no such file"):
        config.load(tmp_path / "absent.toml", File)


def test_line_of_prefers_the_deepest_key_that_is_written() -> None:
    text = "a = 1\n[t]\n[t.u]\nx = 1\n"
    assert line_of(text, ("t", "u", "x")) == 4
    assert line_of(text, ("t", "u", "missing")) == 3
    assert line_of(text, ("elsewhere",)) == 1
    assert line_of("a = 1\n[[t]]\n[[t]]\nb = 1\n", ("t",)) == 2


def test_line_of_tells_headers_and_keys_from_what_is_inside_values() -> None:
    lines = "\n".join(
        [
            "[t]",
            "undo = [",
            '    ["rm", "a"],  # [not.a.header]',
            '    ["rm", "checkpoint"]',
            "]",
            "said = '''",
            "[u]",
            "x = 1",
            "'''",
            'more = """',
            '[u]"""',
            "inline = { a = [",
            '    ["b"]',
            "  ] }",
            'text = "[ \\" ["  # [',
            "x = 2",
            "[[u]]",
            "x = 3",
            "[[u]]",
            "x = 4",
        ]
    )
    at = {line: number for number, line in enumerate(lines.splitlines(), start=1)}
    assert line_of(lines, ("t", "x")) == at["x = 2"]
    assert line_of(lines, ("t", "more")) == at['more = """']
    assert line_of(lines, ("t", "inline")) == at["inline = { a = ["]
    assert line_of(lines, ("u", 0, "x")) == at["x = 3"]
    assert line_of(lines, ("u", 1, "x")) == at["x = 4"]


class Streams(Model):
    kind: Literal["streams"]
    streams: int = Field(default=1, ge=1)
    between: tuple[str, str] | None = None


class Delay(Model):
    kind: Literal["delay"]
    link: tuple[str, str]


class Value(Model):
    column: str


class Plan(Model):
    code: Annotated[str, text_of(r"[a-z]+", "it must have small letters only")] = "x"
    role: Literal["compute", "relay"] = "compute"
    load: tuple[Annotated[Streams | Delay, Field(discriminator="kind")], ...] = Field(default=(), min_length=1)
    values: dict[str, Value] = Field(default={})
    level: int | str = 1
    stages: dict[str, Literal["on", "off"] | Value] = Field(default={})

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.level == 0:
            raise ValueError("level and all else contradict each other")
        if self.role == "relay":
            raise ValueError("load.0.streams: relays have none")
        if self.level == 2:
            raise ValueError("values.a b: a second level")
        return self


STREAMS = '[[load]]\nkind = "streams"\n'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('code = "A b"', ["f:1: code: 'A b' is refused: it must have small letters only"]),
        ('code = "ab\\n"', ["f:1: code: 'ab\\n' is refused: it must have small letters only"]),
        ('role = "boss"', ["f:1: role: must be one of 'compute' or 'relay'"]),
        ("load = []", ["f:1: load: must not be empty"]),
        ('[[load]]\nkind = "no"', ["f:1: load[0]: 'kind' must be one of 'streams', 'delay', not 'no'"]),
        # Keys are those of the kind, and a list is not called empty because of its entries.
        (STREAMS + "betwen = 1", ["f:3: load[0].betwen: unknown key `betwen` (did you mean `between`?)"]),
        (STREAMS + "link = 1", ["f:3: load[0].link: unknown key `link`; known are kind, streams, between"]),
        (STREAMS + "streams = 0", ["f:3: load[0].streams: must be at least 1"]),
        ('[values.t]\ncolum = "a"', [
            "f:1: values.t.column: is missing", "f:2: values.t.colum: unknown key `colum` (did you mean `column`?)"]),
        ("level = 0", ["f:1: file: level and all else contradict each other"]),
        # A check of a whole table names the key; where the file does not have it, the message says it all.
        ('role = "relay"\n' + STREAMS + "streams = 2", ["f:4: load[0].streams: relays have none"]),
        ('role = "relay"\n' + STREAMS, ["f:1: file: load.0.streams: relays have none"]),
        ('level = 2\n[values."a b"]\ncolumn = "x"', ["f:2: values.a b: a second level"]),
        # A table with a mistake inside is not told that it is no word.
        ('[stages]\nfull = { colum = "a" }', [
            "f:2: stages.full.column: is missing",
            "f:2: stages.full.colum: unknown key `colum` (did you mean `column`?)"]),
        ('[stages]\nfull = "of"', ["f:2: stages.full: must be one of 'on' or 'off' or must be a table"]),
        ('role = { column = 1 }', ["f:1: role: must be one of 'compute' or 'relay'"]),
        ("level = 1.5", ["f:1: level: must be a whole number or must be a string, in quotes"]),
    ],
)  # fmt: skip
def test_mistakes_are_told_in_words(text: str, expected: list[str]) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(text, Plan, source="f")
    assert str(caught.value).splitlines() == expected


@pytest.mark.parametrize("value", ["9" * 5000, "[" * 100_000])
def test_what_the_parser_of_toml_cannot_take_is_refused(value: str) -> None:
    with pytest.raises(ConfigError, match=r"^f\.toml: not valid TOML: "):
        parse(f"one = {value}", Numbers, source="f.toml")
