"""The files of `--messages` on their way from hosts that keep their own."""

import os
import shlex
import time
import tracemalloc
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import pytest

from fairlead.cluster.description import Cluster, Host
from fairlead.cluster.executors.local import LocalExecutor
from fairlead.cluster.executors.ssh import SshExecutor
from fairlead.cluster.remote import fetch
from fairlead.cluster.remote.end_limit import EndLimit
from fairlead.errors import FairleadError, HostError
from fairlead.manage import message_files
from fairlead.manage.message_files import MessageFiles

CLUSTER = Cluster("c", "local", (Host("a", "127.0.0.1", interface="lo"), Host("b", "127.0.0.1", interface="lo")))
MIB = 1 << 20


class Apart(LocalExecutor):
    """Its hosts keep the directory in `home`, under their names, and send it as `scripts` say."""

    home: Path
    scripts: Mapping[str, str]

    def command(
        self, host: str, argv: Sequence[str], env: Mapping[str, str] | None = None, cwd: str | None = None
    ) -> list[str]:
        words = [str(self.home / host) if word.endswith("/kept") else word for word in argv]
        return ["sh", "-c", self.scripts.get(host, "{}").format(shlex.join(words))]


@pytest.fixture
def apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Apart:
    executor = Apart(CLUSTER)
    executor.home, executor.scripts = tmp_path, {}
    for host in ("a", "b"):
        (tmp_path / host).mkdir()
        (tmp_path / host / "1.record").write_text(f"of {host}")
    (tmp_path / "kept").mkdir()
    monkeypatch.setattr(message_files, "executor_of", lambda cluster: executor)
    return executor


def fetched(apart: Apart, *hosts: str) -> dict[str, str]:
    """What is here afterwards, by name."""
    kept = apart.home / "kept"
    MessageFiles(CLUSTER, kept, hosts or ("a", "b"), {}).fetch()
    return {str(path.relative_to(kept)): path.read_text() for path in kept.rglob("*") if path.is_file()}


def test_files_come_into_folders_of_their_hosts(apart: Apart) -> None:
    (apart.home / "a" / "notes").write_text("none of ours")
    assert fetched(apart) == {"a/1.record": "of a", "b/1.record": "of b"}


def test_a_host_without_files_is_no_error(apart: Apart) -> None:
    (apart.home / "a" / "1.record").unlink()
    assert fetched(apart) == {"b/1.record": "of b"}


def test_files_are_never_in_memory_as_a_whole(apart: Apart) -> None:
    with (apart.home / "a" / "large.record").open("wb") as file:
        file.truncate(64 * MIB)
    tracemalloc.start()
    try:
        MessageFiles(CLUSTER, apart.home / "kept", ("a",), {}).fetch()
        peak_B = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (apart.home / "kept" / "a" / "large.record").stat().st_size == 64 * MIB
    assert peak_B < 16 * MIB


def test_only_a_standstill_takes_too_long(apart: Apart, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetch, "STANDSTILL_S", 2.0)
    (apart.home / "a" / "1.record").write_bytes(os.urandom(30_000))
    in_steps = "while head -c 15000 >step && [ -s step ]; do sleep 0.8; cat step; done"  # three, of 40 KiB
    apart.scripts = {"a": f"cd {apart.home}; {{}} | {{{{ {in_steps}; }}}}"}
    begin_s = time.monotonic()
    MessageFiles(CLUSTER, apart.home / "kept", ("a",), {}).fetch()
    assert time.monotonic() - begin_s > 2.0
    assert (apart.home / "kept" / "a" / "1.record").stat().st_size == 30_000


def test_a_host_that_sends_no_more_is_left_and_the_others_come(apart: Apart, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetch, "STANDSTILL_S", 3.0)
    apart.scripts = {"a": "{} | head -c 514; exec sleep 60"}
    with pytest.raises(HostError, match=r"a: has sent nothing of its records for 3 s\n  they stay there"):
        fetched(apart)
    assert [path.name for path in (apart.home / "kept").rglob("*.record")] == ["1.record"]
    assert (apart.home / "kept" / "b" / "1.record").read_text() == "of b"


