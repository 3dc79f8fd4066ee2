"""Which dead runs `fairlead clean` forgets: those whose hosts it cleaned, and no others."""

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from fairlead import lab as labs
from fairlead.cli.clean import command
from fairlead.cluster.cluster_file import load_cluster
from fairlead.cluster.description import Cluster
from fairlead.cluster.executors.base import Executor
from fairlead.cluster.host_binaries import HostBinaries
from fairlead.cluster.remote import brought
from fairlead.errors import MORE_PROCESSES, HostError, LabError, NoSuchLabError
from fairlead.lab import start, state
from fairlead.manage import clean, live_runs
from fairlead.runtime import Process

CLUSTER = (
    '[cluster]\nname = "{name}"\nexecutor = "local"\ninterface = "lo"\n\n[[hosts]]\nname = "a"\naddress = "127.0.0.1"\n'
)
GONE = 1  # start time of no process


@pytest.fixture(autouse=True)
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAIRLEAD_RUNTIME_DIR", str(tmp_path / "fairlead"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


def cluster(directory: Path, name: str) -> Cluster:
    file = directory / f"{name}.toml"
    file.write_text(CLUSTER.format(name=name))
    return load_cluster(file)


def dead_run(job: str, file: str, *, ticks: int = GONE, guardians: bool = True) -> None:
    live_runs.Registration(live_runs.RunState(job, file, ["x"], os.getpid(), ticks, 0.0, guardians)).write()


def jobs() -> list[str]:
    return [run.job for run in live_runs.look().runs]


def test_runs_on_other_clusters_and_the_living_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = cluster(tmp_path, "one"), cluster(tmp_path, "other")
    dead_run("aaaaaaaa", one.source)
    dead_run("bbbbbbbb", other.source)
    dead_run("cccccccc", str(tmp_path / "removed.toml"))  # nothing leads to its hosts any more
    dead_run("dddddddd", one.source, ticks=Process.own().start_ticks)
    monkeypatch.setattr(clean, "_on", lambda cluster, dry_run, host: [{"kind": "route"}])

    assert clean.clean([one], dry_run=True).forgotten == []
    done = clean.clean([one])
    assert done.forgotten == ["aaaaaaaa", "cccccccc"]
    assert [(each.host, each.what) for each in done.removed] == [("a", {"kind": "route"})]
    assert jobs() == ["bbbbbbbb", "dddddddd"]


def test_a_host_that_was_not_cleaned_keeps_its_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = cluster(tmp_path, "one")
    dead_run("aaaaaaaa", one.source)

    def unreachable(*_: object, **__: object) -> object:
        raise HostError("a: not reached")

    monkeypatch.setattr(clean, "bring", unreachable)
    done = clean.clean([one])
    assert (done.forgotten, done.removed) == ([], [])
    assert list(done.unreachable) == ["a"]
    assert jobs() == ["aaaaaaaa"]


def test_a_host_that_the_system_gives_no_process_for_keeps_no_other_cluster_from_being_cleaned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = cluster(tmp_path, "one"), cluster(tmp_path, "other")

    def asked(of: Cluster, *_: object, **__: object) -> list[dict[str, str]]:
        if of is one:
            raise OSError(11, "Resource temporarily unavailable")
        return [{"kind": "route"}]

    monkeypatch.setattr(clean, "bring", lambda *_: HostBinaries("/agent", ("true",)))
    monkeypatch.setattr(clean, "clean_host", asked)
    done = clean.clean([one, other])
    assert [each.what for each in done.removed] == [{"kind": "route"}]
    assert done.unreachable == {"a": f"the limit of processes is reached\n  {MORE_PROCESSES}"}


def test_runs_without_guardians_are_forgotten_without_a_look_at_their_hosts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, wrong = cluster(tmp_path, "one"), cluster(tmp_path, "wrong")
    dead_run("aaaaaaaa", one.source, guardians=False)
    dead_run("bbbbbbbb", wrong.source, guardians=False)
    Path(wrong.source).write_text("[cluster]\nnonsense = 1\n")
    monkeypatch.setattr(clean, "_on", lambda *_: pytest.fail("a host was asked"))

    assert CliRunner().invoke(command, ["--dry-run"]).output == "nothing to clean\n"
    done = CliRunner().invoke(command, [])
    assert (done.exit_code, done.output) == (0, "forgot dead run aaaaaaaa\nforgot dead run bbbbbbbb\n")
    assert jobs() == []


CHECKED = '{"ok": false, "checks": [{"name": "cap_net_admin", "ok": %s}]}'


