"""What is concluded from samples: gains, verdicts, groups, shares, cost; and the page that says it."""

import base64
import dataclasses
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from bench.durations import evaluation_rows
from click.testing import CliRunner
from scipy import stats

from fairlead import config
from fairlead.analysis.evaluations import dataset
from fairlead.analysis.evaluations.aggregation import Observed, ObservedNetworks
from fairlead.analysis.evaluations.configuration_pair import ALIKE, FASTER, SLOWER
from fairlead.analysis.evaluations.cost import cheapest, priced
from fairlead.analysis.evaluations.dataset import Dataset, DesignCell
from fairlead.analysis.evaluations.evaluation import analyse
from fairlead.analysis.evaluations.losses import losses
from fairlead.analysis.evaluations.settings import CellGroup, HourlyCost, ReportSettings
from fairlead.analysis.program_results import Deviation
from fairlead.cli.evaluate import command
from fairlead.cli.main import command as fairlead
from fairlead.errors import ConfigError
from fairlead.published.columns import ColumnMap, import_csv
from fairlead.report.evaluation import (
    cost_table,
    evaluation_chooser,
    evaluation_figures,
    evaluation_methods,
    evaluation_report,
    evaluation_tables,
    network_tables,
)
from fairlead.store import Run, Store

RECORD = Run(1, None, dataset.KIND, {"name": "d"}, {}, None, None, {}, 0.0, 1.0, "ok", None, None)


def data(cells, factors=("program", "network"), unit="s", blocks=None, failed=None) -> Dataset:
    made = tuple(
        DesignCell(
            levels,
            np.array(values, dtype=float),
            np.array(blocks or [0] * len(values), dtype=np.int64),
            np.arange(len(values)),
        )
        for levels, values in cells.items()
    )
    return Dataset(RECORD, "time_s" if unit == "s" else "rate", unit, factors, made, failed or {})


FOUR = {
    ("is", "plain"): [10, 10.2, 9.8, 10.1, 9.9, 10],
    ("is", "bond"): [8, 8.2, 7.8, 8.1, 7.9, 8],
    ("ep", "bond"): [20.1, 20.3, 19.9, 20.2, 20, 20.1],
    ("ep", "plain"): [20, 20.2, 19.8, 20.1, 19.9, 20],
    ("sp", "plain"): [4, 4.1, 3.9, 4, 4.1, 3.9],
    ("sp", "bond"): [5, 5.1, 4.9, 5, 5.1, 4.9],
}
REPORT = ReportSettings(
    configurations=("network",),
    baseline={"network": "plain"},
    groups=(CellGroup(name="high", where={"program": ("is", "sp")}), CellGroup(name="low", where={"program": ("ep",)})),
)


def test_gains_are_ratios_of_means_in_both_definitions_and_verdicts_come_from_the_difference():
    found = analyse(data(FOUR), REPORT)
    by_case = {pair.case[0]: pair for pair in found.pairs}
    assert {name: pair.verdict for name, pair in by_case.items()} == {"is": FASTER, "ep": ALIKE, "sp": SLOWER}
    fast = by_case["is"]
    assert (fast.first.levels, fast.second.levels) == (("is", "plain"), ("is", "bond"))
    assert fast.speed.value == pytest.approx(10 / 8 - 1)
    assert fast.saved.value == pytest.approx((10 - 8) / 10)
    assert fast.speed.low < 0.25 < fast.speed.high
    assert (fast.bars_overlap, fast.better_runs, fast.delta) == (False, 6, -1.0)
    assert by_case["ep"].bars_overlap
    assert fast.p_holm >= fast.p_fdr >= fast.difference.p
    slow = by_case["sp"]
    assert (slow.speed.value, slow.saved.value) == (pytest.approx(-0.2), pytest.approx(-0.25))
    assert found.other_pairs == ()


@pytest.mark.parametrize(("unit", "shown"), [("s", "9.852 to 10.15\N{NO-BREAK SPACE}s"), ("count", "9.852 to 10.15")])
def test_intervals_have_both_ends_whether_or_not_there_is_a_unit(unit, shown):
    table = evaluation_tables.cells(analyse(data(FOUR, unit=unit), REPORT))
    (row,) = (row for row in table.rows if [each.value for each in row[:2]] == ["is", "plain"])
    assert row[table.keys.index("mean_low|mean_high")].shown == shown


