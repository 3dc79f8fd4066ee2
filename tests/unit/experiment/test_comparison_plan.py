"""Plans of comparisons: cases, what is wrong with one, how long it will take, what is left of it."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

from fairlead import config
from fairlead.cli.compare import command
from fairlead.cluster.description import Cluster, Host
from fairlead.cluster.job import Job
from fairlead.cluster.launchers.custom import Custom
from fairlead.display import words
from fairlead.errors import ConfigError
from fairlead.experiment.comparisons import experiment, session
from fairlead.experiment.comparisons.experiment import ComparisonExperiment
from fairlead.experiment.factors.program import Program, prepare_program
from fairlead.experiment.plans import forecast
from fairlead.experiment.plans.comparison import ComparisonPlan
from fairlead.experiment.plans.comparison_form import key, rows_of, scenario
from fairlead.experiment.plans.forecast import RemainingTime
from fairlead.experiment.running import testbed, trial
from fairlead.experiment.running.trial import Taken
from fairlead.manage.supervisor import Outcome
from fairlead.placement.json_form import Expected, Placement
from fairlead.prices.book import kept_with, load_prices
from fairlead.store import Store

from ..prices.test_prices import INSTANCE, book

EXAMPLES = Path(__file__).parents[3] / "examples"
PROGRAMS = """
[[programs]]
name = "cg"
command = ["cg", "--class", "S"]
ranks = 4
clean_s = 10

[[programs]]
name = "nbody"
command = ["nbody"]
ranks = 8
"""
SIMPLE = """
[comparison]
name = "one"
lab = "mesh8.toml"
replications = 2

[congestion]
[[congestion.bottlenecks]]
kind = "delay"
link = ["leaf0", "leaf1"]
"""
CASES = """
[comparison]
name = "several"
replications = 2

[labs]
mesh = "mesh8.toml"
star = "star8.toml"

[congestions.streams]
slowdown = 2
[[congestions.streams.bottlenecks]]
kind = "streams"
pairs = [["n0", "h1"]]

[congestions.mpi]
[[congestions.mpi.bottlenecks]]
kind = "mpi"

[[cases]]
programs = ["cg", "nbody"]
labs = ["mesh"]
congestions = ["streams", "mpi"]