@pytest.mark.parametrize(
    ("guardians", "checked", "told"),
    [
        (False, CHECKED % "false", False),
        (False, CHECKED % "true", True),  # it might have cleaned
        (False, "sudo: a password is required", True),
        (False, '{"checks": null}', True),
        (True, CHECKED % "false", True),
    ],
)
def test_a_guardian_that_may_change_nothing_need_not_clean_after_runs_without_guardians(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, guardians: bool, checked: str, told: bool
) -> None:
    one = cluster(tmp_path, "one")
    guardian = tmp_path / "guardian"
    guardian.write_text(f"""#!/bin/sh
case $1 in
--check) echo '{checked}' ;;
*) echo "list tables: Operation not permitted" >&2 ;;
esac
exit 1
""")
    guardian.chmod(0o755)
    monkeypatch.setattr(clean, "bring", lambda *_: HostBinaries("/agent", (str(guardian),)))
    dead_run("aaaaaaaa", one.source, guardians=False)
    if guardians:
        dead_run("bbbbbbbb", one.source)
    done = clean.clean([one])
    assert (done.removed, done.forgotten) == ([], ["aaaaaaaa"])
    assert list(done.unreachable) == (["a"] if told else [])
    assert all("Operation not permitted" in why for why in done.unreachable.values())
    assert jobs() == (["bbbbbbbb"] if guardians else [])
    again = clean.clean([one])  # once there is nothing to forget, too
    assert (again.removed, again.forgotten) == ([], [])
    assert list(again.unreachable) == (["a"] if told else [])


def test_what_cannot_be_read_does_not_keep_the_rest_from_being_cleaned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A note of an earlier version, one that is no note, and a cluster file that is wrong by now."""
    one, wrong = cluster(tmp_path, "one"), cluster(tmp_path, "wrong")
    dead_run("aaaaaaaa", one.source)
    notes = tmp_path / "fairlead" / "runs"
    earlier = json.loads((notes / "aaaaaaaa.json").read_text()) | {"job": "bbbbbbbb", "zones": {}}
    del earlier["levels"]
    (notes / "bbbbbbbb.json").write_text(json.dumps(earlier))
    (notes / "cccccccc.json").write_text("{")
    dead_run("dddddddd", wrong.source)
    Path(wrong.source).write_text("[cluster]\nnonsense = 1\n")
    monkeypatch.setattr(clean, "_on", lambda cluster, dry_run, host: [{"kind": "route"}])

    done = CliRunner().invoke(command, [])
    assert done.output.splitlines() == [
        'a: removed {"kind": "route"}',
        "forgot dead run aaaaaaaa",
        "forgot dead run bbbbbbbb",
    ]
    said = str(done.exception)
    assert isinstance(done.exception, HostError)
    assert f"{notes / 'cccccccc.json'}: is not a record of a run" in said
    assert wrong.source in said and "nonsense" in said and "or remove the file" in said
    assert jobs() == ["dddddddd"]
    Path(wrong.source).unlink()
    (notes / "cccccccc.json").unlink()
    assert CliRunner().invoke(command, []).output == "forgot dead run dddddddd\n"


def test_a_lab_of_another_version_is_no_obstacle(tmp_path: Path) -> None:
    note = state.lab_directory("old")
    note.mkdir()
    holder = {"pid": os.getpid(), "start_ticks": Process.own().start_ticks}
    (note / "lab.json").write_text(json.dumps({"holder": holder, "plan": {"hosts": []}}))
    file = tmp_path / "gone.toml"
    text = CLUSTER.format(name="gone").replace('"local"', '"lab"\nlab = "gone"')
    file.write_text(text)
    dead_run("aaaaaaaa", str(file))
    assert CliRunner().invoke(command, []).output == "forgot dead run aaaaaaaa\n"


def test_a_lab_whose_note_cannot_be_read_keeps_nothing_else_from_being_cleaned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a power failure leaves one, which says nothing of whether the lab runs."""
    damaged, dead = state.lab_directory("damaged"), state.lab_directory("mesh8")
    for note in (damaged, dead):
        note.mkdir()
    (damaged / "lab.json").write_bytes(b"")
    (dead / "lab.json").write_text(json.dumps({"holder": {"pid": os.getpid(), "start_ticks": GONE}}))
    one, in_lab = cluster(tmp_path, "one"), tmp_path / "damaged.toml"
    in_lab.write_text(CLUSTER.format(name="damaged").replace('"local"', '"lab"\nlab = "damaged"'))
    dead_run("aaaaaaaa", one.source)
    dead_run("bbbbbbbb", str(in_lab))
    monkeypatch.setattr(clean, "bring", lambda cluster, host: HostBinaries("/agent", ("true",)))
    done = CliRunner().invoke(command, [])
    assert done.output.splitlines() == ["forgot dead lab mesh8"]
    said = f"{damaged}/lab.json cannot be read: Expecting value: line 1 column 1 (char 0)\n  remove {damaged}"
    assert isinstance(done.exception, HostError)
    assert str(done.exception).splitlines()[:3] == ["could not be cleaned:", *f"a: {said}".splitlines()]
    assert str(done.exception).count(said) == 2  # of the run in it, and of the lab
    assert jobs() == ["aaaaaaaa", "bbbbbbbb"]

    with pytest.raises(NoSuchLabError, match="no lab 'mesh8' of yours is running"):
        labs.find_lab("mesh8")
    with pytest.raises(LabError, match=f"{damaged}/lab.json cannot be read"):
        start._claim("damaged", damaged)
    start._claim("mesh8", dead)
    shutil.rmtree(damaged)
    shutil.rmtree(dead)
    assert CliRunner().invoke(command, []).output == "forgot dead run aaaaaaaa\nforgot dead run bbbbbbbb\n"