def test_rows_that_computed_something_else_are_the_first_warning():
    wrong = Deviation(7, "pw.x -in silicon.in", "total energy", -15.0, -15.8, -15.8)
    found = analyse(replace(data(FOUR), deviations=(wrong,)), REPORT)
    assert found.warnings[0].startswith(
        "1 run computed another result than undisturbed runs of the same command: run 7"
    )
    assert len(found.warnings) == len(analyse(data(FOUR), REPORT).warnings) + 1


def test_what_took_no_time_is_compared_with_nothing():
    """NPB prints two decimals: a small class takes 0.00 s."""
    cells = {**FOUR, ("cg", "plain"): [0.0] * 6, ("cg", "bond"): [0.01] * 6}
    found = analyse(data(cells), REPORT)
    assert {pair.case[0] for pair in found.pairs} == {"is", "ep", "sp"}
    assert "program cg, network plain has a mean of 0 or less: nothing is compared with that." in found.warnings
    by_blocks = {("is", "plain"): [0, 10, 10, 10], ("is", "bond"): [5, 5, 5, 6]}  # one block took no time
    found = analyse(data(by_blocks, blocks=[0, 1, 2, 3]), REPORT, whole_plot=("network",))
    assert [(pair.speed, pair.difference) for pair in found.pairs] == [(None, None)]
    assert found.groups[0].interval is None


def test_without_a_baseline_it_is_the_first_level_of_the_plan_whatever_ran_first():
    record = replace(RECORD, plan={"factors": {"program": ["is", "ep", "sp"], "network": ["plain", "bond"]}})
    shuffled = {levels: FOUR[levels] for levels in reversed(FOUR)}
    found = analyse(replace(data(shuffled), record=record), ReportSettings(configurations=("network",)))
    assert found.baseline == ("plain",)
    of_a_file = analyse(data(shuffled), ReportSettings(configurations=("network",)))
    assert of_a_file.baseline == ("bond",)  # as they stand there
    assert replace(data(shuffled), record=record).levels_of("program") == ["is", "ep", "sp"]


def test_the_first_level_of_a_file_is_the_baseline_whatever_its_column_is_called(tmp_path: Path):
    """The letters of "net" are no levels, though levels may be called so."""
    file = tmp_path / "letters.csv"
    file.write_text("net,t\n" + "".join(f"{level},{value}\n" for level in "ten" for value in (1.0, 1.1)))
    table = '[dataset]\nname = "d"\n[factors]\nnetwork = "net"\n[values.time_s]\ncolumn = "t"\nunit = "s"\n'
    with Store.open(tmp_path / "results") as store:
        import_csv(store, file, config.parse(table, ColumnMap, source="map.toml"))
        found = evaluation_report.load(store)
    assert found.data.levels_of("network") == ["t", "e", "n"]
    assert found.baseline == ("t",)
    assert not any("first level" in text for text in found.warnings)


def test_the_page_has_one_name_whichever_command_writes_it(tmp_path: Path):
    file = tmp_path / "letters.csv"
    file.write_text("net,t\n" + "".join(f"{level},{value}\n" for level in "ab" for value in (1.0, 1.1)))
    table = '[dataset]\nname = "d"\n[factors]\nnetwork = "net"\n[values.time_s]\ncolumn = "t"\nunit = "s"\n'
    with Store.open(tmp_path / "r") as store:
        import_csv(store, file, config.parse(table, ColumnMap, source="map.toml"))
    for words in (["report", str(tmp_path / "r")], ["evaluate", "report", str(tmp_path / "r")]):
        done = CliRunner().invoke(fairlead, words)
        assert done.exit_code == 0
        assert done.output.splitlines()[-1].endswith("r/evaluation.html")
    assert not (tmp_path / "r" / "report.html").exists()


def test_a_baseline_that_is_not_the_first_level_of_the_plan_is_told():
    record = replace(RECORD, plan={"factors": {"program": ["is", "ep", "sp"], "network": ["none", "plain", "bond"]}})
    told = "network: none, the plan's first level, has no sample: gains refer to plain, the first that has one."
    found = analyse(replace(data(FOUR), record=record), ReportSettings(configurations=("network",)))
    assert (found.baseline, found.warnings[0]) == (("plain",), told)
    assert told not in analyse(replace(data(FOUR), record=record), REPORT).warnings  # plain was asked for
    usual = replace(RECORD, plan={"factors": {"program": ["is"], "network": ["plain", "bond"]}})
    found = analyse(replace(data(FOUR), record=usual), ReportSettings(configurations=("network",)))
    assert not any("first level" in text for text in found.warnings)


