"""What detours came from: names from sets of counters, what periods are of, and what the report says."""

from pathlib import Path

import numpy as np
import pytest

from fairlead.benchmarks.noise import draw, draw_sources, sources
from fairlead.benchmarks.noise.analyse import Core, Noise, cores
from fairlead.benchmarks.noise.periodic import Period
from fairlead.benchmarks.noise.sources import NOT_KNOWN, NOT_LOOKED, NOTHING, THREAD, TIMER, Sources, name_of
from fairlead.store import Store

SETS = (
    (),
    (TIMER, "softirq TIMER", "softirq SCHED"),
    (TIMER, "softirq TIMER"),
    (THREAD, TIMER, "Rescheduling interrupts"),
    ("virtio3-rx", TIMER, "softirq NET_RX"),
    ("softirq NET_RX",),
)
OF = np.array([1, 2, 2, 3, 0, NOT_KNOWN, 4])
LENGTH_S = np.array([4e-6, 5e-6, 6e-6, 900e-6, 30e-6, 7e-6, 20e-6])
FOUND = Sources(OF, SETS, looked_s=0.5, steal_s=0.03, run_queue_s=0.9e-3, threads=(("kworker/0:1", 0.7e-3),))


@pytest.mark.parametrize(
    ("counted", "expected"),
    [
        (SETS[0], NOTHING),
        (SETS[1], TIMER),
        (SETS[3], THREAD),
        (SETS[4], "virtio3-rx"),
        (SETS[5], "softirqs alone"),
        (("Function call interrupts", "eth0"), "Function call interrupts + eth0"),
    ],
)
def test_a_detour_is_named_after_what_can_take_longest(counted: tuple[str, ...], expected: str) -> None:
    assert name_of(counted) == expected


def test_detours_are_summed_up_by_source() -> None:
    found = {each.name: each for each in sources.by_source(FOUND, LENGTH_S)}
    assert list(found) == [THREAD, NOTHING, "virtio3-rx", TIMER, NOT_LOOKED]
    np.testing.assert_allclose(found[TIMER].length_s, [4e-6, 5e-6, 6e-6])
    assert found[TIMER].softirqs == ("TIMER", "SCHED")
    assert found["virtio3-rx"].softirqs == ("NET_RX",)


def test_a_period_has_the_name_of_most_of_its_detours() -> None:
    tick = Period(period_s=4e-3, length_s=5e-6, regularity=0.9, events=3)
    assert sources.of_period(FOUND, LENGTH_S, tick) == TIMER
    assert sources.of_period(None, LENGTH_S, tick) is None
    unnamed = Sources(np.full(7, NOT_KNOWN), SETS, 0.0, None, None)
    assert sources.of_period(unnamed, LENGTH_S, tick) is None
    # 20 µs and 30 µs: neither is most of the two.
    assert sources.of_period(FOUND, LENGTH_S, Period(1.0, 25e-6, 0.9, 2)) is None


def core(of: Sources | None) -> Core:
    return Core("h0", 1, np.arange(7.0), LENGTH_S, 50e-9, 10.5, 10**8, of)


def test_looks_are_no_time_of_the_program() -> None:
    assert core(FOUND).overhead_share() == pytest.approx(LENGTH_S.sum() / 10.0)
    assert core(None).overhead_share() == pytest.approx(LENGTH_S.sum() / 10.5)


def noise(of: Sources | None) -> Noise:
    return Noise("mesh8", (core(of),), (), {("h0", 1): [Period(4e-3, 5e-6, 0.9, 3)]}, ())


def test_the_report_says_what_took_the_processor() -> None:
    said = [each.text.replace("\u00a0", " ") for each in draw.verdicts(noise(FOUND))]
    assert "on processor 1 of h0 a disturbance of Local timer interrupts of 5.00 µs comes every 4.00 ms" in said
    assert (
        "what the detours of processor 1 of h0 came from, by their time: 92.6 % another thread, "
        "3.1 % nothing counted (hypervisor, firmware), 2.1 % virtio3-rx, 1.5 % Local timer interrupts; "
        "the hypervisor took 30.0 ms"
    ) in said
    drawn = {each.name: each for each in draw.drawings([noise(FOUND)], ["mesh8"])}
    rows = [[cell.shown.replace("\u00a0", " ") for cell in row] for row in drawn["noise-sources"].table.rows]
    assert rows[0][3:] == [THREAD, "–", "1", "900 µs", "92.6 %", "900 µs", "900 µs", "30.0 ms", "900 µs",
                           "kworker/0:1 700 µs"]  # fmt: skip
    assert rows[3][3:7] == [TIMER, "TIMER, SCHED", "3", "15.0 µs"]


def test_without_looks_nothing_is_said_of_sources() -> None:
    said = [each.text for each in draw.verdicts(noise(None))]
    assert not any("came from" in text or "disturbance of Local" in text for text in said)
    assert "noise-sources" not in {each.name for each in draw.drawings([noise(None)], ["mesh8"])}
    assert draw_sources.of_core(core(None)) == []


def test_what_is_stored_is_read_again(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        run = store.begin_run("benchmark", {"benchmark": "noise"})
        labels = {"host": "h0", "cpu": 1}
        seen = {**labels, "period_s": 10.5, "iterations": 10**8, "threshold": 9.0}
        store.add_series(run, "least_iteration_s", [50e-9], "s", seen)
        store.add_series(run, "detours_s", np.stack([np.arange(7.0), LENGTH_S]), "s", labels)
        store.add_series(run, "detour_set", OF, "index", labels)
        names = sorted({name for each in SETS for name in each})
        told = {"names": names, "sets": [[names.index(name) for name in each] for each in SETS]}
        store.add_event(run, 1.0, sources.EVENT, {**labels, **told, "looked_s": 0.5, "steal_s": 0.03,
                                                  "run_queue_s": 0.9e-3})  # fmt: skip
        threads = [{"cpu": 1, "name": "kworker/0:1", "run_s": 0.7e-3}, {"cpu": 0, "name": "elsewhere", "run_s": 1.0}]
        store.add_event(run, 1.0, "noise_threads", {"host": "h0", "threads": threads})
        (found,) = cores(store, run)
    assert found.sources is not None
    np.testing.assert_array_equal(found.sources.of, OF)
    assert (found.sources.sets, found.sources.threads) == (SETS, FOUND.threads)
    assert (found.sources.looked_s, found.sources.steal_s, found.sources.run_queue_s) == (0.5, 0.03, 0.9e-3)