[[cases]]
programs = ["cg"]
labs = ["star"]
congestions = ["mpi"]
"""


def parse(text: str) -> ComparisonPlan:
    return config.parse(text, ComparisonPlan, source="plan.toml").under(EXAMPLES)


def test_one_network_and_one_congestion_make_a_case_of_each_program() -> None:
    first, second = parse(SIMPLE + PROGRAMS).all_cases()
    assert (first.name, second.name) == ("cg", "nbody")
    assert first.network == second.network
    assert first.network.lab == EXAMPLES / "mesh8.toml"


def test_cases_are_every_combination_named() -> None:
    cases = parse(CASES + PROGRAMS).all_cases()
    assert [case.name for case in cases] == [
        *("cg.streams.mesh", "nbody.streams.mesh", "cg.mpi.mesh", "nbody.mpi.mesh"),
        "cg.mpi.star",
    ]
    assert cases[0].congestion.slowdown == 2
    assert cases[4].network.lab == EXAMPLES / "star8.toml"


def test_where_a_scale_is_found_programs_have_networks_of_their_own_but_placements_share_one() -> None:
    placed = '[[programs]]\nname = "placed"\ncommand = ["cg", "--class", "S"]\nranks = 4\nplacement = "good.json"\n'
    text = SIMPLE + PROGRAMS + placed
    given = parse(text).all_cases()
    assert len({case.network for case in given}) == 1
    found = parse(text.replace("replications", 'scale = "auto"\nreplications')).all_cases()
    assert [case.network.scaled_for for case in found] == ["cg", "nbody", "cg"]
    assert {case.network.lab for case in found} == {EXAMPLES / "mesh8.toml"}


def test_networks_come_one_after_the_other_with_positions_that_go_on() -> None:
    rows = rows_of(parse(CASES + PROGRAMS))
    assert [row.position for row in rows] == list(range(4 * 4 * 2 + 4 * 2))
    assert all(str(row.levels["case"]).endswith(".mesh") for row in rows[:32])
    assert {row.levels["case"] for row in rows[32:]} == {"cg.mpi.star"}
    assert len({key(row) for row in rows}) == len(rows)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (SIMPLE.replace('lab = "mesh8.toml"', "") + PROGRAMS, "give either lab or cluster"),
        (SIMPLE.partition("[congestion]")[0] + PROGRAMS, "congestion: is missing"),
        (CASES.partition("[[cases]]")[0] + PROGRAMS, "give either lab or cluster"),
        (CASES.replace('labs = ["star"]', 'labs = ["ring"]') + PROGRAMS, "cases[1].labs: ring is not in the plan"),
        (CASES.replace('["cg"]', '["ep"]') + PROGRAMS, "cases[1].programs: ep is not in the plan, which has cg, nbody"),
        (CASES + PROGRAMS.replace('"nbody"\n', '"cg"\n'), "programs: two are called cg"),
        (CASES.replace('labs = ["star"]', 'labs = ["mesh"]') + PROGRAMS, "cases: two are called cg.mpi.mesh"),
        (CASES.replace("replications = 2", 'lab = "mesh8.toml"') + PROGRAMS, "networks stand in [labs]"),
        (CASES.replace("congestions.mpi", "congestions.clean") + PROGRAMS, "congestions.clean: is what runs without"),
        (
            SIMPLE + PROGRAMS.replace('"nbody"]', '"sh", "-c", "./nbody <${INPUT}"]'),
            "programs[1].command: {INPUT} stands",
        ),
    ],
)
def test_what_is_wrong_is_said(text: str, complaint: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(text)
    assert complaint in str(caught.value)


def test_a_lab_that_lacks_what_the_congestion_names_is_told_before_anything_runs(tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text(SIMPLE.replace("mesh8.toml", str(EXAMPLES / "star8.toml")) + PROGRAMS)
    with pytest.raises(ConfigError, match="there is no link leaf0-leaf1"):
        session.read(plan)


def test_cases_are_chosen_by_pattern() -> None:
    plan = parse(CASES + PROGRAMS)
    assert session.chosen(plan, []) == [case.name for case in plan.all_cases()]
    assert session.chosen(plan, ["cg.mpi.*", "nbody.streams.mesh"]) == [
        *("nbody.streams.mesh", "cg.mpi.mesh", "cg.mpi.star")
    ]
    with pytest.raises(ConfigError, match=r"--only ep\.\*: no case"):
        session.chosen(plan, ["ep.*"])


def test_the_time_is_told_from_what_the_plan_says() -> None:
    plan = parse(CASES + PROGRAMS)
    rows = [row for row in rows_of(plan) if row.levels["case"] == "cg.streams.mesh"]
    told = session.forecast(plan, rows)
    runs_s = 2 * (10 + 10 + 2 * 10 + forecast.DETOUR_FACTOR * 10 + 4 * forecast.START_S)
    assert (told.runs, told.labs, told.unknown) == (8, 1, ())
    assert told.time_s == pytest.approx(runs_s + 10 + forecast.set_up_s(8))
    assert told.describe() == "8 runs on 1 network: about 3 minutes"
    everything = session.forecast(plan, rows_of(plan))
    assert everything.unknown == ("nbody",)
    assert "clean_s is missing for nbody" in everything.describe()
    assert session.forecast(plan, []).describe() == "nothing left to run"


def test_what_runs_really_take_corrects_the_time_that_is_left() -> None:
    left = RemainingTime(lambda levels: None if levels["case"] == "new" else 10.0 * int(levels["case"]))
    assert left.left_s([{"case": 10}]) == 100.0
    assert left.left_s([{"case": "new"}]) is None
    left.add({"case": 1}, taken_s=15.0)
    assert left.left_s([{"case": 10}]) == 150.0
    assert left.left_s([{"case": 10}, {"case": 1}, {"case": "new"}]) == 180.0  # 150, its own mean, the mean of all
    assert [forecast.words(s) for s in (3.0, 44.0, 720.0, 9000.0)] == [
        *("about 10 s", "about 40 s", "about 12 minutes", "about 2.5 hours")
    ]


def test_cases_left_out_follow_later_in_the_same_experiment(tmp_path: Path) -> None:
    plan = parse(CASES + PROGRAMS)
    with Store.open(tmp_path) as store:
        first = ComparisonExperiment(plan, store, ["cg.mpi.star"])
        assert {row.levels["case"] for row in first.left()} == {"cg.mpi.star"}
        for row in first.left():
            labels = {"case": row.levels["case"], "replication": row.replication}
            run = store.begin_run("run", labels, parent=first.experiment, plan=key(row))
            store.finish_run(run, "ok", 0)
        first = ComparisonExperiment(plan, store, ["cg.mpi.star"])
        assert first.left() == []
        first.run()
        second = ComparisonExperiment(plan, store)
        assert second.experiment == first.experiment  # not ended: other cases are left
        assert len(second.left()) == 32
        assert "cg.mpi.star" not in {row.levels["case"] for row in second.left()}


def test_an_interrupted_comparison_goes_on_only_while_its_networks_are_the_same(tmp_path: Path) -> None:
    described = (EXAMPLES / "mesh8.toml").read_text()
    lab = tmp_path / "mesh8.toml"
    plan = config.parse(SIMPLE + PROGRAMS, ComparisonPlan, source="plan.toml").under(tmp_path)

    def number(text: str) -> int:
        lab.write_text(text)
        with Store.open(tmp_path / "results") as store:
            return ComparisonExperiment(plan, store).experiment

    assert number(described) == 1
    assert number(f"# {described}") == 1
    slower = described.replace('rate = "', 'rate = "1', 1)
    assert slower != described
    assert number(slower) == 2
    assert number(described) == 1


def test_the_price_book_is_kept_and_prices_begin_no_other_comparison(tmp_path: Path) -> None:
    text = INSTANCE + '[systems.mesh8]\ninstance = "big"\nhosts = 8\n'
    path = book(tmp_path / "prices.toml", text)
    bare = parse(SIMPLE + PROGRAMS)
    priced = session.with_table(bare, prices=path)
    assert session.book_of(bare) is None
    assert session.book_of(priced).currency == "EUR"
    with Store.open(tmp_path / "results") as store:
        assert ComparisonExperiment(priced, store).experiment == 1
        assert ComparisonExperiment(bare, store).experiment == 1
        path.write_text(path.read_text().replace("3.0", "4.0"))
        assert ComparisonExperiment(priced, store).experiment == 1
        found = kept_with(store.run(1).plan)
    assert found is not None and found.price("mesh8").per_hour == 8 * 3.0
    path.write_text(path.read_text().replace("mesh8", "other"))
    with pytest.raises(ConfigError, match=r"prices\.toml: no \[systems\.mesh8\]"):
        session.book_of(priced)


def test_a_price_book_is_named_by_the_plan_or_the_command(tmp_path: Path) -> None:
    path = book(tmp_path / "prices.toml", INSTANCE)
    for name in (path.name, "absent.toml"):
        text = SIMPLE.replace("replications", f'prices = "{name}"\nreplications') + PROGRAMS
        plan = config.parse(text, ComparisonPlan, source="plan.toml").under(tmp_path)
        assert plan.comparison.prices == tmp_path / name
    done = CliRunner().invoke(command, [str(EXAMPLES / "demo.toml"), "--show-plan", "--prices", str(path)])
    assert isinstance(done.exception, ConfigError)
    assert str(done.exception).startswith(f"{path}: no [systems.")
    assert done.exception.hint == "add it, or name no price book"


def test_what_is_left_is_priced_by_the_time_on_each_network(tmp_path: Path) -> None:
    text = INSTANCE + INSTANCE.replace("big", "dear").replace("3.0", "6.0")
    text += '[systems.mesh8]\ninstance = "big"\nhosts = 8\n[systems.star8]\ninstance = "dear"\nhosts = 8\n'
    prices = load_prices(book(tmp_path / "b.toml", text))
    plan = parse(CASES + PROGRAMS)

    def told(*cases: str) -> session.Forecast:
        rows = [row for row in rows_of(plan) if row.levels["case"] in cases]
        return session.forecast(plan, rows, book=prices)

    mesh, star = told("cg.streams.mesh"), told("cg.mpi.star")
    assert mesh.time_s == pytest.approx(153.0)
    assert mesh.describe().replace("\u00a0", " ") == "8 runs on 1 network: about 3 minutes, about 1.0 EUR"
    both = mesh.time_s / 3600 * 24 + star.time_s / 3600 * 48
    assert told("cg.streams.mesh", "cg.mpi.star").cost == f"about {words.money(both, 'EUR', 2)}"
    assert told("nbody.mpi.mesh").describe().startswith("8 runs on 1 network; duration: known after")
    assert session.forecast(plan, rows_of(plan)).cost == ""


def test_each_network_has_a_pilot_of_its_own_though_two_are_called_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    times_s = iter(range(1, 100))
    facts = {"cg": {"software": {"mpi": "one"}}, "nbody": {"software": {"mpi": "other"}}}
    cluster = Cluster("same", "local", (Host("h0", "10.0.0.1"), Host("h1", "10.0.0.2")))

    def prepared(bed: testbed.Testbed, row: object) -> bool:
        bed.cluster = cluster
        return True

    def run(*_: object) -> Taken:
        return Taken(Outcome(0, float(next(times_s)), 0.0), b"")

    monkeypatch.setattr(testbed.Testbed, "prepare", prepared)
    monkeypatch.setattr(testbed.Testbed, "management", lambda *_: None)
    monkeypatch.setattr(testbed.Testbed, "facts", lambda _, program: facts[program.command[1]])
    monkeypatch.setattr(ComparisonExperiment, "_check", lambda *_: None)
    monkeypatch.setattr(ComparisonExperiment, "_trial", lambda *_, **__: None)
    monkeypatch.setattr(trial, "run", run)
    text = (CASES + PROGRAMS).replace('["cg", "--class", "S"]', '["true", "cg"]')
    text = text.replace('["nbody"]', '["true", "nbody"]')
    plan = parse(text)
    mesh = [("cg", "mesh"), ("nbody", "mesh")]
    for only, wanted in ((["cg.mpi.mesh", "nbody.mpi.mesh"], mesh), (None, [("cg", "mesh"), ("cg", "star"), mesh[1]])):
        with Store.open(tmp_path) as store:
            made = ComparisonExperiment(plan, store, only)
            made.run()
            pilots = store.runs("run", parent=made.experiment, scenario="pilot")
            found = sorted((str(run.labels["program"]), str(run.labels["case"]).split(".")[2]) for run in pilots)
            assert found == wanted
            assert all(run.facts == facts[str(run.labels["program"])] for run in store.runs("run"))
    with Store.read(tmp_path) as store:
        assert [run.status for run in store.runs("experiment")] == ["ok"]
        assert len(store.runs("run")) == 3 + 40


def test_trials_go_over_the_transport_of_the_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the cluster file of a lab that is up says another."""
    cluster = Cluster("two", "local", (Host("h0", "10.0.0.1"), Host("h1", "10.0.0.2")), transport="native")
    started: list[str | None] = []

    def prepared(there: Cluster, program: Program, job_id: str) -> tuple[Custom, Job]:
        started.append(program.transport_on(there))
        return Custom(), Job(job_id, (), ("h0",))

    monkeypatch.setattr(experiment, "prepare_program", prepared)
    monkeypatch.setattr(trial, "run", lambda *_: Taken(Outcome(0, 1.0, 0.0), b""))
    lab = SimpleNamespace(plan=SimpleNamespace(scale=1.0))
    bed: Any = SimpleNamespace(cluster=cluster, lab=lab, facts=lambda program: {})
    for text in (SIMPLE, SIMPLE.replace("replications", 'transport = "tcp"\nreplications')):
        plan = parse(text + PROGRAMS.replace('["cg", "--class", "S"]', '["true"]'))
        with Store.open(tmp_path / str(len(started))) as store:
            ComparisonExperiment(plan, store)._try(plan.all_cases()[0], bed, None, False)
    assert started == ["native", "tcp"]