def test_no_gain_is_surer_than_its_verdict():
    """Runs and blocks without scatter: what the difference leaves open, no interval of a gain or a group decides."""
    group = (CellGroup(name="all of is", where={"program": ("is",)}),)
    report = ReportSettings(configurations=("network",), baseline={"network": "plain"}, groups=group)
    alike = {("is", "plain"): [2.0, 2, 2], ("is", "bond"): [3.0, 3, 3]}
    drifting = {("is", "plain"): [10.0, 10.01, 10.05], ("is", "bond"): [10.01, 10.02, 10.06]}  # a step of the clock
    in_proportion = {("is", "plain"): [10.0, 20, 30], ("is", "bond"): [15.0, 30, 45]}
    for cells, whole_plot in (
        (alike, ()),
        (alike, ("network",)),
        (alike, ("program",)),
        (drifting, ("network",)),
        (drifting, ("program",)),
        (in_proportion, ("network",)),
        (in_proportion, ("program",)),
    ):
        found = analyse(data(cells, blocks=[0, 1, 2]), report, whole_plot=whole_plot)
        (pair,), (of_group,) = found.pairs, found.groups
        assert (pair.verdict, pair.difference.told_apart) == (ALIKE, False)
        for interval in (pair.speed, pair.saved, of_group.interval):
            assert interval.low < 0 < interval.high, (cells, whole_plot, interval)
    (pair,) = analyse(data(alike), report).pairs
    share = stats.t.ppf(0.975, 2) * (2 / 3 / 12) ** 0.5  # 1.014 of the logarithm on either side
    assert [pair.speed.low, pair.speed.high] == pytest.approx([(2 / 3) ** (1 + share) - 1, (2 / 3) ** (1 - share) - 1])
    many = {("is", "plain"): [20.0] * 10, ("is", "bond"): [3.0] * 10}
    (pair,), (of_group,) = (got := analyse(data(many), report)).pairs, got.groups
    assert pair.verdict == FASTER
    assert 0 < pair.speed.low < 17 / 3 < pair.speed.high < 20
    assert 0 < of_group.interval.low < of_group.interval.high < 20


def test_a_group_of_blocks_has_the_resolution_of_its_pairs():
    """One gains and one loses half, in every block alike: their mean is 1, and no less sure than theirs."""
    cells = {
        ("is", "plain"): [3.0] * 3,
        ("is", "bond"): [2.0] * 3,
        ("sp", "plain"): [1.0] * 3,
        ("sp", "bond"): [2.0] * 3,
    }
    found = analyse(data(cells, blocks=[0, 1, 2]), REPORT, whole_plot=["network"])
    (high,) = found.groups
    error = np.hypot(1.5 * np.log(1.5), 0.5 * np.log(0.5)) / 2 * (2 / 3 / 12) ** 0.5
    assert high.value == 0
    assert [high.interval.low, high.interval.high] == pytest.approx(
        [np.exp(sign * stats.t.ppf(0.975, 2) * error) - 1 for sign in (-1, 1)]
    )


def test_cells_that_were_planned_and_never_run_are_told():
    planned = replace(RECORD, facts={"cells": 8})
    assert "2 of 8 planned cells have no sample." in analyse(replace(data(FOUR), record=planned), REPORT).warnings
    assert not any("planned" in text for text in analyse(data(FOUR), REPORT).warnings)


BESIDE = {
    ("none", "is"): [10.0, 10.2, 9.8],
    ("busy", "is"): [30.0, 30.6, 29.4],
    ("quiet", "is"): [20.0, 20.4, 19.6],
    ("busy", "ep"): [9.0],
    ("quiet", "ep"): [6.0],
    ("busy", "ft"): [9.0, 9.1],
}


