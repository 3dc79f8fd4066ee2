"""What the command line says to those who type it in another order."""

import re
import shlex
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import pytest
from click.testing import CliRunner

from fairlead.cli.main import command
from fairlead.errors import ConfigError, NoSuchLabError
from fairlead.experiment.plans import complaints


def test_a_benchmark_without_cluster_says_where_the_cluster_belongs() -> None:
    done = CliRunner().invoke(command, ["measure", "impact", "--quick"], prog_name="fairlead")
    assert done.exit_code == 2
    assert done.output.splitlines()[-1] == "Error: CLUSTER comes first: fairlead measure CLUSTER impact --quick"


def test_a_program_without_a_cluster_is_no_cluster() -> None:
    done = CliRunner().invoke(command, ["run", "-n", "8", "--", "cg"], prog_name="fairlead")
    assert done.exit_code == 2
    assert done.output.splitlines()[-1] == "Error: Missing argument 'CLUSTER': it goes before --."


def test_a_misspelt_file_is_told_with_the_right_one(tmp_path: Path) -> None:
    (tmp_path / "mesh8.cluster.toml").touch()
    done = CliRunner().invoke(command, ["doctor", str(tmp_path / "mesh8.clutser.toml")])
    assert isinstance(done.exception, ConfigError)
    assert str(done.exception).splitlines() == [
        f"{tmp_path / 'mesh8.clutser.toml'}: no such file",
        f"  did you mean {tmp_path / 'mesh8.cluster.toml'}?",
    ]


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ("detour.dwel_s=1", "there is no setting detour.dwel_s; detour.dwell_s?"),
        ("detour.dwell_s", "detour.dwell_s: must be NAME=VALUE, for example detour.dwell_s=1"),
        ("detour.dwell_s=soon", "detour.dwell_s must be a number"),
    ],
)
def test_a_setting_that_agents_do_not_have_is_told_at_once(tmp_path: Path, value: str, complaint: str) -> None:
    (tmp_path / "c.toml").touch()
    words = ["run", str(tmp_path / "c.toml"), "--set", value, "--", "cg"]
    done = CliRunner().invoke(command, words, prog_name="fairlead")
    assert done.exit_code == 2
    assert done.output.splitlines()[-1] == f"Error: Invalid value for '--set': {complaint}"


@pytest.mark.parametrize("off", ["--no-agents", "--no-detection"])
def test_settings_need_agents_that_detect(tmp_path: Path, off: str) -> None:
    (tmp_path / "c.toml").touch()
    words = ["run", str(tmp_path / "c.toml"), off, "--set", "detour.dwell_s=1", "--", "cg"]
    done = CliRunner().invoke(command, words, prog_name="fairlead")
    assert done.exit_code == 2
    assert done.output.splitlines()[-1] == (
        "Error: --set changes how agents detect congestion; omit --no-agents and --no-detection"
    )


def test_equal_cost_paths_need_none(monkeypatch: pytest.MonkeyPatch) -> None:
    called: dict[str, Any] = {}
    monkeypatch.setattr("fairlead.manage.run.run", lambda *_, **given: called.update(given) or 0)
    words = "run c.toml --no-detection --set ways.count=3 --reroute h0:h4:way:2 --reroute way:h0:way -- cg"
    done = CliRunner().invoke(command, words.split(), prog_name="fairlead")
    assert done.exit_code == 0, done.output
    assert called["settings"] == {"ways.count": 3}
    assert called["reroutes"] == [("h0", "h4", 2), ("way", "h0", "way")]


@pytest.mark.parametrize("value", ["h0:h4", "h0::h4", "h0:h4:way:", "h0:h4:way:x", "h0:h4:way:-1", "h0:h4:h2:1"])
def test_a_reroute_has_one_of_two_forms(value: str) -> None:
    done = CliRunner().invoke(command, ["run", "c.toml", "--reroute", value, "--", "cg"], prog_name="fairlead")
    assert done.exit_code == 2
    assert done.output.splitlines()[-1] == (
        f"Error: Invalid value for '--reroute': {value!r} is not SOURCE:DESTINATION:RELAY or "
        "SOURCE:DESTINATION:way:NUMBER"
    )


