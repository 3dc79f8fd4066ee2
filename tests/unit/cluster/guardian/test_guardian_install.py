"""Where an installation is refused, and how root is had."""

import shlex
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from fairlead import native
from fairlead.cli.main import command
from fairlead.cluster.description import Cluster, Host
from fairlead.cluster.executors import executor_of
from fairlead.cluster.guardian import install as installing
from fairlead.cluster.guardian.install import InstallPlan, plan_installation
from fairlead.cluster.guardian.places import INSTALLED, PLACES, installed_or
from fairlead.cluster.guardian.state import TOOLS, HostState
from fairlead.cluster.guardian.steps import RootCommand
from fairlead.errors import ConfigError, FairleadError, HostError, PrivilegeError

LOCAL = executor_of(Cluster("here", "local", (Host("localhost", "127.0.0.1"),)))
BARE = HostState(1000, "ann", frozenset({"ann"}), frozenset(TOOLS), False, (), None, False, "/ ext4 rw", ())


@pytest.fixture(autouse=True)
def staged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/fairlead-guardian").write_text("guardian\n")
    monkeypatch.setenv(native.ENVIRONMENT_VARIABLE, str(tmp_path))
    return tmp_path


def saying(monkeypatch: pytest.MonkeyPatch, state: HostState) -> None:
    monkeypatch.setattr(installing, "host_state", lambda *_, **__: state)


def test_by_default_it_is_for_the_user_that_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    saying(monkeypatch, BARE)
    assert plan_installation(LOCAL, "localhost", ()).users == ("ann",)
    assert plan_installation(LOCAL, "localhost", ("bob",)).users == ("bob",)
    saying(monkeypatch, replace(BARE, uid=0, user="root"))
    assert plan_installation(LOCAL, "localhost", ()).users == ()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"strangers": ("bob",)}, "localhost: there is no user bob\n  correct --user"),
        (
            {"tools": frozenset(TOOLS) - {"setcap"}},
            "localhost: setcap was not found\n  install libcap2-bin (libcap on Fedora and RHEL) there",
        ),
        (
            {"mount": "/usr/local ext4 rw,nosuid,relatime"},
            "localhost: /usr/local/bin/fairlead-guardian would be on /usr/local, which is mounted nosuid: "
            "capabilities of programs there have no effect\n  as root: mount -o remount,suid /usr/local",
        ),
        (
            {"mount": "/usr/local ext4 rw,noexec"},
            "localhost: /usr/local/bin/fairlead-guardian would be on /usr/local, which is mounted noexec: "
            "programs there cannot start\n  as root: mount -o remount,exec /usr/local",
        ),
    ],
)
def test_what_is_in_the_way_is_told_before_anything_is_done(
    monkeypatch: pytest.MonkeyPatch, change: dict[str, object], told: str
) -> None:
    saying(monkeypatch, replace(BARE, **change))
    with pytest.raises(HostError) as caught:
        plan_installation(LOCAL, "localhost", ())
    assert str(caught.value) == told


def refused(plan: InstallPlan) -> str:
    with pytest.raises(PrivilegeError) as caught:
        installing.install(LOCAL, "localhost", plan)
    return str(caught.value)


def test_without_sudo_an_administrator_is_told_what_to_run(staged: Path) -> None:
    plan = InstallPlan(replace(BARE, tools=frozenset()), ("ann",), (RootCommand("a"), RootCommand("b")))
    assert refused(plan) == (
        "localhost: this needs root, and there is no sudo\n"
        f"  for an administrator, as root on localhost: {{ a && b; }} <{staged}/bin/fairlead-guardian"
    )


def test_without_a_terminal_sudo_cannot_ask() -> None:
    told = refused(InstallPlan(BARE, ("ann",), (RootCommand("a"),)))
    assert told.startswith(
        "localhost: this needs root, and sudo asks for a password, and there is no terminal to ask on\n"
    )
    assert "for an administrator, as root on localhost: { a; } <" in told