def test_what_neighbours_cost_is_their_share_of_processors_times_their_traffic():
    table = {"factor": "beside", "levels": {"none": [], "busy": ["is"]}, "silent": {"quiet": "busy"}}
    found = list(losses(data(BESIDE, ("beside", "program")), table, 0.95))
    assert [(each.case, each.neighbours) for each in found] == [(("is",), "busy"), (("ep",), "busy")]
    whole, processors, network = found[0].whole, found[0].processors, found[0].network
    assert [part.value for part in (whole, processors, network)] == pytest.approx([3, 2, 1.5])
    assert whole.value == pytest.approx(processors.value * network.value)
    assert network.interval.low < 1.5 < network.interval.high < 1.6
    assert (found[1].whole, found[1].network.value, found[1].network.interval) == (None, 1.5, None)
    rates = data({("busy",): [2.0, 2.1], ("quiet",): [4.0, 4.2]}, ("beside",), unit="B/s")
    assert [each.network.value for each in losses(rates, table, 0.95)] == pytest.approx([2.0])
    assert list(losses(rates, None, 0.95)) == []


def test_what_neighbours_cost_is_found_within_blocks_where_the_network_was_set_up_once_a_block():
    """Blocks differ by ten times what neighbours cost: side by side in each block that is seen, pooled it is not."""
    table = {"factor": "beside", "levels": {"busy": ["is"]}, "silent": {"quiet": "busy"}}
    cells = {("busy", "is"): [11, 22, 33.2, 44.1], ("quiet", "is"): [10, 20, 30, 40]}
    found = data(cells, ("beside", "program"), blocks=[0, 1, 2, 3])
    (pooled,) = losses(found, table, 0.95)
    (within,) = losses(found, table, 0.95, ["network"])
    assert pooled.network.interval.low < 0.6
    assert 1.09 < within.network.interval.low < within.network.value < within.network.interval.high < 1.12
    by_blocks = {("busy", "is"): [11, 11.1, 33, 33.1], ("quiet", "is"): [10, 10.1, 30, 30.2]}
    (own,) = losses(data(by_blocks, ("beside", "program"), blocks=[0, 0, 1, 1]), table, 0.95, ["beside"])
    assert own.network.interval.n == 2


def test_what_was_measured_is_set_beside_what_the_nics_carried():
    cells = {(name,): [value, 1.01 * value, 0.99 * value] for name, value in (("plain", 10), ("two", 5), ("one", 10))}
    found = analyse(
        data(cells, ("network",)), ReportSettings(configurations=("network",), baseline={"network": "plain"})
    )
    rows = tuple(replace(RECORD, id=k, facts={"network": {"rate_bps": 1e8}}) for k in range(3))
    seen = {"plain": 1.0, "two": 2.0, "one": 1.0}
    networks = ObservedNetworks({(name,): Observed(4.0, (1.0, 1.0), nics, nics, 0.0, 0) for name, nics in seen.items()})
    table = network_tables.beside_theory(replace(found, data=replace(found.data, rows=rows), networks=networks))
    remarks = {row[0].value: row[1].value for row in table.rows}
    assert remarks == {"two": "as the busiest NIC predicts", "one": "no gain expected, and none significant"}


@pytest.mark.parametrize(
    ("native", "told"),
    [
        (0, None),
        (2, "was the MPI library's own choice (native transport) in 2 of 3 rows."),
        (3, "was the MPI library's own choice (native transport)."),
    ],
)
def test_the_methods_name_rows_over_native_transport(native: int, told: str | None):
    plan = {
        **{"run": {"value": "time_s"}, "replications": {"half_width": None}, "whole_plot": None, "neighbours": None},
        **{"exclude": [], "fractions": [], "evaluation": {"seed": 1, "lab": None}},
    }
    rows = tuple(replace(RECORD, id=k, facts={"transport": "native" if k < native else "tcp"}) for k in range(3))
    record = replace(RECORD, plan=plan, labels={"name": "d", "origin": "run"})
    found = analyse(replace(data(FOUR), rows=rows, record=record), REPORT)
    said = evaluation_methods.paragraphs(found)[0]
    assert ("native transport" in said) == (told is not None)
    assert told is None or f"What carried messages between hosts {told}" in said


def test_a_group_may_name_levels_of_a_compared_factor():
    cells = FOUR | {(app, "wide"): np.array(values) - 1 for (app, net), values in FOUR.items() if net == "bond"}
    groups = (
        CellGroup(name="bonds", where={"network": ("bond",)}),
        CellGroup(name="is alone", where={"program": ("is",), "network": ("bond", "wide")}),
        CellGroup(name="base", where={"network": ("plain",)}),
    )
    found = analyse(data(cells), REPORT.model_copy(update={"groups": groups}))
    assert [(each.group, each.configuration, each.cells) for each in found.groups] == [
        ("bonds", ("bond",), 3),
        ("is alone", ("bond",), 1),
        ("is alone", ("wide",), 1),
    ]
    (gain,) = [pair.speed_value for pair in found.pairs if pair.second.levels == ("is", "bond")]
    assert found.groups[1].value == pytest.approx(gain)
    assert "Group base (network plain) has no cell that is compared with the baseline." in found.warnings


