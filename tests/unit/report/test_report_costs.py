"""Prices in reports of evaluations, comparisons and runs: every number by hand, and nothing where no price is known."""

import base64
import csv
import dataclasses
import json
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from fairlead.analysis import comparison as comparisons
from fairlead.analysis import run_costs
from fairlead.analysis.evaluations import dataset
from fairlead.benchmarks.measuring.message_cell import MessageCell
from fairlead.benchmarks.point_to_point.measure import LATENCY
from fairlead.cli.main import command
from fairlead.errors import ConfigError
from fairlead.prices.book import kept, load_prices
from fairlead.report import summary
from fairlead.report.comparison import comparison_tables
from fairlead.report.evaluation import cost_table, evaluation_report
from fairlead.report.run import run_json, run_report
from fairlead.store import Store

from ..benchmarks.benchmark_fixtures import point_to_point_run
from ..prices.test_prices import INSTANCE, book
from . import report_fixtures as fixtures
from .test_run_report import TIME_S, record

PER_HOUR = 24.0
"""Eight hosts at 3 an hour."""
MESH8 = INSTANCE + '[systems.mesh8]\ninstance = "big"\nhosts = 8\n'
TIMES_S = {"slow": [40.0, 44.0, 36.0], "fast": [10.0, 11.0, 9.0]}
"""Of an evaluation's rows, by level of ``kind``: each kind is a cluster."""
CLOUDS = INSTANCE + INSTANCE.replace("big", "small").replace("3.0", "0.5")
CLOUDS += '[systems.slow]\ninstance = "small"\nhosts = 4\n[systems.fast]\ninstance = "big"\nhosts = 4\n'


@pytest.fixture
def mesh8(tmp_path: Path) -> Path:
    return book(tmp_path / "b.toml", MESH8)


def report(*words: str | Path) -> Result:
    """What `fairlead report` says, without hard spaces and line ends."""
    return CliRunner().invoke(command, ["report", *map(str, words)])


def flat(text: str) -> str:
    return " ".join(text.replace("\u00a0", " ").split())


def csv_of(page: str, name: str) -> list[dict[str, str]]:
    """A table of a page by its link."""
    found = re.search(rf'href="data:text/csv[^,]*,([^"]*)" download="{name}"', page)
    assert found is not None
    return list(csv.DictReader(base64.b64decode(found[1]).decode().splitlines()))


# ------------------------------------------------------------------ evaluations


def evaluation(
    directory: Path, plan: dict[str, object] | None = None, hosts: int | None = None, timed: float | None = None
) -> None:
    """As `fairlead evaluate` leaves one whose level ``kind`` is a cluster each, of so many hosts.

    ``timed``: the share of their timed section in runs, which is then the value.
    """
    facts = {} if hosts is None else {"compute_hosts": hosts}
    whole = {"evaluation": {"seed": 1, "lab": None}, "factors": {"kind": list(TIMES_S)}, "run": {"value": "time_s"}}
    whole |= {"replications": {"half_width": None}, "whole_plot": None, "exclude": [], "fractions": []}
    whole |= {"neighbours": None}
    about = {"factors": ["kind"], "series": {"time_s": "s"}, "value": "time_s", "cells": 2}
    if timed is not None:
        about |= {"series": {"time_s": "s", "timed_section_s": "s"}, "value": "timed_section_s"}
    with Store.open(directory) as store:
        labels = {"name": "clouds", "origin": "run"}
        experiment = store.begin_run(dataset.KIND, labels, plan=whole | (plan or {}), seed=1, facts=about)
        for kind, times_s in TIMES_S.items():
            for number, time_s in enumerate(times_s):
                row = {"kind": kind, "block": number, "replication": number, "cluster": kind}
                run = store.begin_run(dataset.ROW, row, parent=experiment, plan=[kind, number], facts=facts)
                store.add_series(run, "time_s", [time_s], "s")
                if timed is not None:
                    store.add_series(run, "timed_section_s", [timed * time_s], "s")
                store.finish_run(run, "ok", 0)
        store.finish_run(experiment)