@pytest.mark.parametrize("words", [["mpi-latency", "--help"], ["mpi-latency", "--pairs", "2", "-h"]])
def test_help_of_a_benchmark_needs_no_cluster(words: list[str]) -> None:
    done = CliRunner().invoke(command, ["measure", *words], prog_name="fairlead")
    assert done.exit_code == 0
    assert done.output.splitlines()[0] == "Usage: fairlead measure CLUSTER mpi-latency [OPTIONS]"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("reprot r", "there is no command 'reprot': did you mean 'report'?"),
        ("evaluate chekc x.json", "no command 'chekc': did you mean 'check'? (if not: fairlead evaluate run chekc)"),
        ("characterize shwo", "did you mean 'show'? (if not: fairlead characterize measure shwo)"),
        ("profile shwo x.json", "did you mean 'show'? (if not: fairlead profile run shwo)"),
    ],
)
def test_a_misspelt_command_is_no_argument(line: str, told: str) -> None:
    done = CliRunner().invoke(command, line.split(), prog_name="fairlead")
    assert done.exit_code == 2
    assert done.output.splitlines()[-1].endswith(told)


def test_what_is_there_is_an_argument(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("plann").write_text("no plan")
    Path("shov").write_text("#!/bin/sh\n")
    Path("shov").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    for words in (["evaluate", "plann"], ["evaluate", "run", "plam"], ["characterize", "--", "shwo"]):
        done = CliRunner().invoke(command, words, prog_name="fairlead")
        assert isinstance(done.exception, ConfigError) and words[-1] in str(done.exception)
    started: list[str] = []
    monkeypatch.setattr("fairlead.profile.run.run_profiled", lambda request, **_: started.append(request.argv[0]))
    CliRunner().invoke(command, ["profile", "shov"], prog_name="fairlead")
    assert started == ["shov"]


@pytest.mark.parametrize(
    "line",
    [
        "profile --json -- true",
        "profile --html -- true",
        "profile --cluster -- true",
        "profile show p.json --json --",
        "placement p.json c.toml --json --",
        "run c.toml --placement -- true",
    ],
)
def test_the_end_of_options_is_no_name(line: str) -> None:
    done = CliRunner().invoke(command, line.split(), prog_name="fairlead")
    assert done.exit_code == 2
    assert done.output.splitlines()[-1].endswith(": the name is missing: -- ends the options")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("run c.toml -n 8 cg --class A", "fairlead run c.toml -n 8 -- cg --class A"),
        ("run -n 8 c.toml cg -c A --reroute a:b:c", "fairlead run -n 8 c.toml -- cg -c A --reroute a:b:c"),
        ("profile -n 4 cg --class=A", "fairlead profile run -n 4 -- cg --class=A"),
        ("profile run cg 'two words' --class A", "fairlead profile run -- cg 'two words' --class A"),
    ],
)
def test_an_option_of_the_program_needs_two_dashes_before_the_program(line: str, told: str) -> None:
    done = CliRunner().invoke(command, shlex.split(line), prog_name="fairlead")
    assert done.exit_code == 2
    assert done.output.splitlines()[-1] == f"  {told}"
    assert "If it is the program's, put -- before the program:" in done.output


@pytest.mark.parametrize("line", ["run c.toml --rank 8 -- cg", "run --class A c.toml cg", "profile --rank 4 cg"])
def test_an_option_before_the_program_is_a_mistake(line: str) -> None:
    done = CliRunner().invoke(command, line.split(), prog_name="fairlead")
    assert done.exit_code == 2
    assert "No such option" in done.output.splitlines()[-1]


@pytest.mark.parametrize(
    "line",
    [
        "run c.toml --grace nan -- cg",
        "run c.toml --start-limit inf -- cg",
        "characterize measure c.toml --every nan --times 2",
        "characterize measure c.toml --budget -inf",
        "report r --level nan",
        "evaluate report r --within nan",
        "lab congest m delay a b --for inf",
        "measure c.toml stress --seconds nan",
        "measure c.toml mpi-latency --precision nan",
        "measure c.toml all --budget inf",
        "demo --scale nan",
    ],
)
def test_what_is_no_finite_number_is_refused(line: str) -> None:
    done = CliRunner().invoke(command, line.split(), prog_name="fairlead")
    assert done.exit_code == 2, done.output
    assert re.search(r"Invalid value for '--.*(is not a finite number|is not in the range)", done.output)


