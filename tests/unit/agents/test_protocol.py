"""The table of the agents' protocol, and what is made of it."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from protocol import table
from protocol.generate import ROOT
from protocol.table import Field, Message

from fairlead.protocol import answers, commands, events, reading
from fairlead.protocol.fields import Fields, whole

TABLE = table.load_table()
NAMES = ["h0", "h1", "h2", "h3"]


def value_of(field: Field) -> Any:
    """One that the field may have in a line."""
    one: Any
    if enum := TABLE.enum(field.type.name):
        one = enum.values[-1].text
    elif field.type.name in table.SIMPLE:
        one = {"real": 0.25, "whole": 7, "flag": True, "text": "words", "host": 2, "index": 3, "json": [1, None]}[
            field.type.name
        ]
    else:
        one = line_of(TABLE.object(field.type.name))
    return [one, one] if field.type.many else {"name": one} if field.type.by_text else one


def line_of(message: Message) -> dict[str, Any]:
    return {field.name: value_of(field) for field in message.fields}


def test_generated_sources_are_of_this_table(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "protocol.generate", tmp_path], check=True, cwd=ROOT)
    made = {path.relative_to(tmp_path): path.read_text() for path in tmp_path.rglob("*") if path.is_file()}
    assert len(made) > 10
    for name, text in made.items():
        assert (ROOT / name).read_text() == text, f"{name}: run python -m protocol.generate"
        assert "Made by `python -m protocol.generate`" in text


@pytest.mark.parametrize("message", TABLE.events, ids=lambda each: each.name)
def test_events_are_written_as_they_are_read(message: Message) -> None:
    line = line_of(message)
    event = reading.event_of(message.name, {**line, "type": message.name, "t_s": 5.0, "added_later": 1})
    assert (event.TYPE, event.t_s, event.STORED) == (message.name, 5.0, message.stored)
    assert event.to_json(lambda host: host) == line


@pytest.mark.parametrize("message", TABLE.events, ids=lambda each: each.name)
def test_events_are_stored_with_names_and_read_again(message: Message) -> None:
    event = reading.event_of(message.name, line_of(message))
    data = event.to_json(NAMES.__getitem__)
    again = reading.stored_event(type(event), 5.0, {**data, "host": "h0"})
    assert again.t_s == 5.0
    assert again.to_json(lambda name: name) == data
    hosts = [field.name for field in message.fields if field.type.name == "host"]
    assert all(data[name] == "h2" for name in hosts)


@pytest.mark.parametrize("message", TABLE.events, ids=lambda each: each.name)
def test_what_a_line_lacks_is_named_and_stores_may_lack_it(message: Message) -> None:
    line = line_of(message)
    for field in message.fields:
        if field.optional:
            continue
        rest = {name: value for name, value in line.items() if name != field.name}
        with pytest.raises(ValueError, match=f"event '{message.name}' has no '{field.name}'"):
            reading.event_of(message.name, rest)
    if message.stored:
        needed = {field.name: value_of(field) for field in message.fields if field.needed}
        kind = next(each for each in events.EVENTS if message.name == each.TYPE)
        kind.read(Fields(needed, message.name, whole, earlier=True))


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("source", "h0", "'source' is not a whole number: 'h0'"),
        ("congestion_level", "purple", "'congestion_level' is none of low, medium, high: 'purple'"),
        ("queue_delay_s", "0.1", "'queue_delay_s' is not a number: '0.1'"),
        ("queue_delay_s", True, "'queue_delay_s' is not a number: True"),
    ],
)
def test_what_is_of_another_type_is_named(field: str, value: Any, said: str) -> None:
    line = {"source": 0, "destination": 1, "from": "low", "congestion_level": "high", "queue_delay_s": 0.1}
    with pytest.raises(ValueError, match=said):
        reading.event_of("level_changed", {**line, field: value})


def test_an_event_that_there_is_not_is_refused() -> None:
    with pytest.raises(ValueError, match="there is no event 'sunrise'"):
        reading.event_of("sunrise", {})


def test_a_configuration_does_not_show_its_secret() -> None:
    told = commands.Config(
        job="0a", secret="5ec2e7", self_=0, hosts=(), guardian=None, uid=None, manage=None, lease_s=10.0
    )
    assert told.to_json()["secret"] == "5ec2e7"
    assert "5ec2e7" not in repr(told)


def test_commands_are_written_as_the_page_has_them() -> None:
    assert commands.Probe(peers=(1, 2), count=5, interval_s=0.02).to_json() == {
        "type": "probe", "peers": [1, 2], "count": 5, "interval_s": 0.02,
    }  # fmt: skip
    assert commands.Lease().to_json() == {"type": "lease"}
    assert commands.Restore(peer=1).to_json() == {"type": "restore", "peer": 1}
    assert "timeout_s" not in commands.Bulk(peer=1, duration_s=1.0, streams=1).to_json()
    assert commands.Bulk(peer=1, duration_s=1.0, streams=1, timeout_s=2.0).to_json()["timeout_s"] == 2.0
    for command in TABLE.commands:
        if command.answer:
            kind = getattr(commands, command.name.title().replace("_", ""))
            assert kind.ANSWER is getattr(answers, command.answer.title())


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('cpu_s = { type = "real"', 'cpu_s = { type = "rael"', "there is no type 'rael'"),
        ('answer = "bulk"', 'answer = "bulks"', "there is no answer 'bulks'"),
        (
            'at_most = "congestion_level.high_factor"',
            'at_most = "congestion_level.higher"',
            "there is no setting 'congestion_level.higher'",
        ),
        ('cpu_s = { type = "real"', 'cpu_s = { colour = "red", type = "real"', "colour"),
        ("default = 1.5\n", "default = 0.5\n", "the default is outside the limits"),
    ],
)
def test_mistakes_in_the_table_are_named(tmp_path: Path, old: str, new: str, said: str) -> None:
    text = table.TABLE.read_text()
    assert old in text
    (tmp_path / "agent.toml").write_text(text.replace(old, new, 1))
    with pytest.raises(ValueError, match=said):
        table.load_table(tmp_path / "agent.toml")