def test_cells_are_priced_by_what_their_rows_ran_on(tmp_path: Path) -> None:
    evaluation(tmp_path / "r")
    path = book(tmp_path / "b.toml", CLOUDS)
    done = report(tmp_path / "r", "--prices", path)
    assert done.exit_code == 0, done.output
    assert "Cost" in done.output and "12.00 EUR" in flat(done.output)
    page = (tmp_path / "r/evaluation.html").read_text()
    rows = {row["kind"]: row for row in csv_of(page, "cost.csv")}
    assert float(rows["slow"]["price_per_hour"]) == 4 * 0.5
    assert float(rows["slow"]["price_per_run"]) == pytest.approx(2.0 * 40 / 3600)
    assert float(rows["slow"]["efficiency"]) == pytest.approx(3600 / 40 / 2.0)
    assert float(rows["fast"]["price_per_run"]) == pytest.approx(12.0 * 10 / 3600)
    assert float(rows["fast"]["efficiency"]) == pytest.approx(3600 / 10 / 12.0)
    text = flat(page)
    assert f"Prices of {path}: slow 2.00 EUR an hour for 4 hosts (p small, r, 2026-11-01); fast 12.0 EUR" in text


def test_whole_runs_are_paid_also_where_the_value_is_their_timed_section(tmp_path: Path) -> None:
    evaluation(tmp_path / "r", timed=0.25)
    with Store.read(tmp_path / "r") as store:
        found = evaluation_report.load(store, book=load_prices(book(tmp_path / "b.toml", CLOUDS)))
    assert [each.cell.mean for each in found.summaries] == [10.0, 2.5]
    (slow, fast) = cost_table.costs(found).rows
    assert (slow[2].value, fast[2].value) == (pytest.approx(2.0 * 40 / 3600), pytest.approx(12.0 * 10 / 3600))
    assert slow[3].value == pytest.approx(3600 / 40 / 2.0)
    assert cost_table.cheapest(found, 5.0) == [
        "clouds: fast, 2.50\N{NO-BREAK SPACE}s, 0.0333\N{NO-BREAK SPACE}EUR a run"
    ]


def test_without_a_price_book_an_evaluation_says_nothing_of_cost(tmp_path: Path) -> None:
    evaluation(tmp_path)
    done = report(tmp_path)
    assert done.exit_code == 0, done.output
    assert "Cost" not in done.output
    assert 'id="cost"' not in (tmp_path / "evaluation.html").read_text()
    done = CliRunner().invoke(command, ["evaluate", "report", str(tmp_path), "--within", "20"])
    assert isinstance(done.exception, ConfigError)
    assert done.exception.message == "clouds: there are no prices"
    assert done.exception.hint == cost_table.HOW_TO_PRICE


def test_a_system_that_the_book_does_not_have_has_no_price_and_is_named(tmp_path: Path) -> None:
    evaluation(tmp_path / "r")
    path = book(tmp_path / "b.toml", CLOUDS.partition("[systems.fast]")[0])
    done = CliRunner().invoke(
        command, ["evaluate", "report", str(tmp_path / "r"), "--prices", str(path), "--within", "20"]
    )
    assert done.exit_code == 0, done.output
    page = (tmp_path / "r/evaluation.html").read_text()
    assert [row["kind"] for row in csv_of(page, "cost.csv")] == ["slow"]
    for text in (page, done.output):
        assert f"Cost: fast has no price in {path}." in flat(text)
    book(path, INSTANCE)
    done = report(tmp_path / "r", "--prices", path)
    assert f"Cost: slow and fast have no price in {path}." in flat(done.output)
    assert "0 EUR" not in flat((tmp_path / "r/evaluation.html").read_text())


def test_the_cheapest_configuration_is_found_by_a_price_book(tmp_path: Path) -> None:
    evaluation(tmp_path / "r")
    path = book(tmp_path / "b.toml", CLOUDS)
    for within, line in (("60", "clouds: slow, 40.0 s, 0.0222 EUR a run"), ("20", "clouds: fast, 10.0 s, 0.0333 EUR")):
        words = ["evaluate", "report", str(tmp_path / "r"), "--prices", str(path), "--within", within]
        done = CliRunner().invoke(command, words)
        assert done.exit_code == 0, done.output
        assert line in flat(done.output)


def test_the_book_that_a_plan_named_is_kept_and_another_may_be_given(tmp_path: Path) -> None:
    path = book(tmp_path / "b.toml", CLOUDS)
    evaluation(tmp_path / "r", kept(path))
    path.unlink()
    assert report(tmp_path / "r").exit_code == 0
    rows = csv_of((tmp_path / "r/evaluation.html").read_text(), "cost.csv")
    assert [float(row["price_per_hour"]) for row in rows] == [2.0, 12.0]
    other = book(tmp_path / "other.toml", CLOUDS.replace("0.5", "0.25"))
    assert report(tmp_path / "r", "--prices", other).exit_code == 0
    rows = csv_of((tmp_path / "r/evaluation.html").read_text(), "cost.csv")
    assert [float(row["price_per_hour"]) for row in rows] == [1.0, 12.0]