def test_root_gets_the_guardian_by_standard_input(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    root = replace(BARE, uid=0, passwordless=True)
    saying(monkeypatch, root)
    copy = tmp_path / "copy"
    assert installing.install(LOCAL, "localhost", InstallPlan(root, (), (RootCommand(f"cat >{copy}"),))) == root
    assert copy.read_text() == "guardian\n"
    with pytest.raises(HostError, match="localhost: this failed, and nothing was changed: false"):
        installing.install(LOCAL, "localhost", InstallPlan(root, (), (RootCommand("false"),)))


def test_a_shared_connection_that_hangs_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    root = replace(BARE, uid=0, passwordless=True)
    saying(monkeypatch, root)
    monkeypatch.setattr(installing, "LOG_OUT_S", 0.1)
    monkeypatch.setattr(type(LOCAL), "log_out", lambda self, host: ["sleep", "1000"])
    assert installing.install(LOCAL, "localhost", InstallPlan(root, (), (RootCommand("true"),))) == root


def test_hosts_where_a_person_is_asked_come_last_and_in_turn() -> None:
    asked: list[str] = []

    def act(host: str, plan: InstallPlan) -> str:
        asked.append(host)
        if host == "b":
            raise HostError("b: no")
        return host

    free, due = replace(BARE, passwordless=True), (RootCommand("true"),)
    plans = {
        "a": InstallPlan(BARE, (), due),
        "b": InstallPlan(BARE, (), due),
        "c": InstallPlan(free, (), due),
        "d": InstallPlan(free, (), ()),
    }
    done, failed = installing.carry_out(plans, act)
    assert (asked, done) == (["c", "a", "b"], {"c": "c", "a": "a"})
    assert {host: str(error) for host, error in failed.items()} == {"b": "b: no"}


def lead(places: dict[str, str], words: Sequence[str], uid: int) -> str:
    """What the command line becomes where these files are in place of the installed ones and the user has this id."""
    found, script, own = installed_or("/bin/echo")[1:]
    for place, path in places.items():
        script = script.replace(place, shlex.quote(path))
    script = script.replace('"$(id -u)"', str(uid))
    return subprocess.run(["sh", found, script, own, *words], capture_output=True, text=True, check=True).stdout


def test_a_host_finds_the_guardian_that_its_user_may_execute(tmp_path: Path) -> None:
    installed = tmp_path / "installed"
    places = dict.fromkeys(PLACES, "/nonexistent") | {INSTALLED: str(installed)}
    assert lead(places, ["--check", "a b"], 1000) == "--check a b\n"
    installed.write_text('#!/bin/sh\nprintf "%s|" installed "$@"\n')
    assert lead(places, ["--check"], 1000) == "--check\n"  # it may not be executed
    installed.chmod(0o755)
    assert lead(places, ["--check", "a b"], 1000) == "installed|--check|a b|"
    assert lead(places, ["--check"], 0) == "--check\n"


@pytest.mark.parametrize("words", [["install"], ["status", "x.toml", "--local"]])
def test_hosts_must_be_named(words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x.toml").write_text("")
    done = CliRunner().invoke(command, ["guardian", *words], prog_name="fairlead")
    assert (done.exit_code, done.output.splitlines()[-1]) == (2, "Error: name a CLUSTER, or --local for this machine")


def test_a_labs_hosts_need_none(tmp_path: Path) -> None:
    file = tmp_path / "lab.toml"
    file.write_text(
        '[cluster]\nname = "c"\nexecutor = "lab"\nlab = "l"\ninterface = "eth0"\n'
        '[[hosts]]\nname = "a"\naddress = "10.0.0.1"\n'
    )
    done = CliRunner().invoke(command, ["guardian", "install", str(file)], prog_name="fairlead")
    assert isinstance(done.exception, ConfigError)
    assert "the guardian needs no installation on lab hosts: it has its privilege there" in str(done.exception)


def test_a_plan_is_shown_and_a_dry_run_does_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    saying(monkeypatch, replace(BARE, passwordless=True))
    done = CliRunner().invoke(command, ["guardian", "install", "--local", "--dry-run"], prog_name="fairlead")
    assert done.exit_code == 0, done.output
    shown = done.output.splitlines()
    assert shown[0] == "localhost: as root, with the guardian as standard input:"
    assert shown[1:3] == ["  groupadd --system fairlead", "  gpasswd --add ann fairlead"]
    assert shown[-1] == f"  mv /usr/local/bin/.fairlead-guardian.new {INSTALLED}"


def test_a_host_that_fails_does_not_keep_the_others_from_being_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installing, "host_state", lambda *_, **__: (_ for _ in ()).throw(HostError("localhost: gone")))
    done = CliRunner().invoke(command, ["guardian", "install", "--local"], prog_name="fairlead")
    assert isinstance(done.exception, FairleadError)
    assert str(done.exception) == "the guardian could not be installed:\nlocalhost: gone"