def test_a_few_samples_are_more_at_a_higher_level():
    cells = {("is", "plain"): np.linspace(10, 11, 7), ("is", "bond"): np.linspace(8, 9, 8)}
    told = "program is, network plain has fewer than 8 samples: their intervals assume normal scatter."
    assert told in analyse(data(cells), REPORT, 0.99).warnings
    assert not any("normal scatter" in each for each in analyse(data(cells), REPORT).warnings)


def test_groups_average_gains_and_shares_count_cells_apart_from_runs():
    found = analyse(data(FOUR), REPORT)
    assert [(each.group, each.configuration, each.cells) for each in found.groups] == [
        ("high", ("bond",), 2),
        ("low", ("bond",), 1),
    ]
    assert found.groups[0].value == pytest.approx((0.25 - 0.2) / 2)
    assert found.groups[0].interval.contains(0.025)
    counts = {each.group: (each.better_cells, each.cells, each.better_runs, each.runs) for each in found.shares}
    assert counts == {"high": (1, 2, 6, 12), "low": (0, 1, 1, 6), "all": (1, 3, 7, 18)}


def test_of_a_rate_more_is_better():
    found = analyse(data({("a", "plain"): [10.0, 10.1, 9.9], ("a", "bond"): [20.0, 20.1, 19.9]}, unit="B/s"), REPORT)
    (pair,) = found.pairs
    assert (pair.verdict, pair.better_runs) == (FASTER, 3)
    assert pair.speed.value == pytest.approx(1.0)


def test_any_two_configurations_are_compared_not_only_with_the_baseline():
    three = {("x", name): [value, value + 1.0] for name, value in (("a", 1.0), ("b", 2.0), ("c", 3.0))}
    found = analyse(data(three), ReportSettings(configurations=("network",), baseline={"network": "b"}))
    assert [(pair.first.levels[1], pair.second.levels[1]) for pair in found.pairs] == [("b", "a"), ("b", "c")]
    assert [(pair.first.levels[1], pair.second.levels[1]) for pair in found.other_pairs] == [("a", "c")]


def test_what_was_set_up_once_a_block_is_judged_by_blocks():
    """Within a block the difference is beyond doubt; from block to block it changes its sign."""
    plain = [10.0, 10.1, 10.0, 10.1, 10.0, 10.1]
    bond = [8.0, 8.1, 10.4, 10.5, 10.3, 10.4]
    cells = {("is", "plain"): plain, ("is", "bond"): bond}
    blocks = [0, 0, 1, 1, 2, 2]
    (by_runs,) = analyse(data(cells, blocks=blocks), REPORT).pairs
    (by_blocks,) = analyse(data(cells, blocks=blocks), REPORT, whole_plot=["network"]).pairs
    assert (by_runs.by_blocks, by_blocks.by_blocks) == (False, True)
    assert by_blocks.verdict == ALIKE
    assert by_blocks.difference.degrees_of_freedom == 2
    assert by_blocks.speed.value == pytest.approx(np.mean(plain) / np.mean(bond) - 1)
    (group,) = analyse(data(cells, blocks=blocks), REPORT, whole_plot=["network"]).groups
    logs = np.log([10.05 / 8.05, 10.05 / 10.45, 10.05 / 10.35])
    half = stats.t.ppf(0.975, 2) * np.std(logs, ddof=1) / 3**0.5
    ends = np.exp([np.mean(logs) - half, np.mean(logs) + half]) - 1
    assert [group.interval.low, group.interval.high] == pytest.approx(list(ends))
    assert (group.interval.low, group.interval.high) == (by_blocks.speed.low, by_blocks.speed.high)
    once = analyse(data(cells), REPORT, whole_plot=["network"])
    assert once.pairs[0].verdict == "too few samples"
    assert any("was set up in 1 block(s)" in text for text in once.warnings)


