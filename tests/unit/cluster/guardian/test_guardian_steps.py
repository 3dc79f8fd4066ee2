"""What root would do on a host, and that a script of steps does all or nothing."""

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from fairlead import __version__
from fairlead.cluster.description import Cluster, Host
from fairlead.cluster.executors import executor_of
from fairlead.cluster.guardian import state as states
from fairlead.cluster.guardian import steps
from fairlead.cluster.guardian.places import INSTALLED, PACKAGED
from fairlead.cluster.guardian.state import Guardian, HostState, parse
from fairlead.cluster.guardian.steps import RootCommand
from fairlead.errors import HostError

SUM = "ab" * 32
NEW = "/usr/local/bin/.fairlead-guardian.new"
COPY = [
    f"cat >{NEW}",
    f"chown root:fairlead {NEW}",
    f"chmod 754 {NEW}",
    f"setcap cap_net_admin+ep {NEW}",
    f"setpriv --reuid=65534 --regid=fairlead --clear-groups {NEW} --check | grep -q 'cap_net_admin.,.ok.:true'",
    f"mv {NEW} /usr/local/bin/fairlead-guardian",
]
BARE = HostState(1000, "ann", frozenset({"ann"}), frozenset(), False, (), None, False, "", ())
GOOD = Guardian(INSTALLED, __version__, "754 root fairlead", capable=True, executable=True, sha256=SUM)
INSTALLED_ALREADY = replace(BARE, members=("ann",), guardians=(GOOD,))
SAID = f"""\
uid 1000
user ann
session ann users
tool sudo
tool setcap
stranger bob
group fairlead:x:998:ann,eve
mount /usr/local ext4 rw,nosuid
place {INSTALLED}
mode 754 root fairlead
capability {INSTALLED} cap_net_admin=ep
version fairlead-guardian 0.1.0
sum {SUM}  -
place {PACKAGED}
mode 755 root root
capability\x20
version\x20
sum\x20
executable yes
"""


def commands(found: list[RootCommand]) -> list[str]:
    return [step.command for step in found]


def test_what_a_host_says() -> None:
    state = parse(SAID)
    assert (state.uid, state.user, state.session) == (1000, "ann", {"ann", "users"})
    assert (state.tools, state.passwordless, state.strangers) == ({"sudo", "setcap"}, False, ("bob",))
    assert (state.members, state.primary, state.mount) == (("ann", "eve"), False, "/usr/local ext4 rw,nosuid")
    assert state.guardians == (
        Guardian(INSTALLED, "0.1.0", "754 root fairlead", capable=True, executable=False, sha256=SUM),
        Guardian(PACKAGED, "", "755 root root", capable=False, executable=True, sha256=""),
    )
    assert state.guardian() == state.at(PACKAGED)


def test_what_a_bare_host_says() -> None:
    state = parse("uid 0\nuser root\nsession root\nmount \n")
    assert (state.passwordless, state.members, state.guardians) == (True, None, ())
    assert parse("uid 7\nuser u\nsession u\nsudo without a password\ngroup fairlead:x:9:\nprimary yes\nmount \n") == (
        HostState(7, "u", frozenset({"u"}), frozenset(), True, (), (), True, "", ())
    )


@pytest.mark.parametrize("said", ["Welcome to h1", "uid many\nuser u\nsession u\nmount \n", "uid 7\ngroup x\n"])
def test_a_host_that_says_something_else_is_told(said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its start-up files print without an end of line, or its key admits one command alone."""
    monkeypatch.setattr(states, "run_on", lambda *_: said)
    executor = executor_of(Cluster("c", "local", (Host("h1", "127.0.0.1", interface="lo"),)))
    with pytest.raises(HostError, match=rf"h1: printed '{said.splitlines()[0]}' instead of an answer"):
        states.host_state(executor, "h1")


def test_a_bare_host_gets_everything() -> None:
    assert commands(steps.installation(BARE, ["ann", "bo b"], SUM)) == [
        "groupadd --system fairlead",
        "gpasswd --add ann fairlead",
        "gpasswd --add 'bo b' fairlead",
        *COPY,
    ]


def test_what_is_there_is_not_done_again() -> None:
    assert steps.installation(INSTALLED_ALREADY, ["ann"], SUM) == []
    assert commands(steps.installation(INSTALLED_ALREADY, ["ann", "bob"], SUM)) == ["gpasswd --add bob fairlead"]


@pytest.mark.parametrize("change", [{"sha256": "cd" * 32}, {"capable": False}, {"mode": "755 root root"}])
def test_a_guardian_that_is_not_as_it_should_be_is_replaced(change: dict[str, object]) -> None:
    state = replace(INSTALLED_ALREADY, guardians=(replace(GOOD, **change),))
    assert commands(steps.installation(state, ["ann"], SUM)) == COPY


def test_a_package_of_the_same_version_serves_and_stays() -> None:
    packaged = replace(GOOD, place=PACKAGED, sha256="cd" * 32)
    state = replace(INSTALLED_ALREADY, guardians=(packaged,))
    assert commands(steps.installation(state, ["bob"], SUM)) == ["gpasswd --add bob fairlead"]
    assert steps.removal(state) == []
    older = replace(state, guardians=(replace(packaged, version="0.0.9"),))
    assert commands(steps.installation(older, ["ann"], SUM)) == COPY
    shadowed = replace(state, guardians=(replace(GOOD, sha256="old"), packaged))
    assert commands(steps.installation(shadowed, ["ann"], SUM)) == COPY
    assert commands(steps.removal(shadowed)) == [f"rm -f {INSTALLED} {NEW}"]


def test_removal_takes_the_group_unless_it_is_somebodys_own() -> None:
    assert commands(steps.removal(INSTALLED_ALREADY)) == ["groupdel fairlead", f"rm -f {INSTALLED} {NEW}"]
    assert commands(steps.removal(replace(INSTALLED_ALREADY, primary=True))) == [f"rm -f {INSTALLED} {NEW}"]
    assert steps.removal(BARE) == []


def run(found: list[RootCommand], where: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(["sh", "-c", steps.script(found)], cwd=where, capture_output=True, text=True, check=False)


def test_a_script_does_all_steps(tmp_path: Path) -> None:
    done = run([RootCommand("touch 'a b'", "rm 'a b'"), RootCommand("touch c")], tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a b", "c"]


def test_a_step_that_fails_is_named_and_those_before_it_are_taken_back(tmp_path: Path) -> None:
    found = [
        RootCommand("touch 'a b'", "rm 'a b'"),
        RootCommand("mkdir c && touch c/d && false 'x'", "rm -r c"),
        RootCommand("touch never"),
    ]
    done = run(found, tmp_path)
    assert (done.returncode, done.stderr) == (
        1,
        "this failed, and nothing was changed: mkdir c && touch c/d && false 'x'\n",
    )
    assert list(tmp_path.iterdir()) == []


def test_a_line_for_an_administrator(tmp_path: Path) -> None:
    (tmp_path / "in put").write_text("text\n")
    line = steps.line([RootCommand("cat >copy"), RootCommand("wc -l <copy >count")], str(tmp_path / "in put"))
    assert line == f"{{ cat >copy && wc -l <copy >count; }} <'{tmp_path}/in put'"
    subprocess.run(["sh", "-c", line], cwd=tmp_path, check=True)
    assert (tmp_path / "count").read_text().strip() == "1"
