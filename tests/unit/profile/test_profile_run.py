"""What becomes of a profiled program's exit code where its profile cannot be had."""

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from fairlead.profile import run
from fairlead.programs.launch_request import LaunchRequest


def test_records_that_the_system_does_not_let_be_fetched_do_not_cost_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fetch() -> None:
        raise OSError(24, "Too many open files")

    @contextmanager
    def collection(*_: Any, **__: Any) -> Iterator[SimpleNamespace]:
        yield SimpleNamespace(environment={}, records=fetch)

    monkeypatch.setattr(run, "collection", collection)
    assert run.run_profiled(LaunchRequest(["sh", "-c", "exit 7"], own_mpirun=True)) == 7
    assert "fairlead: this process has too many open files" in capsys.readouterr().err