def test_a_host_that_the_end_of_the_run_has_given_up_is_not_asked_and_others_are_not_waited_for_as_long(
    apart: Apart, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(message_files, "SOON_S", 0.3)
    monkeypatch.setattr(fetch, "STANDSTILL_S", 60.0)
    limit, kept = EndLimit(), apart.home / "kept"
    limit.begin(1.0)
    limit.give_up("a", "its agent")
    apart.scripts = {"b": "{} | head -c 514; exec sleep 60"}
    with pytest.raises(HostError) as raised:
        MessageFiles(CLUSTER, kept, ("a", "b"), {}).fetch(limit)
    assert str(raised.value) == (
        f"a: does not answer, so the records in {kept} were not fetched; b: has sent nothing of its records for 0.3 s\n"
        "  they stay there"
    )
    assert not (kept / "a").exists()


def test_hosts_that_do_not_answer_are_waited_for_together(apart: Apart, monkeypatch: pytest.MonkeyPatch) -> None:
    """All those behind a switch that has failed, which would take minutes one by one."""
    monkeypatch.setattr(fetch, "STANDSTILL_S", 3.0)
    monkeypatch.setattr(message_files, "ANSWER_S", 3.0)
    cut_off = [f"c{number}" for number in range(8)]
    apart.scripts = dict.fromkeys(cut_off, "exec sleep 60")
    begin_s = time.monotonic()
    with pytest.raises(HostError, match=r"c0: has sent nothing .*; c1: `true` did not end .*; c7: `true` did not end"):
        fetched(apart, "a", *cut_off, "b")
    assert time.monotonic() - begin_s < 15  # one after the other would take 24 s
    assert sorted(path.parent.name for path in (apart.home / "kept").rglob("*.record")) == ["a", "b"]


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("{} | head -c 515; echo 'read error' >&2; exit 2", "read error"),
        ("{} | head -c 515", "unexpected end of data"),
        ("echo 'Connection refused' >&2; exit 255", "Connection refused"),
        ("echo Welcome; {}", "invalid header|bad checksum|unexpected end of data"),
    ],
)
def test_what_does_not_come_whole_is_told_and_not_kept(apart: Apart, script: str, reason: str) -> None:
    apart.scripts = {"a": script}
    with pytest.raises(HostError, match=f"a: the records in .*/kept cannot be fetched: ({reason})"):
        fetched(apart, "a")
    assert [path for path in (apart.home / "kept").rglob("*") if path.is_file()] == []


def test_records_that_are_still_written_to_come_as_they_are(apart: Apart) -> None:
    changed = "echo 'tar: ./1.record: file changed as we read it' >&2; exit 1"
    apart.scripts = {"a": f"{{}}; {changed}"}
    assert fetched(apart) == {"a/1.record": "of a", "b/1.record": "of b"}
    apart.scripts = {"a": f"{{}} | head -c 515; {changed}"}
    with pytest.raises(HostError, match=r"a: the records in .* cannot be fetched: tar: .*changed as we read it"):
        fetched(apart, "a")
    apart.scripts = {"a": "exit 1"}  # as of a shell that cannot enter the directory
    with pytest.raises(HostError, match=r"a: the records in .* cannot be fetched: empty file"):
        fetched(apart, "a")


def test_a_host_that_ssh_does_not_get_to_is_told_as_everywhere(apart: Apart, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apart, "lost_by", partial(SshExecutor.lost_by, apart))
    monkeypatch.setattr(apart, "look", lambda host: f"look after {host}")
    apart.scripts = {"a": "{} | head -c 515; echo 'Connection refused' >&2; exit 255"}
    with pytest.raises(HostError, match=r"^a: ssh could not reach the host: Connection refused\n  look after a"):
        fetch.fetch_records(apart, "a", str(apart.home / "kept"), lambda name, content: None)


def test_names_lead_nowhere_else_and_links_are_not_followed(apart: Apart) -> None:
    (apart.home / "secret").write_text("secret")
    (apart.home / "a" / "link.record").symlink_to("/etc/passwd")
    rename = "--transform s,1.record,../../../1.record, -P"
    apart.scripts = {"a": f"cd {apart.home}/a && tar -c -f - {rename} 1.record link.record"}
    assert fetched(apart, "a") == {"a/1.record": "of a"}


def test_a_disk_that_is_full_here_is_told(apart: Apart) -> None:
    (apart.home / "kept" / "a").write_text("a file where a directory should be")
    with pytest.raises(FairleadError, match=r"kept/a/1\.record: cannot be written: "):
        fetched(apart)
