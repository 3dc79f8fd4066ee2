"""The JSON of an evaluation: the figures of its page, by value."""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from fairlead import config
from fairlead.analysis.evaluations import managed_rows
from fairlead.analysis.evaluations.aggregation import Observed, ObservedNetworks
from fairlead.analysis.evaluations.analysis import Analysis
from fairlead.analysis.evaluations.aside import Alternative
from fairlead.analysis.evaluations.evaluation import analyse
from fairlead.analysis.evaluations.losses import losses
from fairlead.analysis.evaluations.managed_rows import ManagedCell
from fairlead.analysis.evaluations.settings import HourlyCost, ReportSettings
from fairlead.analysis.runs.effects import EffectEstimate
from fairlead.cli.main import command
from fairlead.published.columns import ColumnMap, import_csv
from fairlead.report.evaluation import evaluation_json
from fairlead.report.summary import interval_of
from fairlead.statistics.estimates import Estimate
from fairlead.store import Store

from .test_report_evaluation import BESIDE, CSV, FOUR, MAP, RECORD, REPORT, data


def told(found: Analysis) -> dict[str, Any]:
    """As a reader gets it."""
    read: dict[str, Any] = json.loads(evaluation_json.of(found).to_json())
    return read


def with_plan(found: Analysis, plan: dict[str, Any], **more: Any) -> Analysis:
    record = replace(RECORD, plan=plan)
    return replace(found, data=replace(found.data, record=record), **more)


def test_cells_have_their_figures_with_intervals() -> None:
    found = analyse(data(FOUR), REPORT)
    read = told(found)
    assert (read["schema"], read["schema_version"]) == ("fairlead.evaluation", evaluation_json.SCHEMA_VERSION)
    assert (read["run"], read["name"], read["imported"], read["complete"]) == (1, "d", False, True)
    assert (read["value"], read["unit"], read["lower_is_better"], read["level"]) == ("time_s", "s", True, 0.95)
    assert read["factors"] == {"program": ["is", "ep", "sp"], "network": ["plain", "bond"]}
    assert read["baseline"] == {"network": "plain"}
    assert read["warnings"] == list(found.warnings)
    assert read["findings"][0] == "36 samples of time_s in 6 cells."
    assert not any("\u00a0" in text for text in read["findings"])
    assert len(read["cells"]) == 6
    first, summary = read["cells"][0], found.summaries[0]
    assert (first["levels"], first["n"], first["failed"]) == ({"program": "is", "network": "plain"}, 6, 0)
    assert first["mean"]["value"] == pytest.approx(10.0)
    assert first["median"]["value"] == pytest.approx(10.0)
    assert summary.mean is not None and summary.median is not None
    assert first["mean"]["interval"] == [summary.mean.low, summary.mean.high]
    assert first["median"]["interval"] == [summary.median.low, summary.median.high]
    assert first["sd"] == pytest.approx((0.1 / 5) ** 0.5)  # 2 (0.2² + 0.1²) over n - 1
    assert first["three_standard_errors"] == pytest.approx(3 * (0.1 / 5 / 6) ** 0.5)
    assert (first["least"], first["greatest"], first["cost"]) == (9.8, 10.2, None)


def test_gains_are_those_of_the_page() -> None:
    found = analyse(data(FOUR), REPORT)
    read = told(found)
    by_program = {each["case"]["program"]: each for each in read["gains"]}
    assert {name: each["verdict"] for name, each in by_program.items()} == {
        "is": "faster",
        "ep": "no significant difference",
        "sp": "slower",
    }
    fast = by_program["is"]
    (pair,) = [each for each in found.pairs if each.case == ("is",)]
    assert pair.speed is not None and pair.difference is not None
    assert (fast["configuration"], fast["base"]) == ({"network": "bond"}, {"network": "plain"})
    assert fast["gain"]["value"] == pytest.approx(0.25)
    assert fast["gain"]["interval"] == [pair.speed.low, pair.speed.high]
    assert (fast["gain_by_medians"], fast["time_saved"]) == (pytest.approx(0.25), pytest.approx(0.2))
    assert fast["difference"]["value"] == pytest.approx(-2.0)
    assert fast["difference"]["interval"] == [pair.difference.estimate.low, pair.difference.estimate.high]
    assert (fast["p_holm"], fast["p_fdr"]) == (pair.p_holm, pair.p_fdr)
    assert (fast["cliffs_delta"], fast["bars_overlap"], fast["better_runs"], fast["n"]) == (-1.0, False, 6, 6)
    assert read["other_gains"] == []
    high = read["groups"][0]
    assert (high["group"], high["configuration"], high["cells"]) == ("high", {"network": "bond"}, 2)
    assert high["gain"]["value"] == pytest.approx((0.25 - 0.2) / 2)
    assert high["gain"]["interval"][0] < 0.025 < high["gain"]["interval"][1]
    assert read["shares"][-1] == {"group": "all", "better_cells": 1, "cells": 3, "better_runs": 7, "runs": 18}
    assert [each["effect"] for each in read["effects"]][:2] == ["program", "network"]
    assert sum(each["share"] for each in read["effects"]) == pytest.approx(1.0)
    assert read["no_effects"] == ""