def test_the_example_of_the_thesis_is_sound() -> None:
    plan = session.read(EXAMPLES / "dmcbm.toml")
    told = session.forecast(plan, rows_of(plan))
    assert told.unknown == ()
    kinds = {bottleneck.kind for case in plan.all_cases() for bottleneck in case.congestion.bottlenecks}
    assert kinds == {"streams", "mpi", "delay"}
    assert {case.program.ranks for case in plan.all_cases()} == {16, 32}


def test_the_command_shows_the_rows_of_a_case_and_their_time() -> None:
    plan = str(EXAMPLES / "dmcbm.toml")
    shown = CliRunner().invoke(
        command, [plan, "--only", "cg-B-16.delay.two-paths", "--replications", "1", "--show-plan"]
    )
    assert shown.exit_code == 0, shown.output
    *rows, told = shown.output.splitlines()
    assert sorted(line.split()[2] for line in rows) == ["clean", "clean_managed", "congested", "congested_managed"]
    assert told.startswith("4 runs on 1 network: about ")
    staged = CliRunner().invoke(command, [plan, "--only", "cg-B-16.delay.*", "--stages", "--show-plan"])
    assert "congested_detection" in staged.output


def test_planes_stand_side_by_side() -> None:
    plan = session.read(EXAMPLES / "relay.toml")
    assert {scenario(row.levels) for row in rows_of(plan)} == {
        "clean", "congested", "clean_route", "congested_route", "clean_relay", "congested_relay",
    }  # fmt: skip
    assert experiment.stored(plan)["comparison"]["planes"] == ["route", "relay"]
    one = CliRunner().invoke(command, [str(EXAMPLES / "demo.toml"), "--plane", "relay", "--show-plan"])
    assert "congested_managed" in one.output
    two = CliRunner().invoke(command, [str(EXAMPLES / "relay.toml"), "--stages"])
    assert two.exit_code == 2
    assert "over a single plane" in two.output
    with pytest.raises(ConfigError, match="planes: two are called relay"):
        parse(SIMPLE.replace("replications = 2", 'planes = ["relay", "relay"]') + PROGRAMS)