@pytest.mark.parametrize("word", ["3", "--output x.html"])
def test_a_list_of_characterizations_has_nothing_else(word: str) -> None:
    line = ["characterize", "show", "--list", *word.split()]
    done = CliRunner().invoke(command, line, prog_name="fairlead")
    assert done.exit_code == 2
    left_out = "RUN" if word == "3" else "--output"
    assert done.output.splitlines()[-1] == f"Error: --list lists all characterizations; omit {left_out}"


def test_a_start_limit_is_none_of_a_launch_line_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "c.toml").touch()
    line = ["run", str(tmp_path / "c.toml"), "--own-mpirun", "--start-limit", "60", "--", "mpirun", "./x"]
    done = CliRunner().invoke(command, line, prog_name="fairlead")
    assert done.exit_code == 2
    assert done.output.splitlines()[-1] == (
        "Error: --start-limit: where your own launch line starts ranks is not known; omit it"
    )


@pytest.mark.parametrize("pairs", ["\u00b2", "1,\u00b9", "0", "1,,2"])
def test_a_list_has_whole_numbers(pairs: str) -> None:
    done = CliRunner().invoke(command, ["measure", "c.toml", "mpi-latency", "--pairs", pairs], prog_name="fairlead")
    assert done.exit_code == 2, done.output
    assert "are not numbers from 1 to 1024; write for example 1,16" in done.output


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("osu f --test mine", "--test is of use for netgauge and samples only; omit it"),
        ("netgauge f --unit us", "--unit is of use for samples only; omit it"),
        ("imb f --size 8", "--size is of use for samples only; omit it"),
        ("samples f --test t --unit us --tick-rate 2e9", "--tick-rate is of use for netgauge only; omit it"),
    ],
)
def test_what_an_import_would_ignore_is_refused(line: str, told: str) -> None:
    words = ["measure", "import", *line.split(), "--system", "s"]
    done = CliRunner().invoke(command, words, prog_name="fairlead")
    assert done.exit_code == 2
    assert done.output.splitlines()[-1] == f"Error: {told}"


def lab_named(name: str, executed: list[str]) -> SimpleNamespace:
    def enter_command(host: str, argv: list[str]) -> list[str]:
        executed[:] = [name, host, *argv]
        return ["/bin/true"]

    plan = SimpleNamespace(host_by_name={"h0": None}, switches=("leaf0",))
    return SimpleNamespace(name=name, plan=plan, enter_command=enter_command)