def test_single_samples_have_figures_without_intervals() -> None:
    read = told(analyse(data({("is", "plain"): [10.0], ("is", "bond"): [8.0]}), REPORT))
    assert [each["mean"] for each in read["cells"]] == [
        {"value": 10.0, "interval": None},
        {"value": 8.0, "interval": None},
    ]
    assert [(each["median"], each["sd"]) for each in read["cells"]] == [(None, None)] * 2
    (gain,) = read["gains"]
    assert gain["gain"] == {"value": pytest.approx(0.25), "interval": None}
    assert gain["difference"] == {"value": -2.0, "interval": None}
    assert (gain["verdict"], gain["p_holm"], gain["hedges_g"]) == ("too few samples", None, None)
    assert read["effects"] == [] and read["no_effects"]


def test_an_end_that_is_unbounded_is_null() -> None:
    assert interval_of(Estimate(1.0, 0.5, math.inf, 0.95, 3, "Fieller")) == (0.5, None)
    assert interval_of(Estimate(1.0, -math.inf, 2.0, 0.95, 3, "Fieller")) == (None, 2.0)


def test_cells_have_what_a_run_costs() -> None:
    cost = HourlyCost(factor="network", prices={"bond": 2.0}, instances=2, currency="EUR")
    read = told(replace(analyse(data(FOUR), REPORT), prices=cost))
    costs = {(each["levels"]["program"], each["levels"]["network"]): each["cost"] for each in read["cells"]}
    assert costs["is", "bond"] == {
        "currency": "EUR",
        "per_hour": 4.0,
        "per_run": pytest.approx(4.0 * 8 / 3600),
        "efficiency": pytest.approx(3600 / 8 / 4.0),
    }
    assert costs["is", "plain"] is None  # no price is not a price of 0
    rates = told(replace(analyse(data(FOUR, unit="B/s"), REPORT), prices=cost))
    assert {each["cost"] for each in rates["cells"]} == {None}


def test_what_neighbours_cost() -> None:
    table = {"factor": "beside", "levels": {"none": [], "busy": ["is"]}, "silent": {"quiet": "busy"}}
    samples = data(BESIDE, ("beside", "program"))
    found = with_plan(
        analyse(samples, ReportSettings(configurations=("beside",), baseline={"beside": "none"})),
        {"neighbours": table},
        losses=tuple(losses(samples, table, 0.95)),
    )
    first, second = told(found)["losses"]
    assert (first["case"], first["neighbours"]) == ({"program": "is"}, "busy")
    assert [first[part]["value"] for part in ("whole", "processors", "network")] == pytest.approx([3, 2, 1.5])
    assert first["network"]["interval"][0] < 1.5 < first["network"]["interval"][1]
    assert (second["whole"], second["network"]) == (None, {"value": 1.5, "interval": None})