def test_as_many_hosts_are_paid_as_the_cluster_had(tmp_path: Path) -> None:
    evaluation(tmp_path / "r", hosts=2)
    with Store.read(tmp_path / "r") as store:
        found = evaluation_report.load(store, book=load_prices(book(tmp_path / "b.toml", CLOUDS)))
    assert [row[1].value for row in cost_table.costs(found).rows] == [1.0, 6.0]


def test_prices_are_of_times_only_and_imports_have_no_system(tmp_path: Path) -> None:
    evaluation(tmp_path / "r")
    with Store.read(tmp_path / "r") as store:
        found = evaluation_report.load(store, book=load_prices(book(tmp_path / "b.toml", CLOUDS)))
    rates = dataclasses.replace(found, data=dataclasses.replace(found.data, unit="bit/s"))
    assert cost_table.costs(rates).rows == ()
    assert cost_table.unpriced(rates) == "Cost: only of times, and time_s is in bit/s."
    imported = dataclasses.replace(found, data=dataclasses.replace(found.data, rows=()))
    assert cost_table.costs(imported).rows == ()
    assert cost_table.unpriced(imported).startswith("Cost: imported rows do not say which system they ran on.")
    with pytest.raises(ConfigError, match="nothing has a price"):
        cost_table.cheapest(imported, 60)


# ------------------------------------------------------------------ comparisons


def comparison(directory: Path, plan: object = "demo") -> int:
    clock = fixtures.Clock()
    with fixtures.at(clock), Store.open(directory) as store:
        return fixtures.compare(store, clock, {"cg": fixtures.TIMES_S["cg"]}, 8, plan=plan)


def medians_s(store: Store) -> dict[str, float]:
    """By scenario, read without the report's code."""
    found: dict[str, list[float]] = {}
    for run in store.runs("run"):
        found.setdefault(str(run.labels["scenario"]), []).append(store.one_series(run.id, "time_s").scalar())
    return {scenario: float(np.median(times_s)) for scenario, times_s in found.items()}


def test_every_scenario_of_a_comparison_is_priced_at_its_median_time(tmp_path: Path, mesh8: Path) -> None:
    comparison(tmp_path / "r")
    done = report(tmp_path / "r", "--prices", mesh8)
    assert done.exit_code == 0, done.output
    assert "24.00 EUR" in flat(done.output)
    page = (tmp_path / "r/report.html").read_text()
    rows = {row["scenario"]: row for row in csv_of(page, "cost.csv")}
    with Store.read(tmp_path / "r") as store:
        times_s = medians_s(store)
    assert set(rows) == {"clean", "clean, managed", "congested", "congested, managed"}
    for scenario, time_s in times_s.items():
        row = rows[scenario.replace("_", ", ")]
        assert float(row["price_per_hour"]) == PER_HOUR
        assert float(row["price_per_run"]) == pytest.approx(PER_HOUR * time_s / 3600)
        assert float(row["price_low"]) < float(row["price_per_run"]) < float(row["price_high"])
        assert float(row["efficiency"]) == pytest.approx(3600 / time_s / PER_HOUR)
    assert f"Prices of {mesh8}: mesh8 24.0 EUR an hour for 8 hosts (p big, r, 2026-11-01)." in flat(page)


def test_whole_runs_are_paid_also_where_a_program_has_its_own_clock(tmp_path: Path, mesh8: Path) -> None:
    clock = fixtures.Clock()
    with fixtures.at(clock), Store.open(tmp_path / "r") as store:
        experiment = store.begin_run("experiment", {})
        for replication, whole_s in enumerate((8.0, 9.0, 10.0)):
            labels = {"program": "cg", "scenario": "clean", "replication": replication, "cluster": "mesh8"}
            run = store.begin_run("run", labels, parent=experiment)
            store.add_series(run, "time_s", [whole_s], "s")
            store.add_series(run, "timed_section_s", [whole_s / 2], "s")
            store.finish_run(run)
        found = comparisons.load(store, experiment, book=load_prices(mesh8))
    (clean,) = (each for each in found.programs[0].scenarios() if each.n)
    assert clean.median_s == 4.5
    ((_, _, median, per_hour, per_run, interval, _),) = comparison_tables.costs(found).rows
    assert (median.value, per_hour.value) == (9.0, PER_HOUR)
    assert per_run.value == pytest.approx(PER_HOUR * 9 / 3600)
    half_s = 4.302653 / np.sqrt(3)  # Student's t at 95 % of three runs that scatter by 1 s
    assert interval.value == pytest.approx((PER_HOUR * (9 - half_s) / 3600, PER_HOUR * (9 + half_s) / 3600))


