"""Rows of evaluations and cases of comparisons are judged before the first one runs."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from fairlead import native
from fairlead.cli.compare import command as compare
from fairlead.cli.evaluate import command as evaluate
from fairlead.cluster import memory
from fairlead.cluster.cluster_file import parse_cluster
from fairlead.errors import ConfigError
from fairlead.experiment.comparisons import session
from fairlead.experiment.plans import comparison_form, plan_file, row_checks, row_needs

GIB = 2**30
CLUSTER = """\
[cluster]
name = "c"
executor = "ssh"
interface = "eth0"

[[hosts]]
name = "a"
address = "192.0.2.1"
slots = 8
memory_GiB = 8

[[hosts]]
name = "b"
address = "192.0.2.2"
slots = 8
memory_GiB = 64
"""
LAB = """\
[lab]
name = "l"
topology = "star"
hosts_per_leaf = 4
slots = 2

[host_link]
rate = "50mbit"
"""
PLAN = """\
[evaluation]
name = "p"
cluster = "{place}.toml"

[factors]
place = ["here", "there"]
program = ["bt", "ft"]
neighbours = ["none", "1 is"]

[run]
command = ["{program}", "--class", "C"]
ranks = 16
expected_s = 30

[replications]
count = 3

[whole_plot]
factors = ["place"]

[neighbours]
factor = "neighbours"
levels = { none = [], "1 is" = ["is"] }