def test_a_hundred_cells_without_effect_are_not_told_apart_by_chance():
    draw = np.random.default_rng(1)
    cells = {(f"p{k}", name): draw.normal(10, 0.5, 10) for k in range(100) for name in ("plain", "bond")}
    found = analyse(data(cells), REPORT)
    assert {pair.verdict for pair in found.pairs} == {ALIKE}
    assert sum(pair.difference.told_apart for pair in found.pairs) == 3
    said = evaluation_report.findings(found)
    assert said[1] == (
        "Against network plain: 0 of 100 cells are faster, 0 slower, 100 show no significant difference "
        "(p below 0.05 after Holm, for all of them)."
    )
    assert said[2] == ("One by one, 3 differ significantly (95\u00a0% intervals); by chance alone about 5 would.")
    cells["p0", "bond"] = cells["p0", "plain"] - 3
    verdicts = [pair.verdict for pair in analyse(data(cells), REPORT).pairs]
    assert (verdicts[0], verdicts.count(ALIKE)) == (FASTER, 99)


def test_cells_that_were_set_up_once_a_block_have_intervals_of_blocks():
    cells = {("is", "plain"): [10.0, 10.2, 11, 11.2, 12, 12.2], ("is", "bond"): [8.0, 8.2, 9, 9.2, 10, 10.2]}
    found = analyse(data(cells, blocks=[0, 0, 1, 1, 2, 2]), REPORT, whole_plot=["network"])
    plain = found.summaries[0]
    half = stats.t.ppf(0.975, 2) * 1 / 3**0.5
    assert (plain.mean.value, plain.mean.n, plain.median.n) == (pytest.approx(11.1), 3, 3)
    assert [plain.mean.low, plain.mean.high] == pytest.approx([11.1 - half, 11.1 + half])
    assert plain.sd == pytest.approx(np.std(cells["is", "plain"], ddof=1))
    assert (
        "program is, network plain; program is, network bond have fewer than 6 blocks: their intervals assume normal "
        "scatter." in found.warnings
    )
    once = analyse(data(cells), REPORT, whole_plot=["network"]).summaries[0]
    assert (once.mean, once.median, once.cell.n) == (None, None, 6)


def test_figures_and_tables_have_one_mean_of_a_cell_whose_blocks_differ_in_size():
    """Ten replications in three blocks: each block counts once, in the table as in the figures."""
    of_network = {
        "a": np.array([10.0, 10.2, 9.8, 20.0, 20.3, 19.7, 30.0, 30.1, 29.9, 30.0]),
        "b": np.array([11.0, 10.0, 9.0, 21.0, 20.0, 19.0, 31.0, 30.0, 29.0, 30.0]),
    }
    cells = {
        (program, network): times * values
        for program, times in (("is", 1), ("ep", 2))
        for network, values in of_network.items()
    }
    found = analyse(data(cells, blocks=[0] * 3 + [1] * 3 + [2] * 4), ReportSettings(), whole_plot=("network",))
    means = pytest.approx([20.0, 20.0, 40.0, 40.0])  # of all samples together it would be 21 and 42
    assert [each.centre for each in found.summaries] == means
    for table in (evaluation_tables.cells(found), evaluation_figures.lines(found).table):
        assert [row[table.keys.index("mean")].value for row in table.rows] == means
    told = [cell["mean"] for case in json.loads(evaluation_chooser.data(found))["cases"] for cell in case["cells"]]
    assert told == means


def test_what_varies_within_whole_plots_is_compared_within_their_blocks():
    """Without effect: three blocks of ten samples of both, then twenty of one of them alone, whose plots differ."""
    draw = np.random.default_rng(1)
    report = ReportSettings(configurations=("network",), baseline={"network": "plain"})
    numbers = {"plain": np.repeat(range(3), 10), "bond": np.r_[np.repeat(range(3), 10), np.arange(3, 23)]}
    apart = 0
    for _ in range(300):
        plots = 100 + draw.normal(0, 1, 23)
        cells = {("is", name): plots[of] + draw.normal(0, 0.2, len(of)) for name, of in numbers.items()}
        made = tuple(DesignCell(levels, v, numbers[levels[1]], np.arange(len(v))) for levels, v in cells.items())
        shaped = dataclasses.replace(data({("is", "plain"): [1.0]}), cells=made)
        (pair,) = analyse(shaped, report, whole_plot=["program"]).pairs
        apart += pair.verdict != ALIKE
        assert (pair.by_blocks, pair.difference.degrees_of_freedom) == (False, 60 - 3 - 1)
    assert 6 <= apart <= 25  # 15 expected; as if all samples were independent it is 52
    assert pair.speed.value == pytest.approx(
        np.exp(np.log(made[0].values).mean() - np.log(made[1].values[:30]).mean()) - 1
    )