def test_the_summary_of_a_comparison_has_costs_by_the_names_of_its_times(tmp_path: Path, mesh8: Path) -> None:
    comparison(tmp_path / "r")
    done = report(tmp_path / "r", "--prices", mesh8, "--json")
    found = json.loads(done.stdout)["programs"]["cg"]
    assert set(found["costs"]) == {"t_nc", "t_nc_managed", "t_ic", "t_ic_managed"}
    for name, its in found["costs"].items():
        assert its == {
            "currency": "EUR",
            "per_hour": PER_HOUR,
            "per_run": pytest.approx(PER_HOUR * found[name] / 3600),
            "efficiency": pytest.approx(3600 / found[name] / PER_HOUR),
        }
    assert json.loads((tmp_path / "r/summary.json").read_text())["programs"]["cg"]["costs"] == found["costs"]


def test_without_a_price_a_comparison_says_nothing_or_who_has_none(tmp_path: Path) -> None:
    comparison(tmp_path / "r")
    assert report(tmp_path / "r").exit_code == 0
    page = (tmp_path / "r/report.html").read_text()
    assert 'id="cost"' not in page and "Cost:" not in page
    assert json.loads((tmp_path / "r/summary.json").read_text())["programs"]["cg"]["costs"] == {}
    path = book(tmp_path / "b.toml", INSTANCE)
    done = report(tmp_path / "r", "--prices", path)
    page = (tmp_path / "r/report.html").read_text()
    assert 'id="cost"' not in page
    for text in (page, done.output):
        assert f"Cost: mesh8 has no price in {path}." in flat(text)


def test_the_book_of_a_comparison_is_kept_and_prices_its_single_runs_too(tmp_path: Path, mesh8: Path) -> None:
    experiment = comparison(tmp_path / "r", kept(mesh8))
    mesh8.unlink()
    with Store.read(tmp_path / "r") as store:
        found = comparisons.load(store, experiment)
        assert [row[3].value for row in comparison_tables.costs(found).rows] == [PER_HOUR] * 4
        assert set(summary.of(found).programs["cg"].costs) == {"t_nc", "t_nc_managed", "t_ic", "t_ic_managed"}
        run = store.runs("run", scenario="clean")[0]
        time_s = store.one_series(run.id, "time_s").scalar()
        single = run_report.load(store, run.id)
        assert single.cost is not None
        assert single.cost.per_run == pytest.approx(PER_HOUR * time_s / 3600)


# ------------------------------------------------------------------ single runs


def one_run(directory: Path, **more: object) -> int:
    clock = fixtures.Clock()
    with fixtures.at(clock), Store.open(directory) as store:
        return record(store, clock, **more)


def test_a_run_says_what_it_cost(tmp_path: Path, mesh8: Path) -> None:
    number = one_run(tmp_path / "r")
    done = report(tmp_path / "r", "--run", str(number), "--prices", mesh8)
    assert done.exit_code == 0, done.output
    text = "It cost 0.0800 EUR: 12.0 s of 8 hosts at 24.0 EUR an hour. One EUR buys 12.5 such runs."
    assert text in flat(done.output)
    assert text in flat((tmp_path / "r/report.html").read_text())
    told = json.loads(report(tmp_path / "r", "--run", str(number), "--prices", mesh8, "--json").stdout)
    assert told["cost"] == {
        "currency": "EUR",
        "hosts": 8,
        "per_hour": PER_HOUR,
        "per_run": pytest.approx(PER_HOUR * TIME_S / 3600),
        "efficiency": pytest.approx(3600 / TIME_S / PER_HOUR),
    }
    assert text in told["findings"]


def test_a_run_on_some_hosts_of_a_system_pays_for_these(tmp_path: Path, mesh8: Path) -> None:
    number = one_run(tmp_path / "r", facts={**fixtures.FACTS, "compute_hosts": 2})
    with Store.read(tmp_path / "r") as store:
        found = run_report.load(store, number, load_prices(mesh8))
    assert found.cost is not None
    assert (found.cost.hosts, found.cost.per_hour) == (2, PER_HOUR / 4)