def test_cases_are_chosen_by_congestion_too() -> None:
    plan = session.read(EXAMPLES / "migration.toml")
    assert plan.comparison.migrate
    assert session.chosen(plan, [], ["link"]) == ["cg.link.servers8"]
    assert session.chosen(plan, ["cg*"], ["destination"]) == ["cg.destination.servers8"]
    with pytest.raises(ConfigError, match="--congestion path: the plan has no such congestion"):
        session.chosen(plan, [], ["path"])


def test_a_congestion_that_no_case_has_is_told() -> None:
    spare = '[[congestions.spare.bottlenecks]]\nkind = "delay"\nlink = ["leaf0", "leaf1"]\ndelay = "9ms"\n'
    plan = parse(CASES + spare + PROGRAMS)
    with pytest.raises(ConfigError, match="--congestion spare: no case of the plan has this congestion") as told:
        session.chosen(plan, [], ["spare"])
    assert "spare" not in told.value.hint


def test_a_program_runs_where_it_is_placed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same program, once by slots and once placed: the path starts at the plan, the hosts come from the file."""
    twice = PROGRAMS.replace('name = "nbody"', 'name = "placed"\nplacement = "placed.json"')
    plain, placed = parse(SIMPLE + twice).all_cases()
    assert plain.program.placement is None
    assert placed.program.placement == EXAMPLES / "placed.json"
    asked: list[object] = []

    def launcher_and_job(
        _cluster: Cluster, _argv: object, _ranks: int, *, job_id: str, hosts: object, **_others: object
    ) -> object:
        asked.append(hosts)
        return Custom(), Job(job_id, (), ("h1", "h0"))

    monkeypatch.setattr("fairlead.experiment.factors.program.launch.prepare", launcher_and_job)
    cost = Expected(messages=0, bytes_B=0)
    found = Placement(
        program=["nbody"],
        cluster="two",
        characterization=None,
        profiled=True,
        hosts_before=["h0", "h1"],
        before=cost,
        host_of_rank=["h1", "h0"],
        after=cost,
    )
    (tmp_path / "placed.json").write_text(found.to_json())
    two = Cluster("two", "local", (Host("h0", "10.0.0.1"), Host("h1", "10.0.0.2")))
    program = placed.program.model_copy(update={"placement": tmp_path / "placed.json", "ranks": 2})
    prepare_program(two, program.resolved(), "j")
    prepare_program(two, plain.program.resolved(), "j")
    assert asked == [("h1", "h0"), None]
    stored = experiment.stored(parse(SIMPLE + PROGRAMS).model_copy(update={"programs": (plain.program, program)}))
    assert stored["programs"][0]["placement"] is None
    assert stored["programs"][1]["placement"] == ["h1", "h0"]


def test_the_example_with_placements_is_of_its_lab() -> None:
    plan = session.read(EXAMPLES / "placement-compare.toml")
    hosts = {f"h{number}" for number in range(8)}
    placements = [Placement.read(program.placement) for program in plan.programs if program.placement is not None]
    assert [placed.cluster for placed in placements] == ["mesh8", "mesh8"]
    assert [set(placed.host_of_rank) for placed in placements] == [hosts, hosts]
    assert placements[0].host_of_rank == placements[1].hosts_before