[neighbours.programs.is]
command = ["is", "--class", "B"]
ranks = 4
"""


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    (tmp_path / "here.toml").write_text(CLUSTER)
    (tmp_path / "there.toml").write_text(CLUSTER.replace('"c"', '"d"'))
    file = tmp_path / "plan.toml"
    file.write_text(PLAN)
    return file


def found(file: Path) -> list[str]:
    return row_checks.findings(plan_file.read(file), file).lines()


def rewrite(file: Path, *pairs: tuple[str, str]) -> Path:
    text = file.read_text()
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    file.write_text(text)
    return file


def test_a_plan_that_can_run_has_no_findings(plan: Path) -> None:
    assert found(plan) == []


def test_all_findings_are_told_at_once_with_line_rows_and_the_way_out(plan: Path) -> None:
    rewrite(plan, ('"--class", "B"]\nranks = 4', '"--class", "X"]\nranks = 4'), ("ranks = 16", "ranks = 24"))
    (plan.parent / "there.toml").unlink()
    assert found(plan) == [
        f"{plan}:3: evaluation.cluster: there.toml is missing in {plan.parent} (in 4 of 8 cells: place there)\n"
        "  write it, or omit the level that needs it: --set",
        f"{plan}:12: run.ranks: ft --class C does not run on 24 ranks: the number of ranks must be a power of two"
        " (in 4 of 8 cells: program ft)\n  use 16 or 32 ranks",
        f"{plan}:26: neighbours.programs.is.command: is has no class 'X' (in 4 of 8 cells: neighbours 1 is)\n"
        "  its classes are S, W, A, B, C, D, E",
    ]


def test_a_file_of_a_cluster_that_is_wrong_is_told_with_its_own_line(plan: Path) -> None:
    rewrite(plan.parent / "there.toml", ("slots = 8\nmemory_GiB = 8", "slots = 0\nmemory_GiB = 8"))
    (line,) = found(plan)
    assert line.startswith(f"{plan}:3: evaluation.cluster: {plan.parent / 'there.toml'}:9: hosts[0].slots: ")
    assert line.endswith("correct there.toml")


def test_memory_is_held_against_what_the_cluster_s_file_says(plan: Path) -> None:
    rewrite(plan, ('"C"]', '"D"]'))
    told = [line.split(": ", 2)[2].split("\n")[0] for line in found(plan)]
    assert [line.replace("\u00a0", " ").partition(" of memory on a, which has 8 GiB ")[::2] for line in told] == [
        ("bt --class D on 16 ranks: needs 13.06 GiB", "(in 2 of 8 cells: program bt, neighbours none)"),
        (
            "bt --class D on 16 ranks and is --class B on 4 ranks: needs 13.58 GiB",
            "(in 2 of 8 cells: program bt, neighbours 1 is)",
        ),
        ("ft --class D on 16 ranks: needs 48 GiB", "(in 2 of 8 cells: program ft, neighbours none)"),
        (
            "ft --class D on 16 ranks and is --class B on 4 ranks: needs 48.52 GiB",
            "(in 2 of 8 cells: program ft, neighbours 1 is)",
        ),
    ]
    assert found(plan)[0].endswith("\n  use a smaller class, more hosts or fewer neighbours")


def test_hosts_that_are_parts_of_this_machine_share_its_memory(plan: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (plan.parent / "l.toml").write_text(LAB)
    rewrite(
        *(plan, ('cluster = "{place}.toml"', 'lab = "l.toml"'), ('place = ["here", "there"]\n', "")),
        ('[whole_plot]\nfactors = ["place"]\n', ""),
    )
    monkeypatch.setattr(memory, "here_B", lambda: 8 * GIB)
    assert found(plan) == []
    monkeypatch.setattr(memory, "here_B", lambda: 6 * GIB)
    (line,) = found(plan)
    assert (
        "ft --class C on 16 ranks and is --class B on 4 ranks: needs 6.516\u00a0GiB of memory on this machine" in line
    )


def test_programs_that_are_not_on_this_machine_are_told_where_ranks_run_on_it(plan: Path) -> None:
    rewrite(plan, ('"{program}", "--class", "C"', '"./no-{program}"'))
    assert found(plan) == []  # on hosts reached by ssh nobody has looked
    (plan.parent / "here.toml").write_text(CLUSTER.replace('"ssh"', '"local"'))
    lines = found(plan)
    assert [line.split(": ", 2)[2].split("\n")[0] for line in lines] == [
        "./no-bt: there is no such program here (in 2 of 8 cells: place here, program bt)",
        "./no-ft: there is no such program here (in 2 of 8 cells: place here, program ft)",
    ]


def test_programs_that_make_demo_does_not_build_are_told(plan: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (plan.parent / "native" / "bin").mkdir(parents=True)
    for name in ("fairlead-agent", "fairlead-guardian"):
        (plan.parent / "native" / "bin" / name).touch()
    monkeypatch.setenv(native.ENVIRONMENT_VARIABLE, str(plan.parent / "native"))
    lines = found(plan)
    assert [line.split(": ", 2)[2].split("\n")[0] for line in lines] == [
        f"{name} was not built: `make demo` builds only what it needs (in 4 of 8 cells: {cells})"
        for name, cells in (("bt", "program bt"), ("ft", "program ft"), ("is", "neighbours 1 is"))
    ]
    assert all(line.endswith(f"\n  {native.THE_REST}") for line in lines)


def test_silent_neighbours_must_run_with_a_host_s_ranks(plan: Path) -> None:
    rewrite(
        plan,
        ('neighbours = ["none", "1 is"]', 'neighbours = ["none", "1 is", "silent"]'),
        (
            'levels = { none = [], "1 is" = ["is"] }',
            'levels = { none = [], "1 is" = ["is"] }\nsilent = { silent = "1 is" }',
        ),
        ('"--class", "B"]\nranks = 4', '"--class", "B"]\nranks = 16'),
    )
    for name in ("here", "there"):
        rewrite(plan.parent / f"{name}.toml", ("slots = 8\nmemory_GiB = 8", "slots = 10\nmemory_GiB = 8"))
    lines = found(plan)
    assert [line.split(": ", 2)[2].split("\n")[0] for line in lines] == [
        f"is --class B does not run on {ranks} ranks: the number of ranks must be a power of two"
        " (in 4 of 12 cells: neighbours silent)"
        for ranks in (10, 6)
    ]


def test_what_a_row_takes_is_told(plan: Path) -> None:
    assert row_needs.summary(plan_file.read(plan)) == [
        "  a row takes about 30\u00a0s, and at most 10\u00a0min",
        "  memory of a row: 1.999\u00a0GiB to 6.516\u00a0GiB (ft --class C on 16 ranks and is --class B on 4 ranks;"
        " 3.516\u00a0GiB a host)",
    ]
    rewrite(plan, ('["{program}", "--class", "C"]', '["./own"]'), ("expected_s = 30\n", ""))
    assert row_needs.summary(plan_file.read(plan)) == [
        "  memory of a row: 528\u00a0MiB (./own on 16 ranks and is --class B on 4 ranks; 528\u00a0MiB a host)",
        "  not known: the memory of ./own",
    ]


def test_the_longest_of_the_programs_limits_is_what_a_row_takes_at_most(plan: Path) -> None:
    programs = "".join(
        f'[[programs]]\nname = "{name}"\ncommand = ["{name}"]\nranks = 1\n{limit}'
        for name, limit in (("bt", "timeout_s = 300\n"), ("ft", ""))
    )
    rewrite(plan, ('command = ["{program}", "--class", "C"]\nranks = 16', 'program = "{program}"\ntimeout_s = 120'))
    plan.write_text(plan.read_text() + programs)
    assert row_needs.summary(plan_file.read(plan))[0] == "  a row takes about 30\u00a0s, and at most 5\u00a0min"


LATE = """
[management]
factor = "management"
[management.levels]
off = "none"
[management.levels.late]
settings = { congestion_level.medium_factor = 5 }
"""


def test_settings_of_a_level_must_go_with_each_other(plan: Path) -> None:
    rewrite(plan, ('["none", "1 is"]', '["none", "1 is"]\nmanagement = ["off", "late"]'))
    plan.write_text(plan.read_text() + LATE)
    line = plan.read_text().splitlines().index("settings = { congestion_level.medium_factor = 5 }") + 1
    factors = "congestion_level.medium_factor = 5 is more than congestion_level.high_factor = 3"
    complaints = found(plan)
    assert [each.splitlines()[0] for each in complaints] == [
        f"{plan}:{line}: management.levels.late.settings: settings of agents on {name}: {factors}; change both"
        f" (in 4 of 16 cells: place {place}, management late)"
        for name, place in (("c", "here"), ("d", "there"))
    ]


def test_settings_of_a_cluster_must_go_with_each_other(plan: Path) -> None:
    (plan.parent / "here.toml").write_text(CLUSTER + "\n[settings]\ncongestion_level.medium_factor = 5\n")
    (complaint,) = found(plan)
    assert complaint.startswith(f"{plan}:3: evaluation.cluster: settings of agents on c: congestion_level.medium_fa")


REROUTED = """
[management]
factor = "management"
levels = { off = "none", seen = "detection", on = "detours" }
"""
NEEDS_TCP = 'transport = "tcp" in the plan makes MPI use TCP, which it can reroute; '


def managed(plan: Path, *more: tuple[str, str]) -> Path:
    rewrite(plan, ('["none", "1 is"]', '["none", "1 is"]\nmanagement = ["off", "seen", "on"]'), *more)
    plan.write_text(plan.read_text() + REROUTED)
    return plan


def test_management_that_reroutes_needs_tcp(plan: Path) -> None:
    managed(plan, ('program = ["bt", "ft"]', 'program = ["bt"]\ntransport = ["tcp", "native"]'))
    rewrite(plan, ("ranks = 16\n", 'ranks = 16\ntransport = "{transport}"\n'))
    (complaint,) = found(plan)
    line = plan.read_text().splitlines().index('transport = "{transport}"') + 1
    told, way_out = complaint.split("\n")
    assert told == (
        f"{plan}:{line}: run.transport: management cannot reroute messages over native transport"
        " (in 4 of 24 cells: transport native, management on)"
    )
    assert way_out.startswith(f"  {NEEDS_TCP}") and "[[exclude]]" in way_out
    plan.write_text(plan.read_text() + '\n[[exclude]]\ntransport = "native"\nmanagement = "on"\n')
    assert found(plan) == []


def test_the_cluster_s_transport_counts_where_the_plan_says_none(plan: Path) -> None:
    managed(plan)
    assert found(plan) == []  # what devices hosts have is not known yet
    rewrite(plan.parent / "here.toml", ('interface = "eth0"', 'interface = "eth0"\ntransport = "native"'))
    (complaint,) = found(plan)
    assert complaint.startswith(
        f"{plan}:3: evaluation.cluster: management cannot reroute messages over native transport, which here.toml asks"
        f" for (in 4 of 24 cells: place here, management on)\n  {NEEDS_TCP}"
    )
    assert found(rewrite(plan, ("expected_s = 30", 'transport = "tcp"'))) == []
    assert found(rewrite(plan, ('transport = "tcp"', 'launcher = "custom"'))) == []  # its command says it


SHARED = ('factor = "neighbours"\n', 'factor = "neighbours"\nprocessors = "equal"\n')


def test_processors_are_shared_on_this_machine_only(plan: Path) -> None:
    rewrite(plan.parent / "here.toml", ('"ssh"', '"local"'))
    rewrite(plan, SHARED, ('"{program}", "--class", "C"', '"ep", "--class", "S"'))
    line = plan.read_text().splitlines().index('processors = "equal"') + 1
    assert found(plan) == [
        f"{plan}:{line}: neighbours.processors: the ranks of d are not processes of this machine"
        " (in 4 of 8 cells: place there)\n"
        "  only labs and local clusters share processors by control groups; omit it"
    ]
    assert found(rewrite(plan, ('processors = "equal"', 'processors = "system"'))) == []


def test_evaluate_plan_shows_the_plan_and_then_what_is_wrong(plan: Path) -> None:
    shown = CliRunner().invoke(evaluate, ["plan", str(plan)])
    assert shown.exit_code == 0
    assert "  memory of a row: " in shown.output
    wrong = CliRunner().invoke(evaluate, ["plan", str(plan), "--set", "run.ranks=24"])
    assert isinstance(wrong.exception, ConfigError)
    assert wrong.output.startswith("p: 24 rows, 8 cells of 8\n")
    assert "run.ranks: ft --class C does not run on 24 ranks" in str(wrong.exception)


def test_evaluate_runs_nothing_while_something_is_wrong(plan: Path, tmp_path: Path) -> None:
    result = CliRunner().invoke(
        evaluate, ["run", str(plan), "--results", str(tmp_path / "results"), "--set", 'program=["bt", "xy"]']
    )
    assert isinstance(result.exception, ConfigError) is False  # xy may be a program of the hosts' own
    result = CliRunner().invoke(
        evaluate,
        ["run", str(plan), "--results", str(tmp_path / "other"), "--set", 'run.command=["cg", "--class", "Z"]'],
    )
    assert isinstance(result.exception, ConfigError)
    assert "cg has no class 'Z'" in str(result.exception)
    assert not (tmp_path / "other").exists()


COMPARISON = """\
[comparison]
name = "one"
replications = 2

