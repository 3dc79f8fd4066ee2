"""Victims and congestors: who is drawn, and how many times longer it takes."""

import os
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fairlead.benchmarks.impact import analyse as impact_analysis
from fairlead.benchmarks.impact import measure as impact
from fairlead.benchmarks.impact.measure import ALONE, Congestor, ImpactCell, ImpactSettings
from fairlead.benchmarks.measuring import probe, records
from fairlead.benchmarks.measuring.repeat import Until
from fairlead.benchmarks.page import report as reports
from fairlead.cluster.cluster_file import load_cluster
from fairlead.store import Store


def test_hosts_are_drawn_by_the_seed_and_every_rank_has_one_part() -> None:
    settings = ImpactSettings(per_host=2, seed=7)
    draws = [impact.drawn(8, settings, number) for number in range(20)]
    assert draws == [impact.drawn(8, settings, number) for number in range(20)]
    assert len({tuple(victims) for victims, _ in draws}) > 10
    assert draws != [impact.drawn(8, ImpactSettings(per_host=2, seed=8), number) for number in range(20)]
    for victims, congestors in draws:
        assert sorted(victims + congestors) == list(range(16))
        assert len(victims) == len(congestors) == 8
        assert {rank // 2 for rank in victims}.isdisjoint({rank // 2 for rank in congestors})


@pytest.mark.parametrize(("hosts", "share", "congestors"), [(4, 0.5, 2), (4, 0.9, 2), (5, 0.1, 2), (10, 0.8, 8)])
def test_two_are_always_left_on_either_side(hosts: int, share: float, congestors: int) -> None:
    victims, others = impact.drawn(hosts, ImpactSettings(share=share), 0)
    assert (len(victims), len(others)) == (hosts - congestors, congestors)


def test_several_congestors_at_once_have_hosts_of_their_own() -> None:
    settings = ImpactSettings(congestors=("alltoall", "incast"), together=True, per_host=2, seed=7)
    texts = [str(each) for each in settings.beside()]
    assert texts == ["alltoall", "incast", "alltoall+incast"]
    assert [Congestor.parse(text) for text in texts] == settings.beside()
    _, ranks = impact.drawn(8, settings, 3)
    (alone,) = impact.parts(Congestor(("incast",)), ranks, 2)
    assert alone == {"kind": "incast", "ranks": ranks}
    both = impact.parts(Congestor(("alltoall", "incast")), ranks, 2)
    hosts = [{rank // 2 for rank in each["ranks"]} for each in both]
    assert [len(each) for each in hosts] == [2, 2] and hosts[0].isdisjoint(hosts[1])
    assert sorted(rank for each in both for rank in each["ranks"]) == sorted(ranks)


def test_congestors_by_their_number_are_beside_the_same_victims() -> None:
    settings = ImpactSettings(congestors=("alltoall",), hosts=(2, 4))
    assert [str(each) for each in settings.beside()] == ["alltoall on 2 hosts", "alltoall on 4 hosts"]
    victims, ranks = impact.drawn(8, settings, 0)
    assert (len(victims), len(ranks)) == (4, 4)
    two, four = (impact.parts(each, ranks, 1)[0]["ranks"] for each in settings.beside())
    assert (two, four) == (ranks[:2], ranks)


@pytest.mark.parametrize(
    ("settings", "hosts", "complaint"),
    [
        (
            ImpactSettings(together=True),
            8,
            "3 congestors at once need 6 hosts, not 4: use fewer --congestors, or a larger --share",
        ),
        (
            ImpactSettings(together=True, hosts=(4, 6)),
            8,
            "3 congestors at once need 6 hosts, not 4: use fewer --congestors, or more --hosts",
        ),
        (ImpactSettings(together=True), 12, None),
        (ImpactSettings(hosts=(2, 7)), 8, "--hosts 7: of 8 compute hosts two must be victims"),
        (ImpactSettings(hosts=(2, 6)), 8, None),
        (ImpactSettings(), 4, None),
    ],
)
def test_what_a_cluster_is_too_small_for(settings: ImpactSettings, hosts: int, complaint: str | None) -> None:
    assert settings.complaint(hosts) == complaint


def test_factors_pair_the_rounds_and_do_not_round() -> None:
    tail = np.array([[1.0] * 98 + [3.0, 3.0]])
    found = {
        ImpactCell("latency", ALONE): {0: np.ones((1, 100)), 1: 2 * np.ones((1, 100)), 2: np.ones((1, 100))},
        ImpactCell("latency", "incast"): {0: tail, 1: 4 * np.ones((1, 100))},
    }
    (factor,) = impact_analysis.factors(found)
    assert factor.cell == ImpactCell("latency", "incast")
    assert factor.ratios.tolist() == [pytest.approx(1.04), 2.0]
    assert factor.mean_interval is not None and factor.mean_interval.n == 2
    assert factor.mean == pytest.approx(1.52)
    assert (factor.alone_s.tolist(), factor.beside_s.tolist()) == ([1.0, 2.0], [pytest.approx(1.04), 4.0])
    assert factor.tail is None, "of 200 exchanges 2 lie beyond the 99th percentile"
    (single,) = impact_analysis.factors({cell: {0: rounds[0]} for cell, rounds in found.items()})
    assert single.mean_interval is None and single.mean == pytest.approx(1.04)


def heavy_tailed(random: np.random.Generator, count: int, scale: float = 1.0) -> np.ndarray:
    """(victims, exchanges) of two victims."""
    return scale * 1e-4 * (1 + random.pareto(2.0, (2, count)))


def test_a_tail_of_few_exchanges_is_held_against_as_few_alone() -> None:
    """The same distribution on both sides: the factor is 1, however many more exchanges there were alone."""
    random, found = np.random.default_rng(3), []
    for _ in range(25):
        alone = {number: heavy_tailed(random, 1000) for number in range(26)}
        beside = {number: heavy_tailed(random, 20) for number in range(26)}
        (factor,) = impact_analysis.factors(
            {ImpactCell("latency", ALONE): alone, ImpactCell("latency", "incast"): beside}
        )
        assert factor.tail is not None and factor.tail_interval is not None
        found.append((factor.tail, factor.tail_interval.contains(1.0)))
    assert np.median([tail for tail, _ in found]) == pytest.approx(1.0, abs=0.15)
    assert np.mean([held for _, held in found]) > 0.8


def test_a_tail_that_grows_is_told_with_its_interval() -> None:
    random = np.random.default_rng(4)
    alone = {number: heavy_tailed(random, 1000) for number in range(12)}
    beside = {number: heavy_tailed(random, 200, scale=5.0) for number in range(12)}
    (factor,) = impact_analysis.factors({ImpactCell("latency", ALONE): alone, ImpactCell("latency", "incast"): beside})
    assert factor.tail == pytest.approx(5.0, rel=0.3)
    assert factor.tail_interval is not None and factor.tail_interval.low > 2.5
    few = {ImpactCell("latency", ALONE): alone, ImpactCell("latency", "incast"): {n: beside[n] for n in range(2)}}
    (factor,) = impact_analysis.factors(few)
    assert factor.tail is None and factor.tail_interval is None


HOSTS = "".join(f'[[hosts]]\nname = "h{k}"\naddress = "127.0.0.{k + 1}"\n' for k in range(4))


class Congested:
    """Victims that always take the same time alone; beside a congestor twice as long, more or less."""

    def __init__(self) -> None:
        self.random = np.random.default_rng(5)

    def introduction(self) -> probe.Introduction:
        rank = {"host": os.uname().nodename, "cpu": 0, "allowed_cpus": [0]}
        return probe.Introduction("an MPI library", 1e-9, (rank,) * 4)

    def ask(self, request: dict[str, Any], timeout_s: float, what: str) -> list[list[float]]:
        factor = 2 * np.exp(0.1 * self.random.standard_normal()) if "congestors" in request else 1.0
        return [[1e-4 * factor] * 20] * 2


def test_whole_rounds_are_repeated_until_the_ratio_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "running", lambda *_, **__: nullcontext(Congested()))
    (tmp_path / "four.toml").write_text(f'[cluster]\nname = "four"\nexecutor = "local"\ninterface = "lo"\n{HOSTS}')
    settings = ImpactSettings(congestors=("alltoall", "incast"), until=Until(within=0.08, budget_s=300, least=6))
    with Store.open(tmp_path / "r") as store:
        run = impact.measure(load_cluster(tmp_path / "four.toml"), store, settings, lambda *_: None)
        blocks = impact_analysis.blocks(store, run)
    rounds = {victim: {len(blocks[cell]) for cell in blocks if cell.victim == victim} for victim in impact.VICTIMS}
    assert all(len(counts) == 1 for counts in rounds.values()), "alone as often as beside"
    assert all(max(counts) > 6 for counts in rounds.values()), "the ratio decides, not the quiet victims"
    factors = impact_analysis.factors(blocks)
    assert len(factors) == 6
    for factor in factors:
        assert factor.mean_interval is not None and factor.mean_interval.n == len(blocks[factor.cell])
        assert factor.mean_interval.high / factor.mean_interval.value - 1 <= 0.08


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
        labels = {"victim": "latency", "congestor": ALONE, "round": 8, "victims": "0,1"}
        store.add_series(run, "exchange_s", np.full((2, 20), 1.0), "s", labels)  # a round that the budget cut short
        store.finish_run(run)
    found = reports.load([tmp_path])
    (drawing,) = reports.drawings(found)
    rows = [dict(zip(drawing.table.keys, row, strict=True)) for row in drawing.table.rows]
    assert [(row["victim"].value, row["congestor"].value) for row in rows[:2]] == [
        ("latency", "alltoall"),
        ("latency", "incast"),
    ]
    assert rows[1]["mean_factor"].value == pytest.approx(3.0) and rows[1]["rounds"].value == 8
    assert rows[1]["alone_mean_s"].value == pytest.approx(1e-5 * 1.0035), "of the rounds that the factor is of"
    assert rows[1]["tail_factor"].value is None
    text = "\n".join(reports.findings(found))
    assert "beside incast latency takes 3.00 times as long as alone, the largest impact of all" in text
    assert "cross-traffic slows latency by incast down (1.50 times or more)" in text
    assert "impact: 8 rounds of hosts drawn with seed 5; of 6 tails too few exchanges were measured" in text