def test_the_gain_of_a_group_is_as_sure_as_its_pairs_where_they_stand_side_by_side_in_blocks():
    """Blocks differ by far more than what is compared within them: that is no error of the gains."""
    rows = np.array([[block * 0.99, block * 1.01] for block in (10.0, 20.0, 40.0)]).ravel()
    cells = {(program, network): rows * times for program, times in (("x", 1.0), ("y", 0.8)) for network in ("a", "b")}
    settings = ReportSettings(
        configurations=("program",),
        baseline={"program": "x"},
        groups=(CellGroup(name="all", where={"program": ("y",)}),),
    )
    found = analyse(data(cells, blocks=[0, 0, 1, 1, 2, 2]), settings, whole_plot=("network",))
    (group,) = found.groups
    inside = 6 * 2 * ((np.log(1.01) - np.log(0.99)) / 2) ** 2  # a pair's squared deviations: 6 times 2 rows
    half = stats.t.ppf(0.975, 8) * np.sqrt(inside / (12 - 3 - 1) / 3)  # of the logarithm of each of both ratios
    limits = [0.25 + 1.25 * (np.exp(sign * half) - 1) / np.sqrt(2) for sign in (-1, 1)]  # of the mean of two gains
    assert (group.value, group.cells) == (pytest.approx(0.25), 2)
    assert [group.interval.low, group.interval.high] == pytest.approx(limits)


def test_gains_of_blocks_lie_within_their_intervals():
    """Samples alone would say that nothing was gained: one block holds four fifths of the base's."""
    cells = {("is", "plain"): [8.0, 12, 8, 8, 8], ("is", "bond"): [8.0, 8, 8, 8, 10]}
    blocks = {("is", "plain"): [0, 1, 0, 0, 0], ("is", "bond"): [0, 0, 0, 0, 1]}
    made = tuple(
        DesignCell(levels, np.array(values), np.array(blocks[levels]), np.arange(5)) for levels, values in cells.items()
    )
    (pair,) = analyse(dataclasses.replace(data(cells), cells=made), REPORT, whole_plot=["network"]).pairs
    assert pair.speed_value == pair.speed.value == pytest.approx(10 / 9 - 1)
    assert pair.speed.contains(pair.speed_value)
    assert pair.difference.estimate.value == pytest.approx(-1)


def test_warnings_name_the_cells():
    cells = {
        ("is", "plain"): [10, 10.2, 9.8, 10.1, 9.9, 10, 30],
        ("is", "bond"): [8.0, 8.1],
        ("ft", "bond"): [*np.linspace(1.0, 1.1, 10), *np.linspace(3.0, 3.1, 10)],
        ("ft", "plain"): [*np.linspace(1, 2, 17) ** 0.5, 1.111, 1.111, 1.111, 1.111],
    }
    found = analyse(data(cells, failed={("is", "bond"): 2}), REPORT).warnings
    assert found[0].startswith("2 runs failed and are not samples (program is, network bond")
    assert "program is, network bond has fewer than 6 samples: their intervals assume normal scatter." in found
    outlier = (
        "1 sample more than three interquartile ranges beyond the quartiles: program is, network plain (1) has such."
    )
    assert any(text.startswith(outlier) for text in found)
    assert any(
        text.startswith("program ft, network bond has several modes, so the mean describes none") for text in found
    )
    assert any("network plain has a value that occurs more often" in text for text in found)


def test_cost_is_of_executions_an_hour():
    cost = HourlyCost(factor="network", prices={"plain": 1.0, "bond": 2.0}, instances=4)
    found = {each.cell.levels: each for each in priced(data(FOUR), cost)}
    first = found["is", "plain"]
    assert (first.per_hour, first.per_run) == (4.0, pytest.approx(40 / 3600))
    assert first.efficiency == pytest.approx(360 / 4)
    best = cheapest(data(FOUR), cost, ("network",), 9)
    assert best["is",].cell.levels == ("is", "bond")
    assert best["sp",].cell.levels == ("sp", "plain")
    assert best["ep",] is None
    with pytest.raises(ConfigError, match="no level of network has a price"):
        priced(data(FOUR), HourlyCost(factor="network", prices={"other": 1.0}))
    instant = data({("is", "plain"): [0.0, 0.0], ("is", "bond"): [1.0, 1.0]})  # a program's clock may be coarse
    assert [each.cell.levels for each in priced(instant, cost)] == [("is", "bond")]


