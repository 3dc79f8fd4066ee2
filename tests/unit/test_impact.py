"""Victims and congestors: who is drawn, and how many times longer it takes."""

from pathlib import Path

import numpy as np
import pytest

from fairlead.measure.benchmarks import impact, records
from fairlead.measure.benchmarks.impact import ALONE, Cell, Settings
from fairlead.report.benchmarks import report as reports
from fairlead.store import Store


def test_hosts_are_drawn_by_the_seed_and_every_rank_has_one_part() -> None:
    settings = Settings(per_host=2, seed=7)
    draws = [impact.drawn(8, settings, number) for number in range(20)]
    assert draws == [impact.drawn(8, settings, number) for number in range(20)]
    assert len({tuple(victims) for victims, _ in draws}) > 10
    assert draws != [impact.drawn(8, Settings(per_host=2, seed=8), number) for number in range(20)]
    for victims, congestors in draws:
        assert sorted(victims + congestors) == list(range(16))
        assert len(victims) == len(congestors) == 8
        assert {rank // 2 for rank in victims}.isdisjoint({rank // 2 for rank in congestors})


@pytest.mark.parametrize(("hosts", "share", "congestors"), [(4, 0.5, 2), (4, 0.9, 2), (5, 0.1, 2), (10, 0.8, 8)])
def test_two_are_always_left_on_either_side(hosts: int, share: float, congestors: int) -> None:
    victims, others = impact.drawn(hosts, Settings(share=share), 0)
    assert (len(victims), len(others)) == (hosts - congestors, congestors)


def test_factors_pair_the_rounds_and_do_not_round() -> None:
    tail = np.array([[1.0] * 98 + [3.0, 3.0]])
    found = {
        Cell("latency", ALONE): {0: np.ones((1, 100)), 1: 2 * np.ones((1, 100)), 2: np.ones((1, 100))},
        Cell("latency", "incast"): {0: tail, 1: 4 * np.ones((1, 100))},
    }
    (factor,) = impact.factors(found)
    assert factor.cell == Cell("latency", "incast")
    assert factor.ratios.tolist() == [[pytest.approx(1.04), 2.0], [pytest.approx(3.0), 2.0]]
    assert factor.mean is not None and factor.mean.n == 2
    assert factor.value(0) == pytest.approx(1.52)
    (single,) = impact.factors({cell: {0: rounds[0]} for cell, rounds in found.items()})
    assert single.mean is None and single.value(1) == pytest.approx(3.0)


def test_the_report_names_who_is_harmed(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        run = store.begin_run(records.KIND, {"benchmark": "impact", "cluster": "c"}, plan={}, seed=5)
        for number in range(8):
            for victim in impact.VICTIMS:
                for congestor in (ALONE, "alltoall", "incast"):
                    factor = {"alltoall": 1.05, "incast": 3.0 if victim == "latency" else 1.0}.get(congestor, 1.0)
                    labels = {"victim": victim, "congestor": congestor, "round": number, "victims": "0,1"}
                    samples_s = np.full((2, 20), 1e-5) * factor * (1 + number / 1000)
                    store.add_series(run, "exchange_s", samples_s, "s", labels)
        store.finish_run(run)
    found = reports.load([tmp_path])
    (drawing,) = reports.drawings(found)
    rows = [dict(zip(drawing.table.keys, row, strict=True)) for row in drawing.table.rows]
    assert [(row["victim"].value, row["congestor"].value) for row in rows[:2]] == [
        ("latency", "alltoall"),
        ("latency", "incast"),
    ]
    assert rows[1]["mean_factor"].value == pytest.approx(3.0) and rows[1]["rounds"].value == 8
    text = "\n".join(reports.findings(found))
    assert "beside incast latency takes 3.00 times as long as alone, the largest impact of all" in text
    assert "others' traffic harms latency by incast (1.50 times or more)" in text
    assert "impact: 8 rounds of hosts drawn with seed 5" in text
