"""Plans of evaluations: what they may say, which rows they mean, in which order."""

from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from fairlead import config
from fairlead.errors import ConfigError
from fairlead.experiment.factors.management import Managed
from fairlead.experiment.factors.program import Program
from fairlead.experiment.plans import design, plan_file, plan_words
from fairlead.experiment.plans.plan import Plan, under
from fairlead.manage.components import FULL, MIGRATING, NONE, STAGES, Components

EXAMPLES = Path(__file__).parents[3] / "examples" / "evaluate"
HEAD = '[evaluation]\nname = "p"\ncluster = "c.toml"\nseed = 5\n'
RUN = '[run]\ncommand = ["{program}", "--class", "S"]\nranks = "{ranks}"\n'
FACTORS = '[factors]\nprogram = ["is", "ft"]\nranks = [4, 8]\nnetwork = ["none", "rr", "ad"]\n'


def parse(*parts: str) -> Plan:
    return config.parse("".join(parts), Plan, source="plan.toml")


def test_without_whole_plots_every_replication_is_a_block_in_an_order_of_its_own():
    plan = parse(HEAD, FACTORS, RUN, "[replications]\ncount = 4\n")
    rows = design.planned_rows(plan)
    assert [row.position for row in rows] == list(range(48))
    assert [row.block for row in rows] == [k // 12 for k in range(48)]
    assert all(row.block == row.replication for row in rows)
    blocks = [[design.key_of(row.levels) for row in rows if row.block == k] for k in range(4)]
    assert len({tuple(block) for block in blocks}) == 4
    assert len({frozenset(block) for block in blocks}) == 1
    assert design.planned_rows(plan) == rows
    other = parse(HEAD.replace("5", "6"), FACTORS, RUN, "[replications]\ncount = 4\n")
    assert [row.levels for row in design.planned_rows(other)] != [row.levels for row in rows]


def test_every_level_of_a_whole_plot_is_set_up_once_a_block_in_random_order():
    plan = parse(
        HEAD, FACTORS, RUN, "[replications]\ncount = 10\n", '[whole_plot]\nfactors = ["network"]\nblocks = 4\n'
    )
    rows = design.planned_rows(plan)
    assert [(b.first, b.replications) for b in design.planned_blocks(plan)] == [(0, 2), (2, 3), (5, 2), (7, 3)]
    networks = [(row.block, row.levels["network"]) for row in rows]
    changes = [networks[0], *(here for before, here in pairwise(networks) if here != before)]
    assert len(changes) == 12
    assert design.set_ups(plan, rows) == 12
    orders = {tuple(network for block, network in changes if block == k) for k in range(4)}
    assert len(orders) > 1
    count = Counter((design.key_of(row.levels), row.replication) for row in rows)
    assert len(count) == 12 * 10
    assert set(count.values()) == {1}


def test_exclusions_and_fractions_leave_what_they_say():
    excluded = parse(HEAD, FACTORS, RUN, '[[exclude]]\nprogram = "ft"\nnetwork = ["rr", "ad"]\n')
    assert len(excluded.combinations()) == 8
    assert {str(each["network"]) for each in excluded.combinations() if each["program"] == "ft"} == {"none"}
    two = "[factors]\na = [0, 1]\nb = [0, 1]\nc = [0, 1]\n"
    half = parse(HEAD, two, '[run]\ncommand = ["x"]\n', '[[fractions]]\nfactors = ["a", "b", "c"]\nremainder = 1\n')
    assert [tuple(each.values()) for each in half.combinations()] == [(0, 0, 1), (0, 1, 0), (1, 0, 0), (1, 1, 1)]
    three = "[factors]\na = [0, 1, 2]\nb = [0, 1, 2]\nc = [0, 1, 2]\n"
    third = parse(HEAD, three, '[run]\ncommand = ["x"]\n', '[[fractions]]\nfactors = ["a", "b", "c"]\n').combinations()
    assert len(third) == 9
    for pair in (("a", "b"), ("a", "c"), ("b", "c")):  # every two factors are crossed completely
        assert len({tuple(each[name] for name in pair) for each in third}) == 9


def test_further_blocks_hold_one_replication_of_the_open_cells():
    plan = parse(HEAD, FACTORS, RUN, "[replications]\ncount = 5\nhalf_width = 0.05\nat_most = 7\n")
    last = design.planned_blocks(plan)[-1]
    sixth = design.further_block(plan, last)
    assert sixth == design.Block(5, 5, 1)
    seventh = design.further_block(plan, sixth)
    assert seventh == design.Block(6, 6, 1)
    assert design.further_block(plan, seventh) is None
    cell = design.key_of(plan.combinations()[3])
    rows = design.rows_of(plan, sixth, 60, {cell})
    assert [(design.key_of(row.levels), row.replication, row.position) for row in rows] == [(cell, 5, 60)]
    fixed = parse(HEAD, FACTORS, RUN)
    assert design.further_block(fixed, design.planned_blocks(fixed)[-1]) is None


def test_management_is_a_factor_like_any_other():
    table = '[management]\nfactor = "network"\nlevels = { none = "none", rr = "agents", ad = "detours" }\n'
    plan = parse(HEAD, FACTORS, RUN, table)
    found = {str(levels["network"]): plan.managed_at(levels).components for levels in plan.combinations()}
    assert found == {"none": NONE, "rr": STAGES["agents"], "ad": FULL}
    assert parse(HEAD, FACTORS, RUN).managed_at(plan.combinations()[0]) == Managed()


MANAGED = """
[factors]
program = ["one", "two"]
placement = ["slots", "apart"]
congestion = ["clean", "delayed"]
transport = ["tcp", "self,tcp"]
management = ["none", "watched", "relay", "migrating"]
[run]
program = "{program}"
mpirun = "mpirun.openmpi"
environment = { OMPI_MCA_btl = "{transport}" }
[[programs]]
name = "one"
command = ["cg", "--class", "S", "--seed", "{transport}"]
ranks = 4
[[programs]]
name = "two"
command = ["is"]
ranks = 8
mpirun = "mpirun.mpich"
placement = "two.json"
timeout_s = 5
[congestion]
factor = "congestion"
[congestion.levels]
clean = "none"
delayed = { bottlenecks = [{ kind = "delay", link = ["leaf0", "leaf1"] }] }
[management]
factor = "management"
[management.levels]
none = "none"
watched = { components = "none", monitor = true, plane = "relay" }
relay = { plane = "relay" }
migrating = "migration"
[placement]
factor = "placement"
levels = { slots = "slots", apart = "apart.json" }
"""
LAB = '[evaluation]\nname = "p"\nlab = "l.toml"\n'


def test_levels_of_management_may_change_settings_of_the_agents():
    table = (
        '[management]\nfactor = "network"\n[management.levels]\nnone = "none"\nrr = "agents"\n'
        "ad = { settings = { detour.dwell_s = 1 } }\n"
    )
    plan = parse(HEAD, FACTORS, RUN, table)
    assert plan.managed_at({"network": "ad"}).settings == (("detour.dwell_s", 1),)
    assert plan.managed_at({"network": "rr"}).settings == ()


def test_programs_placement_transport_congestion_and_management_are_factors(tmp_path: Path):
    plan = under(parse(LAB, MANAGED), tmp_path)
    levels = dict(plan.combinations()[0])
    assert levels == {
        **{"program": "one", "placement": "slots", "congestion": "clean", "transport": "tcp", "management": "none"}
    }
    first = plan.program_at(levels)
    assert first == Program(
        ("cg", "--class", "S", "--seed", "tcp"), 4, "mpirun.openmpi", environment={"OMPI_MCA_btl": "tcp"}
    )
    second = plan.program_at({**levels, "program": "two", "transport": "self,tcp"})
    assert (second.command, second.mpirun, second.timeout_s) == (("is",), "mpirun.mpich", 5)
    limited = under(parse(LAB, MANAGED.replace("[run]", "[run]\ntimeout_s = 7200")), tmp_path)
    limits_s = [limited.program_at({**levels, "program": program}).timeout_s for program in ("one", "two")]
    assert limits_s == [7200, 5]  # a program's own goes before that of all rows
    assert second.placement == tmp_path / "two.json"
    assert second.environment == {"OMPI_MCA_btl": "self,tcp"}
    assert plan.program_at({**levels, "placement": "apart"}).placement == tmp_path / "apart.json"
    assert plan.placements() == [tmp_path / "apart.json", tmp_path / "two.json"]
    found = {str(level): plan.managed_at({**levels, "management": level}) for level in plan.factors["management"]}
    watching = Components(agents=True, detection=False, detours=False, monitor=True)
    assert found == {
        "none": Managed(),
        "watched": Managed(watching, "route"),  # without detours nothing is carried
        "relay": Managed(FULL, "relay"),
        "migrating": Managed(MIGRATING, "route"),
    }
    assert plan.congestion_at(levels) is None
    congested = plan.congestion_at({**levels, "congestion": "delayed"})
    assert congested is not None
    assert congested.onset == (0.10, 0.40)
    assert "management" not in plan.unmanaged(levels)
    assert set(plan.undisturbed(levels)) == {"program", "placement", "transport"}


def test_a_stored_plan_is_read_back_as_it_was():
    for plan in (parse(HEAD, FACTORS, RUN), parse(LAB, MANAGED), config.load(EXAMPLES / "small.toml", Plan)):
        stored = plan.stored()
        assert set(stored) == set(Plan.model_fields)
        assert Plan.model_validate(stored) == plan
        # One of a store from before a table or key was added lacks it.
        lacking = {key: value for key, value in stored.items() if value is not None and value != []}
        assert Plan.model_validate(lacking) == plan


def test_silent_neighbours_are_those_of_another_level():
    plan = config.load(EXAMPLES / "small.toml", Plan)
    assert [plan.neighbours_at({"neighbours": level}) for level in ("none", "1 is", "1 silent is")] == [
        *((), ("is",), ("is",)),
    ]
    assert [plan.silent_at({"neighbours": level}) for level in ("none", "1 is", "1 silent is")] == [False, False, True]


def test_what_will_run_is_told():
    plan = parse(HEAD, FACTORS, RUN + "expected_s = 60\n", '[whole_plot]\nfactors = ["network"]\n')
    assert plan_words.summary(plan) == [
        "p: 120 rows, 12 cells of 12",
        "  program: is and ft",
        "  ranks: 4 and 8",
        "  network: none, rr and ad",
        "  3 blocks, 10 replications of every cell",
        "  network re-configured 9 times",
        "  about 2.0 hours",
    ]


ONE = '[[programs]]\nname = "is"\ncommand = ["is"]\nranks = 4\n'


def test_commands_may_name_files_beside_the_plan() -> None:
    run = '[run]\ncommand = ["lmp", "-in", "{plan_directory}/{program}.in"]\n'
    plan = under(parse(HEAD, FACTORS, run), Path("/plans"))
    levels = {"program": "melt", "ranks": 4, "network": "none"}
    assert plan.program_at(levels).command == ("lmp", "-in", "/plans/melt.in")
    named = ONE.replace('["is"]', '["{plan_directory}/is.sh"]')
    plan = under(parse(HEAD, FACTORS, '[run]\nprogram = "is"\n', named), Path("/plans"))
    assert plan.program_at(levels).command == ("/plans/is.sh",)


@pytest.mark.parametrize(
    ("parts", "complaint"),
    [
        ((HEAD.replace("cluster", "lab") + 'cluster = "x"\n', FACTORS, RUN), "evaluation: give either lab or cluster"),
        (
            (HEAD, FACTORS, RUN.replace("{program}", "{app}")),
            "plan.toml:10: run.command: {app} is not a factor; there are program, ranks",
        ),
        ((HEAD, FACTORS, RUN.replace('"{ranks}"', '"{program}"')), "run.ranks: 'is' is not a number of ranks"),
        ((HEAD, "[factors]\nblock = [1]\n", '[run]\ncommand = ["x"]\n'), "factors.block: has a meaning of its own"),
        ((HEAD, '[factors]\na = [1, "1"]\n', '[run]\ncommand = ["x"]\n'), "factors.a: has a level twice"),
        ((HEAD.replace("c.toml", "{network}.toml"), FACTORS, RUN), "{network} needs a re-configuration"),
        ((HEAD, FACTORS, RUN, '[whole_plot]\nfactors = ["network"]\nblocks = 2\n'), "whole_plot.blocks: at least 3"),
        ((HEAD, FACTORS, RUN, '[whole_plot]\nfactors = ["bond"]\n'), "whole_plot.factors: no 'bond'"),
        (
            (HEAD, FACTORS, RUN, '[whole_plot]\nfactors = ["network"]\nreset = [["x", "{network}"]]\n'),
            "whole_plot.reset: {network} has no level between two blocks",
        ),
        (
            (HEAD, FACTORS, RUN, '[replications]\ncount = 2\n[whole_plot]\nfactors = ["network"]\n'),
            "replications.count: 2 do not fill 3 blocks",
        ),
        ((HEAD, FACTORS, RUN, "[replications]\ncount = 3\nhalf_width = 0.05\n"), "needs at least 5 replications"),
        (
            (HEAD, FACTORS, RUN, '[[exclude]]\nprogram = "cg"\n'),
            "exclude[0].program: no 'cg'; there are is, ft",
        ),
        ((HEAD, FACTORS, RUN, '[[exclude]]\nprogram = ["is", "ft"]\n'), "exclude: nothing is left to run"),
        (
            (HEAD, FACTORS, RUN, '[[fractions]]\nfactors = ["program", "network"]\n'),
            "fractions[0].factors: must have the same",
        ),
        (
            (HEAD, FACTORS, RUN, '[neighbours]\nfactor = "network"\nlevels = { none = [], rr = ["is"] }\n'),
            "neighbours.levels: has no entry for ad",
        ),
        (
            (HEAD, FACTORS, RUN, '[neighbours]\nfactor = "network"\nlevels = { none = [], rr = ["is"], ad = [] }\n'),
            "neighbours.levels.rr: no 'is'; there are none",
        ),
        (
            (
                HEAD,
                FACTORS,
                RUN,
                '[neighbours]\nfactor = "network"\nlevels = { none = [], rr = [] }\nsilent = { ad = "rr" }\n',
            ),
            "neighbours.silent.ad: 'rr' is not a level with neighbours",
        ),
        (
            (
                HEAD,
                FACTORS,
                RUN,
                '[neighbours]\nfactor = "network"\nlevels = { none = [], rr = [], ad = [] }\nhosts = [["a"], ["b"]]\n',
            ),
            "neighbours.hosts: 2 lists for 1 instances, the main program included",
        ),
        (
            (
                HEAD,
                FACTORS,
                RUN + 'launcher = "custom"\n',
                '[neighbours]\nfactor = "network"\nlevels = { none = [], rr = ["x"] }\nsilent = { ad = "rr" }\n',
                '[neighbours.programs]\nx = { command = ["x"] }\n',
            ),
            "neighbours.silent: run.launcher custom runs commands unchanged",
        ),
        (
            (HEAD, FACTORS, RUN, '[management]\nfactor = "network"\nlevels = { none = "none" }\n'),
            "management.levels: has no entry for rr",
        ),
        (
            (f'{HEAD}prices = "p.toml"\n', FACTORS, RUN, '[report.cost]\nfactor = "network"\nprices = { none = 1 }\n'),
            "evaluation.prices: [report.cost] states prices, too; omit one of them",
        ),
        ((HEAD, FACTORS, RUN, '[report]\nconfigurations = ["network"]\n'), "report.baseline: network is missing"),
        ((HEAD, FACTORS, RUN + 'program = "is"\n'), "command: give either command, or the program"),
        ((HEAD, FACTORS, "[run]\n"), "command: give either command, or the program"),
        ((HEAD, FACTORS, '[run]\nprogram = "{program}"\n', ONE), "run.program: no 'ft'; there are is"),
        (
            (HEAD, FACTORS, '[run]\nprogram = "is"\nranks = 4\n', ONE),
            "ranks: are those of command; each of [[programs]] has its own",
        ),
        ((HEAD, FACTORS, RUN, ONE), "run.program: is missing: name one of [[programs]]"),
        ((HEAD, FACTORS, '[run]\nprogram = "is"\n', ONE, ONE), "programs: two are called is"),
        ((HEAD, FACTORS, RUN + 'mpirun = "{mpi}"\n'), "run.mpirun: {mpi} is not a factor"),
        ((HEAD, FACTORS, RUN + 'environment = { A = "{b}" }\n'), "run.environment: {b} is not a factor"),
        ((HEAD, FACTORS, RUN + 'transport = "rdma"\n'), "run.transport: no 'rdma'; there are tcp, native"),
        ((HEAD, FACTORS, RUN + 'transport = "{network}"\n'), "run.transport: no 'none'; there are tcp, native"),
        ((HEAD, FACTORS, RUN + 'transport = "{fabric}"\n'), "run.transport: {fabric} is not a factor"),
        (
            (HEAD, FACTORS, RUN + 'launcher = "custom"\ntransport = "tcp"\n'),
            "run.transport: run.launcher custom runs commands unchanged",
        ),
        (
            (HEAD, FACTORS, RUN + 'mpirun = "{plan_directory}/mpirun"\n'),
            "run.mpirun: {plan_directory} is not a factor",
        ),
        (
            (HEAD, "[factors]\nplan_directory = [1]\n", '[run]\ncommand = ["x"]\n'),
            "factors.plan_directory: has a meaning of its own",
        ),
        (
            (HEAD, FACTORS, RUN, '[congestion]\nfactor = "network"\nlevels = { none = "none", rr = "none" }\n'),
            "congestion.levels: has no entry for ad",
        ),
        (
            (HEAD, FACTORS, RUN, '[management]\nfactor = "network"\nlevels = { none = { plane = "pigeon" } }\n'),
            "must be one of 'route' or 'relay'",
        ),
        (
            (HEAD, FACTORS, RUN, '[placement]\nfactor = "program"\nlevels = { is = "slots" }\n'),
            "placement.levels: has no entry for ft",
        ),
    ],
)
def test_plans_that_make_no_sense_are_refused(parts, complaint):
    with pytest.raises(ConfigError) as raised:
        parse(*parts)
    assert complaint in str(raised.value)
    assert str(raised.value).startswith("plan.toml:")


@pytest.mark.parametrize(
    ("name", "rows", "cells", "set_ups"),
    [
        ("small", 54, 18, 6),
        ("interconnection", 2800, 280, 25),
        ("802.3ad", 840, 28, 21),
        ("clouds", 720, 24, 9),
        ("containers", 27, 9, 9),
    ],
)
def test_the_ready_plans_are_the_matrices_that_they_say(name, rows, cells, set_ups):
    plan = plan_file.read(EXAMPLES / f"{name}.toml")
    planned = design.planned_rows(plan)
    assert (len(planned), len(plan.combinations())) == (rows, cells)
    assert design.set_ups(plan, planned) == set_ups
    if name == "interconnection":  # table 4.2 of the thesis: 28 pairs of main program and neighbours
        assert len({(levels["program"], levels["neighbours"]) for levels in plan.combinations()}) == 28
