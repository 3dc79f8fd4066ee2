"""``fairlead lab migrate`` that is interrupted: the last line says where the machine is."""

from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

from fairlead import lab as labs
from fairlead.cli.lab import command
from fairlead.errors import LabError
from fairlead.lab import migration as migrations
from fairlead.lab.migration import MigrationReport

MOVED = MigrationReport("h0", "server0", "server2", 2.0, 0.1, ())


@pytest.mark.parametrize(
    ("end", "said"),
    [
        (LabError("h0 to server2 was aborted: by request"), "h0 to server2 was aborted: by request"),
        (MOVED, "it was too late to give up: h0 moved from server0 to server2 in 2.00 s"),
    ],
)
def test_what_an_interrupt_came_to_is_told(monkeypatch: pytest.MonkeyPatch, end: Any, said: str) -> None:
    class Interrupted:
        progress = None
        aborted = False

        def __init__(self, *_: object) -> None:
            pass

        def __enter__(self) -> "Interrupted":
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def poll(self, timeout_s: float) -> None:
            raise KeyboardInterrupt

        def abort(self) -> None:
            self.aborted = True

        def wait(self) -> MigrationReport:
            assert self.aborted
            if isinstance(end, LabError):
                raise end
            assert isinstance(end, MigrationReport)
            return end

    monkeypatch.setattr(labs, "find_lab", lambda name: SimpleNamespace(name=name))
    monkeypatch.setattr(migrations, "Migration", Interrupted)
    done = CliRunner().invoke(command, ["migrate", "servers8", "h0", "server2"])
    assert done.exit_code != 0
    assert said in done.output