[labs]
star = "l.toml"
other = "m.toml"

[congestions.streams]
[[congestions.streams.bottlenecks]]
kind = "streams"
pairs = [["h0", "h1"]]

[[programs]]
name = "cg"
command = ["cg", "--class", "S"]
ranks = 8

[[programs]]
name = "is"
command = ["is", "--class", "S"]
ranks = 8

[[cases]]
programs = ["cg", "is"]
labs = ["star"]
congestions = ["streams"]

[[cases]]
programs = ["cg"]
labs = ["other"]
congestions = ["streams"]
"""


@pytest.fixture
def comparison(tmp_path: Path) -> Path:
    (tmp_path / "l.toml").write_text(LAB)
    (tmp_path / "m.toml").write_text(LAB)
    file = tmp_path / "comparison.toml"
    file.write_text(COMPARISON)
    return file


def test_all_cases_of_a_comparison_are_judged_at_once(comparison: Path) -> None:
    assert len(session.read(comparison).all_cases()) == 3
    (comparison.parent / "m.toml").unlink()
    rewrite(
        *(
            comparison,
            ('["cg", "--class", "S"]', '["cg", "--class", "T"]'),
            ("ranks = 8\n\n[[cases]]", "ranks = 5\n\n[[cases]]"),
        ),
        ('["h0", "h1"]', '["h0", "h7"]'),
    )
    with pytest.raises(ConfigError) as caught:
        session.read(comparison)
    places = [
        line.split(": ")[0].rpartition(":")[2] + " " + line.split(": ")[1]
        for line in str(caught.value).split("\n")[::2]
    ]
    assert places == [
        "7 labs.other",
        "10 congestions.streams.bottlenecks[0]",
        "16 programs[0].command",
        "22 programs[1].ranks",
    ]
    assert "cg has no class 'T' (in 2 of 3 cases: cg.streams.star and cg.streams.other)" in str(caught.value)
    assert "is --class S does not run on 5 ranks" in str(caught.value)


CONGESTED = """\
[evaluation]
name = "p"
lab = "l.toml"
[factors]
congestion = ["clean", "delayed"]
placement = ["slots", "placed"]
[run]
program = "cg"
[[programs]]
name = "cg"
command = ["cg", "--class", "T"]
ranks = 8
[congestion]
factor = "congestion"
[congestion.levels]
clean = "none"
[congestion.levels.delayed]
bottlenecks = [{ kind = "delay", link = ["switch", "h7"] }]
[placement]
factor = "placement"
levels = { slots = "slots", placed = "placed.json" }
"""


def test_congestion_and_placement_of_rows_are_held_against_the_lab(tmp_path: Path) -> None:
    (tmp_path / "l.toml").write_text(LAB)
    file = tmp_path / "plan.toml"
    file.write_text(CONGESTED)
    lines = [line.split("\n")[0].removeprefix(f"{tmp_path}/") for line in found(file)]
    assert [line.split(": ")[1] for line in lines] == [
        *("programs[0].command", "congestion.levels.delayed.bottlenecks[0]", "placement.levels.placed")
    ]
    assert lines[0].endswith("cg has no class 'T'")
    assert "on l.toml: congestion: there is no link switch-h7 (in 2 of 4 cells: congestion delayed)" in lines[1]
    assert "placed.json" in lines[2] and lines[2].endswith("(in 2 of 4 cells: placement placed)")
    (tmp_path / "c.toml").write_text(CLUSTER)
    file.write_text(CONGESTED.replace('lab = "l.toml"', 'cluster = "c.toml"'))
    assert any("evaluation.cluster: congestion can only be created in a lab" in line for line in found(file))


def test_memory_of_a_case_is_held_against_this_machine(comparison: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "here_B", lambda: GIB)
    with pytest.raises(ConfigError, match=r"cg --class C on 8 ranks: needs 1.001.GiB of memory on this machine"):
        session.read(rewrite(comparison, ('["cg", "--class", "S"]', '["cg", "--class", "C"]')))


def test_compare_takes_other_values(comparison: Path) -> None:
    shown = CliRunner().invoke(compare, [str(comparison), "--show-plan", "--set", "comparison.replications=1"])
    assert shown.exit_code == 0
    assert shown.output.count("replication 0") == 12
    wrong = CliRunner().invoke(compare, [str(comparison), "--show-plan", "--set", "programs.cg.ranks=3"])
    assert "cg --class S does not run on 3 ranks" in str(wrong.exception)


def test_a_comparison_needs_tcp_for_what_it_manages(comparison: Path) -> None:
    rewrite(comparison, ("replications = 2\n", 'replications = 2\ntransport = "native"\n'))
    with pytest.raises(ConfigError) as caught:
        session.read(comparison)
    told, way_out = str(caught.value).split("\n")
    assert told == f"{comparison}:4: comparison.transport: management cannot reroute messages over native transport"
    assert way_out.startswith(f"  {NEEDS_TCP}")
    plan = session.read(rewrite(comparison, ('transport = "native"', 'transport = "tcp"')))
    parts = comparison_form.parts(plan).values()
    assert {part.program_at(levels).transport for part in parts for levels in part.combinations()} == {"tcp"}


def test_the_command_says_the_transport_of_a_comparison_too(comparison: Path) -> None:
    rewrite(comparison, ("replications = 2\n", 'replications = 2\ntransport = "native"\n'))
    assert session.read(comparison, transport="tcp").comparison.transport == "tcp"
    assert session.read(comparison, transport="auto").comparison.transport is None
    for wanted, code in (("tcp", 0), ("auto", 0), ("udp", 2)):
        assert CliRunner().invoke(compare, [str(comparison), "--show-plan", "--transport", wanted]).exit_code == code
    refused = CliRunner().invoke(compare, [str(comparison), "--show-plan", "--transport", "native"])
    assert isinstance(refused.exception, ConfigError)
    told = refused.exception.message
    assert told.startswith("--transport native: management cannot reroute messages over native transport, and a comp")
    rewrite(comparison, ('transport = "native"', 'transport = "tcp"'))
    assert session.read(comparison).comparison.transport == "tcp"


def test_memory_of_a_host_is_read_from_the_cluster_s_file() -> None:
    cluster = parse_cluster(CLUSTER)
    assert memory.capacities(cluster) == {"a": 8 * GIB, "b": 64 * GIB}
    assert memory.by_host(cluster, 12, 12.0) == {"a": 8.0, "b": 4.0}
    assert memory.short(cluster, [{"a": 5.0 * GIB}, {"a": 4.0 * GIB, "b": 2.0}]) == ("a", 9.0 * GIB, 8 * GIB)
    assert memory.short(cluster, [{"a": 5.0 * GIB, "b": 60.0 * GIB}]) is None
    assert memory.here_B() > 0