def test_notes_of_dead_labs_are_removed_without_a_cluster() -> None:
    note = state.lab_directory("mesh8")
    note.mkdir()
    (note / "lab.json").write_text(json.dumps({"holder": {"pid": os.getpid(), "start_ticks": GONE}}))
    said = [CliRunner().invoke(command, words).output for words in (["--dry-run"], [], [])]
    assert said == ["would forget dead lab mesh8\n", "forgot dead lab mesh8\n", "nothing to clean\n"]
    assert not note.exists()


def test_files_that_were_brought_go_unless_a_run_is_alive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "home").mkdir()
    one = cluster(tmp_path, "one")
    monkeypatch.setattr(clean, "_on", lambda cluster, dry_run, host: [])
    file = tmp_path / "solver"
    file.write_text("a program")
    placed = Path(brought.bring(one, ["a"], [file])[file].path)
    what = json.dumps({"kind": "brought", "path": str(placed)})
    assert CliRunner().invoke(command, [one.source]).output == "nothing to clean\n", "it was brought just now"
    os.utime(placed.parent, (0, 0))

    dead_run("aaaaaaaa", one.source, ticks=Process.own().start_ticks)
    assert CliRunner().invoke(command, [one.source]).output == "nothing to clean\n"
    dead_run("aaaaaaaa", one.source, guardians=False)
    unreadable = tmp_path / "fairlead" / "runs" / "bbbbbbbb.json"
    unreadable.write_text("{")  # it may be of a run that is alive
    assert CliRunner().invoke(command, ["--dry-run", one.source]).output == "nothing to clean\n"
    unreadable.unlink()
    assert CliRunner().invoke(command, ["--dry-run", one.source]).output == f"a: would remove {what}\n"
    assert placed.exists()
    done = CliRunner().invoke(command, [one.source])
    assert done.output == f"a: removed {what}\nforgot dead run aaaaaaaa\n"
    assert not placed.parent.exists()
    assert CliRunner().invoke(command, [one.source]).output == "nothing to clean\n"


@pytest.mark.parametrize("silent", [False, True])
def test_a_brought_file_that_a_host_uses_stays_on_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, silent: bool
) -> None:
    """They may share their home directory. A host that cannot be asked is named, and may use any of them."""
    text = CLUSTER.format(name="two") + '\n[[hosts]]\nname = "b"\naddress = "127.0.0.2"\n'
    text += '\n[[hosts]]\nname = "c"\naddress = "127.0.0.3"\n'
    (tmp_path / "two.toml").write_text(text)
    used, free = (brought.Kept(name * 64, f"/home/ann/{name}", used=False) for name in "12")
    removed: dict[str, list[str]] = {}

    def kept(_: Executor, host: str) -> list[brought.Kept]:
        if host == "c":
            if silent:
                raise HostError("c: does not answer")
            return []
        return [replace(used, used=host == "b"), free]

    def remove(_: Executor, host: str, copies: list[brought.Kept]) -> None:
        removed[host] = [each.path for each in copies]

    monkeypatch.setattr(clean, "_on", lambda cluster, dry_run, host: [])
    monkeypatch.setattr(brought, "kept", kept)
    monkeypatch.setattr(brought, "remove", remove)
    done = clean.clean([load_cluster(tmp_path / "two.toml")])
    gone = {} if silent else {"a": ["/home/ann/2"], "b": ["/home/ann/2"]}
    assert removed == gone
    assert [(each.host, each.what["path"]) for each in done.removed] == [(host, *paths) for host, paths in gone.items()]
    assert done.unreachable == ({"c": "c: does not answer"} if silent else {})