@pytest.mark.parametrize("words", ["mesh8 h0 -- ping -c1 h1", "mesh8 h0 ping -c1 h1", "h0 -- ping -c1 h1"])
def test_a_command_on_a_host_of_a_lab(words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    executed: list[str] = []
    monkeypatch.setattr("fairlead.lab.running_labs", lambda: [lab_named("mesh8", executed)])
    monkeypatch.setattr("fairlead.interrupts.become", lambda *_: None)
    assert CliRunner().invoke(command, ["lab", "exec", *words.split()], prog_name="fairlead").exit_code == 0
    assert executed == ["mesh8", "h0", "ping", "-c1", "h1"]


def test_a_lab_is_named_where_several_are_up(monkeypatch: pytest.MonkeyPatch) -> None:
    executed: list[str] = []
    monkeypatch.setattr("fairlead.lab.running_labs", lambda: [lab_named("a", executed), lab_named("b", executed)])
    monkeypatch.setattr("fairlead.interrupts.become", lambda *_: None)
    invoke = partial(CliRunner().invoke, command, prog_name="fairlead")
    assert invoke(["lab", "exec", "b", "h0", "true"]).exit_code == 0
    assert executed == ["b", "h0", "true"]
    assert isinstance(invoke(["lab", "exec", "h0", "--", "true"]).exception, NoSuchLabError)
    for words, told in (
        (["a", "--", "true"], "a host is missing: fairlead lab exec a HOST -- COMMAND"),
        (["a"], "a host is missing: fairlead lab exec a HOST -- COMMAND"),
        (["a", "h0", "--"], "a command is missing: fairlead lab exec a h0 -- COMMAND"),
    ):
        done = invoke(["lab", "exec", *words])
        assert (done.exit_code, done.output.splitlines()[-1]) == (2, f"Error: {told}")


def test_no_labs_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairlead.lab.running_labs", list)
    assert CliRunner().invoke(command, ["lab", "show"]).output == "no labs are up\n"
    assert CliRunner().invoke(command, ["lab", "show", "--json"]).output == "[]\n"


def test_counters_are_of_one_lab(monkeypatch: pytest.MonkeyPatch) -> None:
    for labs, told in (
        ([], "no lab of yours is running; start one with `fairlead lab up FILE`"),
        ([lab_named("a", []), lab_named("b", [])], "several labs are running (a, b); name one"),
    ):
        monkeypatch.setattr("fairlead.lab.running_labs", lambda labs=labs: labs)
        for option in ("--nics", "--flows"):
            done = CliRunner().invoke(command, ["lab", "show", option], prog_name="fairlead")
            assert (done.exit_code, done.output.splitlines()[-1]) == (2, f"Error: {told}")


def test_what_the_demo_would_not_write_is_refused(tmp_path: Path) -> None:
    words = ["demo", "--write", str(tmp_path), "--scale", "0.2"]
    done = CliRunner().invoke(command, words, prog_name="fairlead")
    assert done.exit_code == 2
    assert done.output.splitlines()[-1] == (
        "Error: --write runs nothing, and writes the files as they are; omit --scale"
    )
    assert list(tmp_path.iterdir()) == []


def _commands(group: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    if not isinstance(group, click.Group):
        yield path, group
        return
    with click.Context(group) as context:
        names = group.list_commands(context)
        for name in names:
            found = group.get_command(context, name)
            assert found is not None
            yield from _commands(found, (*path, name))


def test_help_texts_of_commands_with_subcommands_have_examples() -> None:
    groups = {"lab", "net", "characterize", "evaluate", "workload", "profile", "cloud"}
    told = {path: each.help or "" for path, each in _commands(command) if path[0] in groups}
    del told["lab", "congest", "stop"]  # there is nothing to say of it
    assert len(told) > 25
    assert [path for path, text in told.items() if f"fairlead {path[0]} " not in text] == []


def test_an_import_names_no_cluster() -> None:
    done = CliRunner().invoke(command, ["measure", "import", "--help"], prog_name="fairlead")
    assert done.exit_code == 0
    assert done.output.splitlines()[0] == "Usage: fairlead measure import [OPTIONS] FORMAT FILE.."


def test_a_launch_line_of_ones_own_names_its_mpirun(tmp_path: Path) -> None:
    (tmp_path / "c.toml").touch()
    line = ["--own-mpirun", "--mpirun", "mpirun.mpich", "--", "mpirun", "./x"]
    for words in (["run", str(tmp_path / "c.toml"), *line], ["profile", *line]):
        done = CliRunner().invoke(command, words, prog_name="fairlead")
        assert done.exit_code == 2
        assert done.output.splitlines()[-1] == (
            "Error: --mpirun: with --own-mpirun your launch line already names mpirun; omit --mpirun"
        )


def test_more_replications_than_a_plan_may_have_are_refused_at_once() -> None:
    def said(*words: str) -> str:
        done = CliRunner().invoke(command, ["compare", "examples/demo.toml", *words, "--show-plan"])
        assert done.exit_code != 0
        return f"{done.output}{done.exception}"

    most = complaints.MOST_REPLICATIONS
    assert f"{most + 1} is not in the range 1<=x<={most}." in said("--replications", str(most + 1))
    told = said("--set", f"comparison.replications={most + 1}")
    assert "comparison.replications" in told
    assert str(most) in told
