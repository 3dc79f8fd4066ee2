"""Management as a factor of an evaluation: what it did and what it gives, from stored rows to tables."""

from pathlib import Path

import numpy as np
import pytest

from fairlead.analysis.evaluations import dataset
from fairlead.analysis.evaluations.analysis import Analysis
from fairlead.report.evaluation import evaluation_report, management_tables
from fairlead.store import Event, Series, Store

PLAN = {
    "evaluation": {"name": "managed", "lab": "l.toml", "cluster": None, "seed": 1},
    "factors": {
        "program": ["cg", "is"],
        "load": ["quiet", "trunk"],
        "management": ["plain", "route", "relay"],
    },
    "run": {"command": ["{program}"], "ranks": 4, "value": "time_s"},
    "replications": {"count": 3, "half_width": None, "level": 0.95, "at_most": 30},
    "whole_plot": None,
    "neighbours": None,
    "exclude": [],
    "fractions": [],
    "congestion": {"factor": "load", "levels": {"quiet": "none", "trunk": {"places": []}}},
    "management": {
        "factor": "management",
        "levels": {"plain": "none", "route": "detours", "relay": {"components": "detours", "plane": "relay"}},
    },
    "report": {"configurations": ["management"], "baseline": {"management": "plain"}},
}
TIMES_S = {
    ("quiet", "plain"): 10.0,
    ("quiet", "route"): 10.2,
    ("quiet", "relay"): 11.0,
    ("trunk", "plain"): 30.0,
    ("trunk", "route"): 14.0,
    ("trunk", "relay"): 20.0,
}


def events(load: str, management: str, start_s: float) -> list[Event]:
    """As agents say them: two reroutes, the first 0.25 s after the congestion's beginning. A pause ends just before."""
    found = [Event(start_s, "started", {})]
    if load == "trunk":
        found.append(Event(start_s + 2, "congestion", {"bottleneck": "leaf0–leaf1", "ended_s": start_s + 60}))
    if management == "plain":
        return found
    relay = {"relay": {"ranks": {"relayed": 40}}} if management == "relay" else {}
    found.append(Event(start_s + 1, "stats", {"host": "h0", "cpu_s": 0.1, "bytes_sent": 1000, **relay}))
    if load == "trunk":
        rerouted = {"host": "h0", "source": "h0", "relay": "h4", "reason": "slow"}
        found += [
            Event(start_s + t_s, "rerouted", {**rerouted, "destination": to, "again": again})
            for t_s, to, again in ((2.1, "h3", True), (2.25, "h1", False), (3.0, "h2", False))
        ]
    return found


@pytest.fixture
def analysis(tmp_path: Path) -> Analysis:
    with Store.open(tmp_path) as store:
        facts = {"factors": list(PLAN["factors"]), "series": {"time_s": "s"}, "value": "time_s", "cells": 12}
        parent = store.begin_run(dataset.KIND, {"name": "managed", "origin": "run"}, plan=PLAN, seed=1, facts=facts)
        for program, factor in (("cg", 1.0), ("is", 2.0)):
            for (load, management), time_s in TIMES_S.items():
                for replication in range(3):
                    taken_s = factor * time_s * (1 + 0.01 * replication)
                    labels = {"program": program, "load": load, "management": management, "cluster": "l"}
                    store.record(
                        dataset.ROW,
                        {**labels, "block": replication, "replication": replication},
                        parent=parent,
                        plan=[program, load, management, replication],
                        started_s=1000.0,
                        series=[Series("time_s", "s", {}, np.array([taken_s]))],
                        events=events(load, management, 1001.0),
                    )
        store.finish_run(parent)
        return evaluation_report.load(store)


def test_what_management_gives_is_told_case_by_case(analysis: Analysis) -> None:
    found = {(each.case, each.congestion, each.management): each for each in analysis.managements}
    assert set(found) == {((program,), "trunk", level) for program in ("cg", "is") for level in ("route", "relay")}
    for program in ("cg", "is"):
        route, relay = (found[(program,), "trunk", level] for level in ("route", "relay"))
        assert route.recovered.value == pytest.approx(0.8)
        assert relay.recovered.value == pytest.approx(0.5)
        assert route.overhead.value == pytest.approx(0.02)
        assert relay.overhead.value == pytest.approx(0.10)
        assert route.slowdown.value == pytest.approx(3.0)
    table = management_tables.gains(analysis)
    assert table.columns[:4] == ("program", "congestion", "management", "slowdown")
    shown = [cell.shown.replace("\N{NO-BREAK SPACE}", " ") for cell in table.rows[0]]
    assert shown[:5] == ["cg", "trunk", "route", "× 3.00", "80 %"]


def test_what_management_did_is_told_cell_by_cell(analysis: Analysis) -> None:
    found = {each.levels: each for each in analysis.managed}
    assert set(found) == {
        (program, load, level)
        for program in ("cg", "is")
        for load in ("quiet", "trunk")
        for level in ("route", "relay")
    }
    route, relay, quiet = (found["cg", *rest] for rest in (("trunk", "route"), ("trunk", "relay"), ("quiet", "route")))
    assert (route.runs, route.reroutes, route.reaction_s, route.relayed) == (3, 2, pytest.approx(0.25), None)
    assert (relay.relayed, quiet.reroutes, quiet.reaction_s) == (40, 0, None)
    assert route.communication_s is None
    assert route.accounted.reason.endswith("its facts lack the number of CPUs")
    rows = [
        [cell.shown.replace("\N{NO-BREAK SPACE}", " ") for cell in row] for row in management_tables.did(analysis).rows
    ]
    assert ["cg", "trunk", "relay", "3", "2", "0", "250 ms", "40"] in [row[:8] for row in rows]


def test_the_page_has_both_tables(analysis: Analysis, tmp_path: Path) -> None:
    page, *_ = evaluation_report.write(analysis, tmp_path / "page.html")
    text = page.read_text()
    assert 'id="management-gives"' in text
    assert 'id="management-did"' in text
    assert "Others congested the lab" in text
