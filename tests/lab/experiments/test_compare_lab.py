"""``fairlead compare`` for real, small: a star, where theory says that there is no way around a congested host."""

import html
import json
from pathlib import Path

import pytest

from fairlead.analysis import comparison
from fairlead.experiment.comparisons import session
from fairlead.experiment.comparisons.session import Forecast
from fairlead.report import make
from fairlead.report.comparison import findings
from fairlead.store import Store

pytestmark = [pytest.mark.userns, pytest.mark.mpi, pytest.mark.slow]  # two cases: a lab, a survey and nine runs

LAB = """
[lab]
name = "compare-star"
topology = "star"
hosts_per_leaf = 4
neighbours_per_leaf = 1
[host_link]
rate = "200mbit"
queue = "20ms"
"""
PLAN = """
[comparison]
name = "small"
seed = 3
replications = 1

[labs]
star = "star.toml"

[congestions.streams]
onset = [0.0, 0.0]
[[congestions.streams.bottlenecks]]
kind = "streams"
pairs = [["n0", "h1"]]
streams = 2
both_directions = false

[congestions.delay]
onset = [0.0, 0.0]
[[congestions.delay.bottlenecks]]
kind = "delay"
link = ["switch", "h1"]

[[programs]]
name = "cg"
command = ["cg", "--class", "S", "--iterations", "30"]
ranks = 4
clean_s = 1.0

[[cases]]
programs = ["cg"]
labs = ["star"]
congestions = ["streams", "delay"]
"""

PRICES = """
currency = "EUR"
[[instances]]
name = "big"
provider = "p"
region = "r"
price_per_hour = 3.0
date = 2026-11-01
cores = 2
memory_GiB = 4
interconnect = "Ethernet"
bandwidth_Gbps = 0.2
virtualisation = "none"
placement = "rack"
tenancy = "own"
[systems.compare-star]
instance = "big"
hosts = 4
"""


def test_a_star_has_no_way_around_and_says_so_case_by_case(tmp_path: Path) -> None:
    (tmp_path / "star.toml").write_text(LAB)
    (tmp_path / "prices.toml").write_text(PRICES)
    (tmp_path / "plan.toml").write_text(PLAN.replace("seed = 3", 'seed = 3\nprices = "prices.toml"'))
    plan = session.read(tmp_path / "plan.toml")
    told: list[Forecast] = []

    def compare(*patterns: str) -> tuple[comparison.Comparison, Path, Path]:
        experiment = session.compare(
            plan,
            tmp_path / "results",
            survey_progress=lambda what, done, total: None,
            progress=lambda done, total, text: None,
            only=session.chosen(plan, patterns),
            announce=told.append,
        )
        with Store.read(tmp_path / "results") as store:
            page, summary = make.comparison(store, experiment, tmp_path / "results/report.html")
            return comparison.load(store, experiment), page, summary

    first, page, _ = compare("cg.streams.*")
    assert told[-1].runs == 4
    assert not first.complete
    (program,) = first.programs
    assert program.name == "cg.streams.star"
    assert program.has_detour is False
    assert all(each.n == 1 for each in program.scenarios())
    assert all(decision.kind != "rerouted" for run in program.final.runs for decision in run.decisions)
    assert any(level.congestion_level == "high" for run in program.final.runs for level in run.levels)
    assert findings.NO_DETOUR in findings.paragraphs(first)[0]
    assert findings.NO_DETOUR in html.unescape(page.read_text())

    second, _, written = compare()
    assert told[-1].runs == 4  # the other case; what is finished is not run again
    assert second.complete
    assert [program.name for program in second.programs] == ["cg.streams.star", "cg.delay.star"]
    summary = json.loads(written.read_text())
    assert summary["programs"]["cg.streams.star"]["reroutes"] == 0
    assert summary["programs"]["cg.delay.star"]["t_ic"] > summary["programs"]["cg.delay.star"]["t_nc"]
    for each in summary["programs"].values():
        assert each["costs"]["t_ic"]["per_hour"] == 4 * 3.0
        timed = 4 * 3.0 * each["t_ic"] / 3600  # mpirun's own time is paid as well
        assert timed < each["costs"]["t_ic"]["per_run"] < 2 * timed
    with Store.read(tmp_path / "results") as store:
        assert len(store.runs("experiment")) == 1
        assert len(store.runs("run", scenario="pilot")) == 1  # one program on one network


SCALED = PLAN.replace("replications = 1", "replications = 1\nscale = 0.5").replace(
    "clean_s = 1.0", 'length = "--iterations"\ntimed_s = 1.0'
)


@pytest.mark.timeout(400)
def test_lengths_are_found_once_and_used_by_all_runs(tmp_path: Path) -> None:
    (tmp_path / "star.toml").write_text(LAB)
    (tmp_path / "plan.toml").write_text(SCALED)
    plan = session.read(tmp_path / "plan.toml")

    def compare(pattern: str) -> int:
        return session.compare(
            plan,
            tmp_path / "results",
            survey_progress=lambda what, done, total: None,
            progress=lambda done, total, text: None,
            only=session.chosen(plan, [pattern]),
        )

    experiment = compare("cg.streams.*")
    with Store.read(tmp_path / "results") as store:
        (found,) = store.runs("calibration", parent=experiment)
        trials = store.runs("trial", parent=experiment)
    assert found.facts["scale"] == 0.5
    number = found.facts["lengths"]["cg"]
    assert trials
    assert compare("cg.delay.*") == experiment
    with Store.read(tmp_path / "results") as store:
        assert store.runs("trial", parent=experiment) == trials, "what was found is used again"
        runs = store.runs("run", parent=experiment)
        assert len(runs) == 9
        assert {(run.labels["length"], run.facts["lab"]["scale"]) for run in runs} == {(number, 0.5)}
        seen = comparison.load(store, experiment).programs[0]
    assert seen.own_clock
    assert seen.clean.busy is not None
    # One run a cell, on a machine that others use: within a factor of two of what was wanted.
    assert 0.5 <= (seen.clean.median_s or 0.0) <= 2.0