def test_what_management_did_and_gave() -> None:
    share = EffectEstimate(Estimate(0.8, 0.7, 0.9, 0.95, 5, "bootstrap"))
    gain = managed_rows.Gain(
        case=("is",),
        congestion="busy",
        management="full",
        slowdown=EffectEstimate(None, "one pair", 2.5),
        recovered=share,
        overhead=EffectEstimate(None, "no clean runs"),
    )
    did = ManagedCell(("is", "bond"), 3, 2.0, 0.0, 0.5, None, 4.0, share)
    plan = {"congestion": {"factor": "network"}}
    read = told(with_plan(analyse(data(FOUR), REPORT), plan, managements=(gain,), managed=(did,)))
    assert read["management_gains"] == [
        {
            "case": {"program": "is"},
            "congestion": "busy",
            "management": "full",
            "slowdown": {"value": 2.5, "interval": None},
            "recovered": {"value": 0.8, "interval": [0.7, 0.9]},
            "overhead": None,
            "reasons": {"slowdown": "one pair", "overhead": "no clean runs"},
        }
    ]
    (cell,) = read["managed"]
    assert cell["levels"] == {"program": "is", "network": "bond"}
    assert [cell[key] for key in ("runs", "reroutes", "reaction_s", "relayed", "communication_s")] == [
        *(3, 2.0, 0.5, None, 4.0)
    ]
    assert cell["accounted"] == {"value": 0.8, "interval": [0.7, 0.9]}


def test_networks_beside_theory() -> None:
    cells = {(name,): [value, 1.01 * value, 0.99 * value] for name, value in (("plain", 10), ("two", 5))}
    report = ReportSettings(configurations=("network",), baseline={"network": "plain"})
    found = analyse(data(cells, ("network",)), report)
    rows = tuple(replace(RECORD, id=k, facts={"network": {"rate_bps": 1e8}}) for k in range(3))
    seen = {"plain": 1.0, "two": 2.0}
    networks = ObservedNetworks(
        {(name,): Observed(4.0, (1.0, 1.5), None, nics, None, 7) for name, nics in seen.items()}
    )
    (read,) = told(replace(found, data=replace(found.data, rows=rows), networks=networks))["networks"]
    (pair,) = found.pairs
    assert pair.speed is not None
    assert (read["case"], read["configuration"]) == ({}, {"network": "two"})
    assert (read["flows"], read["sends_nics"], read["retransmitted"]) == (4.0, [1.0, 1.5], 7)
    assert (read["predicted_nics"], read["counted_nics"], read["off_share"]) == (None, 2.0, None)
    assert (read["theory_ratio"], read["bounded_ratio"]) == (2.0, None)
    assert read["speed_ratio"]["value"] == pytest.approx(2.0)
    assert read["speed_ratio"]["interval"] == [1 + pair.speed.low, 1 + pair.speed.high]


def test_rows_that_were_set_aside() -> None:
    found = analyse(data(FOUR), REPORT)
    pairs = {(pair.first.levels, pair.second.levels): pair for pair in found.pairs}
    alternative = Alternative(("imputed",), {("sp", "bond"): 2}, pairs)
    (read,) = told(replace(found, alternatives=(alternative,)))["aside"]
    assert read["kinds"] == ["imputed"]
    assert [(each["case"], each["verdict"]) for each in read["gains"]] == [({"program": "sp"}, "slower")]


def test_the_form_follows_its_schema() -> None:
    found = evaluation_json.of(analyse(data(FOUR), REPORT))
    assert evaluation_json.EvaluationSummary.model_validate_json(found.to_json()) == found
    assert evaluation_json.SCHEMA_FILE.read_text() == evaluation_json.EvaluationSummary.schema_text(), (
        "raise SCHEMA_VERSION, and write the file again: python -c 'from fairlead.report.evaluation import "
        "evaluation_json as j; j.SCHEMA_FILE.write_text(j.EvaluationSummary.schema_text())'"
    )


def test_the_commands_print_it_alone_and_name_the_files_on_stderr(tmp_path: Path) -> None:
    results = tmp_path / "results"
    (tmp_path / "four.csv").write_text(CSV)
    with Store.open(results) as store:
        import_csv(store, tmp_path / "four.csv", config.parse(MAP, ColumnMap, source="map.toml"))
    printed = []
    for line in (["report", str(results), "--json"], ["evaluate", "report", str(results), "--json", "--within", "9"]):
        done = CliRunner().invoke(command, line)
        assert done.exit_code == 0, done.output
        assert str(results / "evaluation.html") in done.stderr
        printed.append(json.loads(done.stdout))
    assert printed[0] == printed[1]
    assert (printed[0]["name"], printed[0]["imported"]) == ("four", True)
    assert printed[0]["cells"][0]["cost"]["currency"] == "US$"
    assert "ep: nothing ends within 9.00" in done.stderr