def test_without_a_price_a_run_says_nothing_or_that_its_system_has_none(tmp_path: Path) -> None:
    number = one_run(tmp_path / "r")
    with Store.read(tmp_path / "r") as store:
        bare = run_report.load(store, number)
        path = book(tmp_path / "b.toml", INSTANCE)
        unknown = run_report.load(store, number, load_prices(path))
    assert (bare.cost, run_json.of(bare).cost) == (None, None)
    assert not [text for text in run_report.findings(bare) if "cost" in text or "price" in text]
    assert run_report.findings(unknown)[-1] == f"Its price is not known: mesh8 has no price in {path}."
    assert run_json.of(unknown).cost is None


def test_what_took_no_time_has_no_price(tmp_path: Path, mesh8: Path) -> None:
    number = one_run(tmp_path / "r")
    with Store.read(tmp_path / "r") as store:
        run = store.run(number)
    assert run_costs.of_run(load_prices(mesh8), run, 0.0) is None


def test_prices_are_of_the_newest_result_where_there_are_benchmarks_beside_it(tmp_path: Path, mesh8: Path) -> None:
    point_to_point_run(tmp_path / "r", LATENCY, {MessageCell(8): [1e-5] * 3}, cluster="mesh8")
    one_run(tmp_path / "r")
    done = report(tmp_path / "r", "--prices", mesh8)
    assert "It cost 0.0800 EUR" in flat(done.output)
    assert "prices are of run 2; `--benchmarks` shows the benchmarks per price\n" in done.stderr
    assert "prices are" not in report(tmp_path / "r").stderr
    done = report(tmp_path / "r", "--benchmarks", "--prices", mesh8)
    assert "What one EUR buys" in done.output and "It cost" not in done.output
    assert "prices are" not in done.stderr


def characterized(directory: Path) -> int:
    clock = fixtures.Clock()
    with fixtures.at(clock), Store.open(directory) as store:
        return fixtures.characterize(store, clock)


def test_a_characterization_has_no_price(tmp_path: Path, mesh8: Path) -> None:
    number = characterized(tmp_path / "r")
    for words in (["--characterization", str(number)], []):
        done = report(tmp_path / "r", *words, "--prices", mesh8)
        assert done.exit_code == 2
        assert "--prices: a characterization has no price" in done.output


def test_benchmarks_beside_a_characterization_are_what_has_a_price(tmp_path: Path, mesh8: Path) -> None:
    point_to_point_run(tmp_path / "r", LATENCY, {MessageCell(8): [1e-5] * 3}, cluster="mesh8")
    number = characterized(tmp_path / "r")
    bare = report(tmp_path / "r")
    assert (bare.exit_code, "prices are" in bare.stderr) == (0, False)
    assert bare.stdout.splitlines()[-1] == str(tmp_path / "r/report.html")
    done = report(tmp_path / "r", "--prices", mesh8)
    assert done.exit_code == 0, done.output
    assert "What one EUR buys" in done.stdout
    assert done.stdout.splitlines()[-1] == str(tmp_path / "r/benchmarks.html")
    other = f"`--characterization {number}` without --prices shows the characterization, which has none\n"
    assert f"prices are of the benchmarks; {other}" in done.stderr
    told = json.loads(report(tmp_path / "r", "--prices", mesh8, "--json").stdout)
    assert "per-price" in {each["name"] for each in told["tables"]}
    refused = report(tmp_path / "r", "--characterization", str(number), "--prices", mesh8)
    assert "--prices: a characterization has no price" in refused.output


def test_benchmarks_that_carry_nothing_have_no_price_and_that_is_said(tmp_path: Path, mesh8: Path) -> None:
    (tmp_path / "barrier.txt").write_text("1\n2\n3\n")
    words = ["samples", str(tmp_path / "barrier.txt"), "--test", "barrier", "--unit", "us", "--system", "mesh8"]
    done = CliRunner().invoke(command, ["measure", "import", *words, "--results", str(tmp_path / "r")])
    assert done.exit_code == 0, done.output
    done = report(tmp_path / "r", "--prices", mesh8)
    assert done.exit_code == 0, done.output
    assert "none of these benchmarks counts bytes, messages or calls" in flat(done.output)