def test_a_level_without_a_price_is_named(tmp_path: Path):
    (tmp_path / "four.csv").write_text(CSV)
    columns = MAP.replace("prices = { plain = 1.0, bond = 1.5 }", "prices = { plain = 1.0, bnod = 1.5 }")
    with Store.open(tmp_path / "results") as store:
        import_csv(store, tmp_path / "four.csv", config.parse(columns, ColumnMap, source="map.toml"))
        found = evaluation_report.load(store)
    assert cost_table.unpriced(found) == "Cost: [report.cost] has no price of network bond."
    assert {row[1].value for row in cost_table.costs(found).rows} == {"plain"}


CSV = "app,net,t\n" + "".join(f"{a},{n},{v}\n" for (a, n), values in FOUR.items() for v in values)
MAP = """
[dataset]
name = "four"
equal_rows = "keep"
[factors]
program = "app"
network = "net"
[values.time_s]
column = "t"
unit = "s"
[report]
configurations = ["network"]
baseline = { network = "plain" }
mpi_share = { is = 0.9, ep = 0.1 }
[report.cost]
factor = "network"
prices = { plain = 1.0, bond = 1.5 }
"""


def test_the_page_holds_every_number_with_the_run_it_comes_from(tmp_path: Path):
    file = tmp_path / "four.csv"
    file.write_text(CSV)
    with Store.open(tmp_path / "results") as store:
        import_csv(store, file, config.parse(MAP, ColumnMap, source="map.toml"))
        found = evaluation_report.load(store)
    written = evaluation_report.write(found, tmp_path / "page.html", tmp_path / "figures")
    page = written[0].read_text()
    assert [path.name for path in written[1:]] == [
        f"{name}.{form}" for name in ("gains", "lines", "mpi-share") for form in ("svg", "png", "csv")
    ]
    for text in ("+25.00", "+20.00", "no significant difference", "Fieller", "four.csv", "US$", "Analysis of variance"):
        assert text in page, text
    assert not re.search(r"\bnan\b|None", re.sub(r"data:[^\"]*", "", page))
    samples = evaluation_report._samples(found)
    assert len(samples.rows) == 36
    assert samples.keys == ("program", "network", "block", "run", "time_s")


def test_the_commands_say_what_they_did(tmp_path: Path):
    (tmp_path / "four.csv").write_text(CSV)
    (tmp_path / "map.toml").write_text(MAP)
    results = str(tmp_path / "results")
    run = CliRunner().invoke
    first = run(
        command, ["import", str(tmp_path / "four.csv"), "--columns", str(tmp_path / "map.toml"), "--results", results]
    )
    assert first.output == f"four: 36 rows in 6 cells; run 1 in {results}\n"
    second = run(command, ["report", results, "--within", "9"])
    assert second.exit_code == 0
    assert "Against network plain: 1 of 3 cells are faster, 1 slower, 1 show no significant difference" in second.output
    assert "is: plain" not in second.output
    assert "ep: nothing ends within 9.00" in second.output
    assert (tmp_path / "results" / "evaluation.html").is_file()
    third = run(command, ["report", results, "--name", "five"])
    assert "there is no evaluation 'five' here" in str(third.exception)


@pytest.mark.slow  # 40 s; how long the report takes is a figure of `make bench`
def test_a_hundred_thousand_rows_are_analysed_and_each_is_on_the_page(tmp_path: Path):
    evaluation_rows.fill(tmp_path)
    with Store.read(tmp_path) as store:
        found = evaluation_report.load(store)
    assert (found.data.n, len(found.data.cells), len(found.data.rows)) == (100_000, 4000, 100_000)
    assert (len(found.pairs), len(found.other_pairs)) == (3500, 10_500)
    slowest = [pair.difference for pair in found.pairs if pair.second.levels[2] == "n7"]
    assert all(each.told_apart and each.estimate.value > 0 for each in slowest)  # of three blocks, each by itself
    page = evaluation_report.write(found, tmp_path / "page.html")[0].read_text()
    assert "All 100000 samples" in page
    samples = re.search(r'href="data:text/csv[^,]*,([^"]*)" download="samples.csv"', page)
    assert samples is not None
    lines = base64.b64decode(samples[1]).decode().splitlines()
    assert len(lines) == 100_001
