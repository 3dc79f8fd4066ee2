"""The directories of a job on its hosts, which go with it."""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from fairlead.cluster.description import Cluster, Host
from fairlead.cluster.executors import base
from fairlead.cluster.executors.base import Executor
from fairlead.cluster.jobs import preload
from fairlead.errors import HostError

CLUSTER = Cluster("c", "frail", (Host("h0", "127.0.0.1"),))


class Frail(Executor):
    """Runs here; what is to remove a directory fails, or never answers."""

    name = "frail"
    passes_signals = True
    end = "exit 0"

    def command(
        self, host: str, argv: Sequence[str], env: Mapping[str, str] | None = None, cwd: str | None = None
    ) -> list[str]:
        keeps = "rm -rf" in argv[2]
        return ["sh", "-c", f"{argv[2]}; {self.end}", *argv[3:]] if keeps else list(argv)

    def rsh_agent(self) -> Path | None:
        return None


@pytest.fixture(autouse=True)
def frail(monkeypatch: pytest.MonkeyPatch) -> type[Frail]:
    monkeypatch.setitem(base.EXECUTORS._things, "frail", Frail)
    monkeypatch.setattr(preload, "REMOVE_TIMEOUT_S", 0.5)
    return Frail


@pytest.mark.parametrize(
    ("end", "said"),
    [
        ("exit 0", []),
        ("echo connection lost >&2; exit 255", ["h0: {path} may not be removed: connection lost"]),
        ("exit 3", ["h0: {path} may not be removed: status 3"]),
        ("exec sleep 1000", ["h0: {path} may not be removed: no answer within 0.5 s"]),
    ],
)
def test_a_host_that_is_gone_at_the_end_does_not_undo_the_run(
    frail: type[Frail],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    tmp_path: Path,
    end: str,
    said: list[str],
) -> None:
    monkeypatch.setattr(frail, "end", end)
    with caplog.at_level(logging.WARNING), preload.directory(CLUSTER, ["h0"], f"fairlead-{tmp_path.name}") as path:
        assert Path(path).is_dir()
    assert not Path(path).exists()
    assert [each.getMessage() for each in caplog.records] == [line.format(path=path) for line in said]


def test_a_directory_that_another_one_made_is_not_used_and_stays(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    name = f"fairlead-{tmp_path.name}"
    there = Path("/dev/shm") / name
    there.mkdir()
    try:
        with pytest.raises(HostError, match=r"^h0: no directory for the ranks: mkdir: .* File exists"):
            preload.directory(CLUSTER, ["h0"], name).__enter__()
        assert there.is_dir()
    finally:
        there.rmdir()
    assert caplog.records == []


def test_whoever_sees_the_name_of_a_directory_sees_it_made_already(
    frail: type[Frail], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """One command a host makes it and keeps it."""
    calls: list[str] = []
    usual = Frail.command
    monkeypatch.setattr(frail, "command", lambda self, host, *rest: calls.append(host) or usual(self, host, *rest))
    cluster = Cluster("c", "frail", (Host("h0", "127.0.0.1"), Host("h1", "127.0.0.2")))
    with (
        pytest.raises(HostError, match=r"^h[01]: no directory"),  # two hosts are one here: one finds it made
        preload.directory(cluster, ["h0", "h1"], f"fairlead-{tmp_path.name}"),
    ):
        pass
    assert calls == ["h0", "h1"]


def test_a_host_that_does_not_answer_is_given_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(preload, "MAKE_TIMEOUT_S", 0.2)
    monkeypatch.setattr(preload, "_KEEP", "sleep 1000; rm -rf")
    with pytest.raises(HostError, match=r"^h0: no answer within 0\.2 s"):
        preload.directory(CLUSTER, ["h0"], f"fairlead-{tmp_path.name}").__enter__()
