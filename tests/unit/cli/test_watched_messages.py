"""When `fairlead run` watches messages: by default where it harms no program, as asked for, or not at all."""

from typing import Any

import pytest
from click.testing import CliRunner

from fairlead.cli.main import command
from fairlead.manage import run
from fairlead.protocol.enums import Acknowledge


@pytest.mark.parametrize(
    ("options", "unasked", "monitor"),
    [
        ("", True, False),
        ("--no-detours", True, False),
        ("--plane relay", True, False),
        ("--own-mpirun", True, False),  # then told why not
        ("--monitor", False, True),
        ("--monitor --no-detection", False, True),
        ("--no-monitor", False, False),
        ("--no-detection", False, False),
        ("--no-agents", False, False),
    ],
)
def test_what_options_ask_for(monkeypatch: pytest.MonkeyPatch, options: str, unasked: bool, monitor: bool) -> None:
    called: dict[str, Any] = {}
    monkeypatch.setattr(run, "run", lambda *_, **given: called.update(given) or 0)
    done = CliRunner().invoke(command, ["run", "c.toml", *options.split(), "--", "./x"], prog_name="fairlead")
    assert done.exit_code == 0, done.output
    assert (called["watch_unasked"], called["components"].monitor) == (unasked, monitor)


def test_a_policy_holds_for_messages_that_are_watched_unasked(monkeypatch: pytest.MonkeyPatch) -> None:
    called: dict[str, Any] = {}
    monkeypatch.setattr(run, "run", lambda *_, **given: called.update(given) or 0)
    done = CliRunner().invoke(command, ["run", "c.toml", "--acknowledge", "always", "--", "./x"], prog_name="fairlead")
    assert done.exit_code == 0, done.output
    assert called["watch_unasked"]
    assert called["components"].acknowledge == Acknowledge.ALWAYS
