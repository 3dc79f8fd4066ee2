"""The fault matrix: its cells, what samples of traffic say, its table. The faults themselves are `make faults`."""

import json
import os
import signal
import socket
import subprocess
import sys
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from bench.agents import fault_recovery
from bench.faults import __main__ as command_line
from bench.faults import cells, direct, injections, programs, recovery, report, runs, sources, trial, unhurt
from bench.faults.cells import FaultCell, chosen, drawn, matrix, why_not
from bench.faults.direct import Direct
from bench.faults.hosts import Hosts
from bench.faults.matrix import Matrix, again, counted
from bench.faults.socket_bytes import Owned
from bench.faults.traffic import Traffic
from bench.faults.trial import ENDED, FAILED, HUNG, LATE, LEFT, OK, SLOW, UNTESTED, WRONG, Result, Trial

from fairlead.agents.group import LEASE_S
from fairlead.errors import ConfigError, MeasurementError
from fairlead.manage import narrator
from fairlead.protocol.messages import AgentEvent

from ..agent_events import event

RATE_BPS = 5_000_000
HURT = FaultCell(cells.ROUTE, cells.BY_HAND, cells.CG, cells.SOURCE, cells.AGENT_KILLED)
KILLED = FaultCell(cells.ROUTE, cells.BY_HAND, cells.CG, "", cells.SUPERVISOR_KILLED)
RANK_KILLED = FaultCell(cells.ROUTE, cells.BY_HAND, cells.CG, "", cells.PROGRAM_KILLED)


def flow(
    *pauses: tuple[float, float],
    undo_s: float | None = None,
    slow: tuple[float, float] = (0, 0),
    direct_gap_s: float = 0.0,
    direct_Bps: float = RATE_BPS,
) -> recovery.Flow:
    """Ten seconds of even traffic with pauses, a quarter of the rate during ``slow``; the fault is at 3 s."""
    samples, total_B = [], 0.0
    for tick in range(501):
        at_s = tick * 0.02
        if not any(first < at_s <= last for first, last in pauses):
            total_B += RATE_BPS * 0.02 * (0.25 if slow[0] < at_s <= slow[1] else 1)
        samples.append((at_s, int(total_B)))
    return recovery.judge(
        samples,
        begin_s=0.5,
        fault_s=3.0,
        undo_s=undo_s,
        end_s=10.0,
        direct_Bps=direct_Bps,
        direct_gap_s=direct_gap_s,
    )


def test_even_traffic_has_nothing_to_recover_from() -> None:
    seen = flow()
    assert (seen.recovery_s, seen.after_undo_s, seen.slow_s, seen.flowed) == (0, 0, 0, True)
    assert seen.usual_gap_s == pytest.approx(0.02)


def test_the_pause_around_the_fault_is_the_recovery_time() -> None:
    seen = flow((2.98, 3.7))
    assert seen.recovery_s == pytest.approx(0.72, abs=0.03)
    assert seen.flowed
    assert flow((2.98, 3.4), (3.5, 4.2)).recovery_s == pytest.approx(1.22, abs=0.03)  # in between it was not steady
    assert flow((2.98, 3.4), (6.0, 6.2)).recovery_s == pytest.approx(0.42, abs=0.03)
    assert flow((3.5, 4.2)).recovery_s == pytest.approx(0.72, abs=0.03)  # the fault took effect later


def test_a_pause_long_after_the_fault_is_none_to_recover_from() -> None:
    seen = flow((5.0, 6.5))
    assert (seen.recovery_s, seen.later_s) == (0, pytest.approx(1.52, abs=0.03))
    both = flow((2.98, 3.7), (6.0, 7.5))
    assert (both.recovery_s, both.later_s) == (pytest.approx(0.72, abs=0.03), pytest.approx(1.52, abs=0.03))
    assert both.pause_s == both.later_s


def test_pauses_as_before_the_fault_do_not_count() -> None:
    seen = flow((1.0, 1.2), (4.0, 4.3))
    assert seen.usual_gap_s == pytest.approx(0.22, abs=0.03)
    assert seen.recovery_s == 0


def test_pauses_as_on_the_direct_path_do_not_count() -> None:
    """A program that sends in blocks goes back to it, and pauses there as it always did."""
    blocks = [(3.3 + 0.4 * block, 3.6 + 0.4 * block) for block in range(10)]
    assert flow((3.0, 3.8), *blocks[2:]).pause_s > 3
    assert flow((3.0, 3.8), *blocks[2:], direct_gap_s=0.3).recovery_s == pytest.approx(0.82, abs=0.03)


def test_blocks_that_flow_faster_than_on_the_direct_path_are_no_pause() -> None:
    """A ring whose other direction stayed congested: four times as fast as directly, with a pause after each block."""
    blocks = [(3.5 + 0.7 * block, 4.05 + 0.7 * block) for block in range(5)]
    congested_Bps = RATE_BPS / 6
    seen = flow((2.9, 3.4), *blocks, direct_Bps=congested_Bps)
    assert seen.recovery_s == pytest.approx(0.57, abs=0.03)
    assert seen.slow_s < 1
    assert flow((2.9, 3.4), *blocks).pause_s > 3  # on a direct path as fast as that, they are slower


def test_the_longest_gap_of_a_run() -> None:
    samples = [(0.02 * tick, 1000 * (tick if tick < 50 else max(50, tick - 10))) for tick in range(100)]
    assert recovery.longest_gap_s(samples, 0.0, 2.0) == pytest.approx(0.22, abs=0.03)
    assert recovery.longest_gap_s(samples, 1.3, 2.0) == pytest.approx(0.02, abs=0.001)
    assert recovery.longest_gap_s([], 0.0, 2.0) == 0


def test_a_long_pause_before_the_fault_hides_none_after_it() -> None:
    assert flow((1.0, 1.6), (2.98, 4.1)).recovery_s == pytest.approx(1.12, abs=0.03)


def test_taking_the_fault_back_is_judged_by_itself() -> None:
    seen = flow((6.0, 6.5), undo_s=6.0)
    assert seen.after_undo_s == pytest.approx(0.52, abs=0.03)
    assert flow((3.0, 6.5), undo_s=6.0).after_undo_s == pytest.approx(0.52, abs=0.03)
    assert flow((7.0, 7.5)).after_undo_s == 0


def test_traffic_that_never_comes_back() -> None:
    seen = flow((3.0, 10.0))
    assert seen.recovery_s == pytest.approx(7.0, abs=0.05)
    assert not seen.flowed


def test_a_pairs_relay_is_read_from_what_a_run_prints() -> None:
    """From the narrator's own lines: if its words change, this test says so, and not a cell that waits in vain."""
    rerouted = event("rerouted", relay=2, reason="manual")
    restored = event("restored", relay=2, reason="direct_good")
    other = event("restored", destination=2, relay=2, reason="direct_good")
    names = ["h0", "h1", "h2"]

    def relay_after(*events: AgentEvent) -> str | None:
        lines = [(float(k), narrator.sentence(names, 0, each) or "") for k, each in enumerate(events)]
        return runs.Run.relay_of(cast(runs.Run, SimpleNamespace(told=lines)), "h0", "h1")

    assert relay_after() is None
    assert relay_after(rerouted) == "h2"
    assert relay_after(rerouted, other) == "h2"
    assert relay_after(rerouted, restored) is None
    assert relay_after(rerouted, restored, rerouted) == "h2"


def test_slowness_is_the_longest_stretch() -> None:
    assert flow(slow=(3.0, 6.0)).slow_s == pytest.approx(3.0, abs=0.3)
    assert flow(slow=(1.0, 2.0)).slow_s == 0


def test_cells_are_all_combinations_and_have_names() -> None:
    found = matrix()
    assert len(found) == 2 * 2 * 2 * (10 * 3 + 6) == len({cell.name for cell in found})
    assert found[0].name == "route/hand/cg/source/agent-killed"
    reasons = {why_not(cell) for cell in found} - {None}
    assert reasons and all("plane" in reason or "ssh" in reason for reason in reasons if reason)


def test_cells_are_chosen_by_words() -> None:
    assert [cell.name for cell in chosen(["route/hand/ring/relay/guardian-killed"])] == [
        "route/hand/ring/relay/guardian-killed"
    ]
    assert len(chosen(["relay/agent-killed"])) == 8
    assert len(chosen(["hand+relay/agent-killed", "automatic+relay/agent-killed"])) == 8
    with pytest.raises(ConfigError, match="no cell"):
        chosen(["agent-tickled"])


def test_cells_share_a_run_only_at_places_that_their_fault_does_not_disturb() -> None:
    found = matrix()
    runs_of = cells.together(found)
    assert sorted(cell.name for sharing in runs_of for cell in sharing) == sorted(cell.name for cell in found)
    shared = [sharing for sharing in runs_of if len(sharing) > 1]
    assert {cell.fault for sharing in shared for cell in sharing} == {
        cells.CLOCK_STEPPED,
        cells.FILES_EXHAUSTED,
        cells.FORWARDING_DROPPED,
    }
    for first, *others in shared:
        assert all(replace(other, place=first.place) == first for other in others)
        places = [first.place, *(other.place for other in others)]
        ends = [cells.SOURCE, cells.DESTINATION]
        assert places == (ends if first.fault == cells.FORWARDING_DROPPED else list(cells.PLACES))
        assert why_not(first) is None


def test_a_tenth_is_drawn_alike_for_a_day() -> None:
    found = matrix()
    first, again, other = (drawn(found, 0.1, seed) for seed in ("2026-11-23", "2026-11-23", "2026-11-24"))
    assert first == again != other
    assert len(first) == 29
    assert first == [cell for cell in found if cell in first]


def test_the_table_says_what_each_cell_said() -> None:
    def cell(place: str, fault: str = cells.GUARDIAN_KILLED, plane: str = cells.ROUTE) -> FaultCell:
        return FaultCell(plane, cells.BY_HAND, cells.CG, place, fault)

    results = [
        Result(cell("source"), OK, flow=flow((2.98, 3.5))),
        Result(cell("relay"), SLOW, "slower than direct for 3.1 s", flow=flow((2.98, 6.0))),
        Result(cell("destination"), HUNG, flow=flow((2.98, 10.0))),
        Result(cell("source", plane=cells.RELAYED), UNTESTED, "the relay plane has no guardian"),
    ]
    text = report.markdown(report.document(results, {}, None))
    assert "| guardian killed | source | 0.52 s |" in text
    assert "| guardian killed | relay | slow |" in text
    assert "| guardian killed | destination | hung |" in text
    assert "| guardian killed | source | [1] |" in text
    assert "[1] not tested: the relay plane has no guardian" in text
    assert report.failed(results) and not report.failed(results[:1])
    assert report.failed([Result(cell("source"), FAILED, "no traffic within 20 s")])
    assert report.summary(results) == "1 ok, 1 slow, 1 hung, 1 not tested"


def test_the_table_says_what_else_was_wrong() -> None:
    def said(result: Result) -> str:
        (line,) = [
            line for line in report.markdown(report.document([result], {}, None)).splitlines() if marked in line
        ][:1]
        return line.split("|")[3].strip()

    marked = "| agent killed | source |"
    later = flow((2.98, 3.7), (6.0, 7.5))
    assert said(Result(HURT, LATE, flow=later)) == "0.72 s, later 1.52 s, late"
    assert said(Result(HURT, OK, flow=flow((6.0, 6.5)))) == "0, later 0.52 s"
    assert said(Result(HURT, HUNG, flow=later, stopped=False)) == "hung, SIGTERM ignored"
    assert said(Result(HURT, ENDED, left=["h0: process cg"])) == "ended, left behind"
    assert said(Result(HURT, LEFT, left=["h0: process cg"])) == "left behind"


def test_what_ends_a_cell_badly_fails() -> None:
    assert not report.failed([Result(HURT, OK), Result(HURT, UNTESTED)])
    for status in (LATE, SLOW, HUNG, ENDED, WRONG, LEFT, FAILED):
        assert report.failed([Result(HURT, OK), Result(HURT, status)])
    assert report.failed([Result(HURT, OK, stopped=False)])
    assert report.failed([Result(HURT, LATE, left=["h0: process cg"])])


@pytest.mark.parametrize(
    ("cell", "hung", "code", "verified", "seen", "status"),
    [
        (HURT, False, 0, True, flow((2.98, 3.7)), OK),
        (HURT, False, 0, True, flow((2.98, 4.2)), LATE),
        (HURT, False, 0, True, flow((6.0, 7.5)), LATE),
        (HURT, False, 0, True, flow((6.0, 8.5)), SLOW),
        (HURT, True, None, None, flow((2.98, 10.0)), HUNG),
        (HURT, False, 1, None, None, ENDED),  # right after the fault: it did not end too soon, it was ended
        (HURT, False, 0, False, None, WRONG),
        (HURT, False, 0, True, None, FAILED),
        (KILLED, False, -9, True, flow(), OK),
        (RANK_KILLED, False, 137, None, None, OK),
        (RANK_KILLED, False, 0, True, None, WRONG),
        (RANK_KILLED, False, 1, None, None, WRONG),  # that is fairlead's own
        (RANK_KILLED, True, None, None, None, HUNG),
    ],
)
def test_the_program_is_judged_before_its_traffic(
    cell: FaultCell, hung: bool, code: int | None, verified: bool | None, seen: recovery.Flow | None, status: str
) -> None:
    result = Result(cell, OK, target_s=1.0, flow=seen, verified=verified)
    assert trial.status(result, hung=hung, code=code)[0] == status


AUTOMATIC = FaultCell(cells.ROUTE, cells.AUTOMATIC, cells.CG, cells.RELAY, cells.GUARDIAN_KILLED)


@pytest.mark.parametrize(
    ("time_s", "why"),
    [
        (7.2 + 0.3 * 7.2 + 2.1, ""),
        (16.8, "it took 16.8 s instead of 7.2 s, of which the fault explains 2.1 s"),
    ],
)
def test_a_program_that_stays_on_its_congested_path_is_slow_though_that_is_as_fast_as_direct(
    time_s: float, why: str
) -> None:
    result = Result(AUTOMATIC, OK, target_s=1.0, flow=flow(), verified=True)
    result.time_s, result.unhurt_s, result.explained_s = time_s, 7.2, 2.1
    assert trial.status(result, hung=False, code=0) == (SLOW if why else OK, why)
    result.status, result.why = trial.status(result, hung=False, code=0)
    assert f"took {time_s:.1f} s, unhurt 7.2 s" in report.line(result)
    row = report.document([result], {}, None)["cells"][0]
    assert (row["time_s"], row["unhurt_s"], row["explained_s"]) == (time_s, 7.2, 2.1)
    table = report.markdown(report.document([result], {}, None))
    assert ("| guardian killed | relay |  | slow (+9.6 s) |" in table) is bool(why)


def test_what_a_program_takes_unhurt_depends_on_where_it_may_be() -> None:
    usual = Direct(time_s={cells.CG: 48.0}, unhurt_s={(cells.ROUTE, cells.CG): 7.0})

    def unhurt_s(cell: FaultCell, jobs: int = 1) -> float:
        judged = Trial(cast(Hosts, SimpleNamespace()), usual, Path("none.toml"), cell)
        judged.jobs = [cast(trial.Job, None)] * jobs
        return judged._unhurt_s() / injections.length(cell)

    assert unhurt_s(AUTOMATIC) == pytest.approx(7.0)
    assert unhurt_s(AUTOMATIC, jobs=2) == pytest.approx(14.0)
    assert unhurt_s(HURT) == pytest.approx(48.0)  # on a quiet network the direct path is none to be left
    killed = FaultCell(cells.ROUTE, cells.AUTOMATIC, cells.CG, "", cells.SUPERVISOR_KILLED)
    assert unhurt_s(killed) == pytest.approx(48.0)


def test_an_unhurt_run_is_as_long_as_the_shortest_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[tuple[list[str], list[str]]] = []

    def start(_cluster: Path, options: list[str], words: list[str], _directory: Path) -> Any:
        started.append((options, words))
        return nullcontext(FakeRun(False))

    monkeypatch.setattr(unhurt, "watched", lambda *_: nullcontext(None))
    monkeypatch.setattr(runs, "started", start)
    monkeypatch.setattr(direct, "flowing", lambda *_: 100.0)
    monkeypatch.setattr(direct, "end", lambda *_: None)
    monkeypatch.setattr(direct, "last_progress_s", lambda _: 109.6)
    usual = Direct(iterations={cells.CG: 50})
    hosts = SimpleNamespace(cluster_file=Path("none.toml"), directory=Path("/nowhere"))
    unhurt.measure(cast(Hosts, hosts), usual, FaultCell(cells.RELAYED, cells.AUTOMATIC, cells.CG, "", cells.TWO_JOBS))
    assert started == [(["--plane", "relay"], programs.command(cells.CG, 80))]
    assert usual.unhurt_s == {(cells.RELAYED, cells.CG): pytest.approx(6.0)}


def test_where_nobody_reroutes_any_more_later_pauses_are_those_of_the_direct_path() -> None:
    result = Result(KILLED, OK, target_s=1.0, flow=flow((6.0, 7.5)), verified=True)
    assert trial.status(result, hung=False, code=-9)[0] == LATE
    result.later_target_s = 1.8
    assert trial.status(result, hung=False, code=-9)[0] == OK
    result.flow = flow((2.98, 4.5))
    assert trial.status(result, hung=False, code=-9)[0] == LATE


def test_a_second_try_hides_nothing_but_times() -> None:
    slow, late, fine, left = (Result(HURT, status, load=6.0) for status in (SLOW, LATE, OK, LEFT))
    assert counted(slow, late) is counted(late, slow) is late
    assert counted(slow, fine) is fine
    assert counted(slow, left) is left
    assert left.other_try == "slow, load 6.0"
    assert "[other try: slow, load 6.0]" in report.line(left)


def test_what_others_may_have_disturbed_and_what_was_not_brought_about_is_run_once_more() -> None:
    assert again(Result(HURT, SLOW, load=50.0))
    assert not again(Result(HURT, SLOW, load=0.5))
    assert not again(Result(HURT, HUNG, load=50.0))
    failed = Result(HURT, FAILED, "the pair was not rerouted")
    assert again(failed)
    assert not again(Result(HURT, FAILED, left=["a process"]))
    slow = Result(HURT, SLOW)
    assert counted(failed, slow) is slow


def test_cells_that_their_shared_run_leaves_open_are_run_alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    source, relay, destination = (replace(HURT, fault=cells.CLOCK_STEPPED, place=place) for place in cells.PLACES)
    tries: list[tuple[FaultCell, ...]] = []

    def answered(*results: Result) -> list[Result]:
        tries.clear()

        def try_them(_: Matrix, *these: FaultCell) -> list[Result]:
            tries.append(these)
            return list(results) if len(these) > 1 else [Result(these[0], OK)]

        monkeypatch.setattr(Matrix, "_trial", try_them)
        return list(Matrix(tmp_path, lambda _: None).run([source, relay, destination]))

    found = answered(Result(source, OK), Result(relay, LATE))
    assert [(result.cell, result.status) for result in found] == [(source, OK), (relay, OK), (destination, OK)]
    assert [result.other_try for result in found] == ["", "late, in a run with others", ""]
    assert tries == [(source, relay, destination), (relay,), (destination,)]
    hung = answered(*(Result(cell, HUNG) for cell in (source, relay, destination)))
    assert [result.status for result in hung] == [HUNG] * 3  # no second try hides that
    assert len(tries) == 1
    ignored = answered(*(Result(cell, FAILED, stopped=False) for cell in (source, relay, destination)))
    assert [result.status for result in ignored] == [FAILED] * 3


def test_the_cells_of_a_shared_run_are_judged_by_what_came_before_the_next_fault(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    source, relay, destination = (replace(HURT, fault=cells.CLOCK_STEPPED, place=place) for place in cells.PLACES)
    samples = [(0.02 * tick, int(RATE_BPS * 0.02 * min(tick, max(300, tick - 75)))) for tick in range(751)]
    faults_s = iter((3.0, 6.0))
    hurt: list[str] = []

    def start(judged: Trial, _: object) -> None:
        run = SimpleNamespace(told=[], stopped=None, verdict=lambda: SimpleNamespace(verified=True))
        judged.jobs = [trial.Job("", cast(Traffic, SimpleNamespace(samples=samples)), cast(runs.Run, run))]

    def wait_for_the_reroute(_: Trial, course: trial._Course) -> tuple[str, runs.Run]:
        if len(hurt) == 2:
            raise runs.EndedError("the run ended before the fault")
        course.rerouted_s = 1.5 + 3.0 * len(hurt)
        return "h3", cast(runs.Run, None)

    def hurt_it(_: Trial, scene: injections.Scene, course: trial._Course) -> None:
        hurt.append(scene.host)
        course.fault_s = next(faults_s)
        course.undo_s = course.fault_s + 1.0

    def end(_: Trial, job: trial.Job) -> None:
        job.code = 0

    monkeypatch.setattr(direct, "flowing", lambda *_: 0.5)
    monkeypatch.setattr(direct, "last_progress_s", lambda _: 15.0)
    monkeypatch.setattr(runs, "noted", list)
    for name, replacement in {
        "_start": start,
        "_wait_for_the_reroute": wait_for_the_reroute,
        "_hurt": hurt_it,
        "_wait_for_the_end": end,
        "left": lambda *_: [],
    }.items():
        monkeypatch.setattr(Trial, name, replacement)
    usual = Direct(
        time_s={cells.CG: 6.0},
        rate_Bps={cells.CG: RATE_BPS},
        gap_s={cells.CG: 0.0},
        unhurt_s={(cells.ROUTE, cells.CG): 6.0},
    )
    shared = Trial(cast(Hosts, SimpleNamespace()), usual, Path("none.toml"), source, relay, destination)
    first, second = shared.run()  # it did not last for the third
    assert hurt == ["h0", "h3"]
    assert (first.cell, first.status) == (source, OK)
    assert first.flow is not None and first.flow.pause_s == 0
    assert (second.cell, second.status) == (relay, LATE)
    assert second.flow is not None and second.flow.recovery_s == pytest.approx(1.52, abs=0.05)


@pytest.mark.parametrize(("plane", "enough"), [(cells.ROUTE, True), (cells.RELAYED, False)])
def test_jobs_of_one_user_share_the_reroutes_of_the_route_plane(
    plane: str, enough: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second one's traffic takes the detour of the first, so it has no reason to reroute."""
    monkeypatch.setattr(trial, "REROUTED_LIMIT_S", 0.0)
    monkeypatch.setattr(direct, "WARM_UP_S", 0.0)
    one, two = (
        SimpleNamespace(alive=lambda: True, relay_of=lambda *_, relay=relay: relay, text=lambda: "")
        for relay in ("h2", None)
    )
    cell = replace(HURT, plane=plane, place="", fault=cells.TWO_JOBS)
    judged = Trial(cast(Hosts, None), cast(Direct, None), Path("none.toml"), cell)
    judged.jobs = [trial.Job("", cast(Traffic, None), cast(runs.Run, run)) for run in (one, two)]
    course = trial._Course()
    if enough:
        assert judged._wait_for_the_reroute(course) == ("h2", one)
    else:
        with pytest.raises(MeasurementError, match="not rerouted within"):
            judged._wait_for_the_reroute(course)


def test_both_of_two_jobs_know_the_characterization(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def characterize(words: list[str], **_: object) -> SimpleNamespace:
        results = Path(words[words.index("--results") + 1])
        results.mkdir(exist_ok=True)
        (results / "results.sqlite").write_text("characterized")
        return SimpleNamespace(returncode=0)

    (tmp_path / runs.OTHER_RESULTS).mkdir()  # of two jobs that were rerouted manually
    (tmp_path / runs.OTHER_RESULTS / "results.sqlite").write_text("not characterized")
    monkeypatch.setattr(subprocess, "run", characterize)
    hosts = SimpleNamespace(cluster_file=tmp_path / "faults.cluster.toml")
    Matrix(tmp_path, lambda _: None)._characterize(cast(Hosts, hosts))
    for name in (runs.RESULTS, runs.OTHER_RESULTS):
        assert (tmp_path / name / "results.sqlite").read_text() == "characterized"


def test_of_two_jobs_the_worse_counts() -> None:
    fine, paused, hung = Result(HURT, OK, flow=flow()), Result(HURT, OK, flow=flow((2.98, 3.7))), Result(HURT, HUNG)
    assert trial.worst([fine, paused]) is trial.worst([paused, fine]) is paused
    assert trial.worst([hung, paused]) is hung


class FakeRun:
    """A run that says nothing."""

    def __init__(self, alive: bool) -> None:
        self._alive = alive

    def alive(self) -> bool:
        return self._alive

    def text(self) -> str:
        return ""


@pytest.mark.parametrize(("alive", "error"), [(True, runs.HungError), (False, runs.EndedError)])
def test_runs_without_traffic_hang_or_are_ended(alive: bool, error: type[MeasurementError]) -> None:
    silent = SimpleNamespace(total_B=lambda: 0)
    with pytest.raises(error):
        direct.flowing(cast(Traffic, silent), cast(runs.Run, FakeRun(alive)), 0.0)


class FakeHosts:
    """Hosts that have something for some looks, or until they are cleaned."""

    ALIVE = True
    directory = Path("/nowhere")

    def __init__(self, looks: int) -> None:
        self.looks = looks
        self.lab = SimpleNamespace(is_alive=lambda: self.ALIVE)

    def left_behind(self) -> list[str]:
        self.looks -= 1
        return ["h2: device fl-1"] if self.looks >= 0 else []


def tried(monkeypatch: pytest.MonkeyPatch, cell: FaultCell, looks: int, fails: Exception, notes: list[str]) -> Result:
    """What a cell says that fails before its fault; `fairlead clean` would clean everything."""
    hosts = FakeHosts(looks)

    def run(_: Trial, __: object) -> Result:
        notes.append("runtime file new.json")
        raise fails

    def clean() -> None:
        hosts.looks = 0
        notes.remove("runtime file new.json")

    monkeypatch.setattr(trial, "CLEAN_LIMIT_S", 0.05)
    monkeypatch.setattr(Trial, "_run", run)
    monkeypatch.setattr(runs, "noted", lambda: list(notes))
    monkeypatch.setattr(runs, "clean", clean)
    (result,) = Trial(cast(Hosts, hosts), Direct(), Path("none.toml"), cell).run()
    return result


def test_what_was_left_is_looked_for_before_it_is_cleaned(monkeypatch: pytest.MonkeyPatch) -> None:
    def said(cell: FaultCell, looks: int) -> tuple[str, list[str]]:
        result = tried(monkeypatch, cell, looks, MeasurementError("it was not rerouted"), ["runtime file old.json"])
        return result.status, result.left

    assert said(KILLED, 10**9) == (LEFT, ["h2: device fl-1"])
    assert said(KILLED, 1) == (FAILED, [])  # it went by itself; the note of a killed run goes by cleaning
    assert said(HURT, 0) == (LEFT, ["runtime file new.json"])


def test_in_a_lab_that_has_ended_nothing_can_be_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FakeHosts, "ALIVE", False)
    result = tried(monkeypatch, KILLED, 0, MeasurementError("it was not rerouted"), [])
    assert (result.status, result.left) == (LEFT, ["what is left could not be looked at: the lab has ended"])


FILTER = """
table inet faults {
	chain input {
		type filter hook input priority filter; policy accept;
		udp dport 20000-29999 counter packets %d bytes 1450 drop
	}
	chain output {
		type filter hook output priority filter; policy accept;
		udp dport 20000-29999 counter packets %d bytes 0 drop
	}
}
"""


class FakeFilter:
    """Hosts of which one has a packet filter."""

    def __init__(self, incoming: int, outgoing: int) -> None:
        self.lab = SimpleNamespace(is_alive=lambda: True)
        self.scripts: list[str] = []
        self._listed = FILTER % (incoming, outgoing)

    def run(self, _node: str, script: str) -> str:
        self.scripts.append(script)
        return self._listed

    def address(self, host: str) -> str:
        return {"h0": "10.0.0.1"}[host]


def test_a_packet_filter_that_drops_nothing_is_no_fault() -> None:
    def taken_back(fault: str, host: str, incoming: int, outgoing: int) -> list[str]:
        hosts = FakeFilter(incoming, outgoing)
        scene = injections.Scene(cast(Hosts, hosts), host, cells.ROUTE, cast(runs.Run, None))
        _, undo = injections.make(fault, scene)
        assert undo is not None
        undo()
        return hosts.scripts

    for incoming, outgoing in ((3, 0), (0, 1), (2, 2)):
        made, undone = taken_back(cells.PORT_BLOCKED, "h1", incoming, outgoing)
        assert made.count("udp dport 20000-29999 counter drop") == 2
        assert undone.endswith("nft delete table inet faults")
    faults = (cells.PORT_BLOCKED, cells.SUPERVISOR_CUT_OFF, cells.DIRECT_CUT)
    for fault, host in (*((fault, "h1") for fault in faults), (cells.FORWARDING_DROPPED, "h2")):
        with pytest.raises(MeasurementError, match=f"the packet filter on {host} met nothing to drop"):
            taken_back(fault, host, 0, 0)
    assert len(taken_back(cells.FORWARDING_DROPPED, "h0", 0, 0)) == 2  # an end of the pair forwards nothing


def test_a_cut_direct_path_lets_through_what_comes_by_a_detour() -> None:
    hosts = FakeFilter(3, 0)
    scene = injections.Scene(cast(Hosts, hosts), "h1", cells.ROUTE, cast(runs.Run, None))
    injections.make(cells.DIRECT_CUT, scene)
    assert 'hook input priority 0; iifname != "fl-*" ip saddr 10.0.0.1 counter drop;' in hosts.scripts[0]
    assert "output" not in hosts.scripts[0]


def test_agent_and_guardian_of_a_host_are_killed_together(monkeypatch: pytest.MonkeyPatch) -> None:
    pids = {("h2", "fairlead-agent"): 7, ("h2", "fairlead-guardian"): 8}
    killed: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "kill", lambda pid, number: killed.append((pid, number)))
    hosts = SimpleNamespace(process=lambda host, name: pids[host, name])
    scene = injections.Scene(cast(Hosts, hosts), "h2", cells.ROUTE, cast(runs.Run, None))
    _, undo = injections.make(cells.BOTH_KILLED, scene)
    assert undo is None
    assert sorted(killed) == [(7, signal.SIGKILL), (8, signal.SIGKILL)]


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (runs.HungError("no traffic"), HUNG),
        (runs.EndedError("it ended"), ENDED),
        (MeasurementError("it was not rerouted"), FAILED),
        (subprocess.TimeoutExpired("nft", 5), FAILED),
        (subprocess.CalledProcessError(1, "nft"), FAILED),
    ],
)
def test_one_cells_error_is_that_cells(monkeypatch: pytest.MonkeyPatch, error: Exception, status: str) -> None:
    result = tried(monkeypatch, KILLED, 0, error, [])
    assert result.status == status
    assert report.failed([result])


@pytest.mark.parametrize(("handler", "stopped"), [("SIG_DFL", True), ("SIG_IGN", False)])
def test_a_run_is_asked_to_end_and_says_whether_it_did(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, handler: str, stopped: bool
) -> None:
    script = f"import signal, sys; signal.signal(15, signal.{handler}); print('up', file=sys.stderr, flush=True)"
    process = subprocess.Popen([sys.executable, "-c", f"{script}; signal.pause()"], stderr=subprocess.PIPE, text=True)
    run = runs.Run(process, tmp_path / "output")
    assert runs.wait_for(run.text, 60.0)
    if not stopped:
        monkeypatch.setattr(runs, "END_S", 0.2)
    monkeypatch.setattr(runs, "clean", lambda: pytest.fail("what it left is not looked for yet"))
    run.stop()
    assert run.stopped is stopped
    assert process.returncode == -(signal.SIGTERM if stopped else signal.SIGKILL)


def test_sockets_are_told_apart_by_the_environment_of_their_owners() -> None:
    script = "import os, socket; held = socket.socket(); print(os.fstat(held.fileno()).st_ino, flush=True); input()"
    child = subprocess.Popen(
        [sys.executable, "-c", script],
        env={**os.environ, trial.JOB: "hurt job"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    theirs = int(child.stdout.readline())
    with socket.socket() as own:
        ours = os.fstat(own.fileno()).st_ino
        owned = Owned(f"{trial.JOB}=hurt job")
        assert (owned.has(theirs), owned.has(ours), owned.has(0)) == (True, False, False)
        assert Owned(f"{trial.JOB}=hurt").has(theirs) is False
        assert Owned("").has(ours)
    child.communicate()


def test_every_program_lasts_until_its_fault_is_taken_back() -> None:
    for cell in matrix():
        assert injections.length(cell) * programs.LENGTH_S > injections.hold_s(cell) + 2 * direct.WARM_UP_S, cell
    for sharing in cells.together(matrix()):
        count, cell = len(sharing), sharing[0]
        lasts_s = injections.length(cell, count) * programs.LENGTH_S
        assert lasts_s > count * (injections.hold_s(cell) + direct.WARM_UP_S) + direct.WARM_UP_S, cell


def test_a_silent_end_may_stay_slow_for_as_long_as_with_tcp_alone() -> None:
    silent = FaultCell(cells.RELAYED, cells.BY_HAND, cells.CG, cells.DESTINATION, cells.HOST_SILENT)
    seen = flow((2.98, 5.5))
    slow = Result(silent, OK, target_s=3.0, flow=seen, verified=True)
    assert trial.status(slow, hung=False, code=0)[0] == SLOW
    usual = Result(silent, OK, target_s=3.0, slow_limit_s=3.5, flow=seen, verified=True)
    assert trial.status(usual, hung=False, code=0)[0] == OK
    longest_s = max(seen.pause_s, seen.slow_s)
    just = Result(silent, OK, target_s=3.0, slow_limit_s=longest_s - 1e-9, flow=seen, verified=True)
    assert trial.status(just, hung=False, code=0)[0] == OK


@pytest.mark.parametrize(("alone_s", "slow_alone_s", "limit_s"), [(3.2, 3.4, 5.0), (4.4, 5.3, 5.8)])
def test_traffic_to_a_silent_end_that_flows_again_in_time_is_not_slow(
    alone_s: float, slow_alone_s: float, limit_s: float
) -> None:
    """A silence of 2 s: TCP may wait for 4 s, and a look takes half a second, in which it was slow."""
    usual = Direct(
        silent_s={(cells.RING, cells.DESTINATION): alone_s},
        silent_slow_s={(cells.RING, cells.DESTINATION): slow_alone_s},
    )
    silent = FaultCell(cells.ROUTE, cells.BY_HAND, cells.RING, cells.DESTINATION, cells.HOST_SILENT)
    judged = Trial(cast(Hosts, SimpleNamespace()), usual, Path("none.toml"), silent)
    assert judged._slow_limit_of_silence_s() == pytest.approx(limit_s)
    relay = FaultCell(cells.ROUTE, cells.BY_HAND, cells.RING, cells.RELAY, cells.HOST_SILENT)
    assert Trial(cast(Hosts, SimpleNamespace()), usual, Path("none.toml"), relay)._slow_limit_of_silence_s() == 0.0


def test_silent_supervisors_are_so_for_longer_than_a_lease() -> None:
    for fault in (cells.SUPERVISOR_SILENT, cells.SUPERVISOR_CUT_OFF):
        cell = FaultCell(cells.ROUTE, cells.BY_HAND, cells.CG, "", fault)
        assert injections.hold_s(cell) >= LEASE_S + 5.0
        assert injections.length(cell) * programs.LENGTH_S > injections.hold_s(cell) + 2 * direct.WARM_UP_S


@pytest.mark.parametrize("words", [["--share", "-3"], ["--share", "0"], ["--share", "2"], ["--share", "nan"]])
def test_shares_that_are_none_are_refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command_line.main([*words, "--list"])
    assert "is not above 0 and at most 1" in capsys.readouterr().err


def test_the_document_is_written_from_results_and_says_of_which(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--results", str(tmp_path), "--docs", str(tmp_path / "faults.md")]
    assert command_line.main(words) == 1
    assert "run the matrix first" in capsys.readouterr().err
    usual = {"congested": {"gap_s": {"cg": 0.126}}}
    found: dict[str, Any] = report.document([Result(HURT, OK, flow=flow((2.98, 3.7)))], usual, "2026-11-23", 3420.0)
    (tmp_path / "faults.json").write_text(json.dumps(found))
    assert command_line.main(words) == 0
    text = (tmp_path / "faults.md").read_text()
    assert "drawn by the seed 2026-11-23" in text
    assert "without a fault: cg 0.13 s." in text
    assert "All cells together took 57 minutes." in text
    assert "| agent killed | source | 0.72 s |  |" in text
    assert text.count("\n| ") == 2 and "## Relay plane" not in text  # what was not run has no rows


def test_cells_that_are_run_again_replace_their_own_results_only() -> None:
    usual: dict[str, Any] = {"free": {}}
    earlier = report.document(
        [Result(HURT, SLOW, "slower", flow=flow((2.98, 7.7))), Result(KILLED, OK, flow=flow())], usual, None, 3420.0
    )
    found = report.renewed(earlier, report.document([Result(HURT, OK, flow=flow((2.98, 3.7)))], usual, None, 30.0))
    assert [(row["name"], row["status"]) for row in found["cells"]] == [(HURT.name, OK), (KILLED.name, OK)]
    assert found["took_s"] == 3420.0
    assert "Cells run again last: 1, " in report.markdown(found)
    with pytest.raises(ConfigError, match=r"of version 0, not of "):
        report.renewed({**earlier, "version": "0"}, earlier)


def test_cells_that_are_run_later_join_those_that_were_there() -> None:
    earlier = report.document([Result(KILLED, OK, flow=flow())], {}, None)
    found = report.renewed(earlier, report.document([Result(HURT, OK, flow=flow())], {}, None))
    assert [row["name"] for row in found["cells"]] == [HURT.name, KILLED.name]


def test_results_of_other_sources_of_the_same_version_are_told_as_older() -> None:
    def of(revision: str | None, *tested: FaultCell) -> dict[str, Any]:
        return report.document([Result(cell, OK, flow=flow()) for cell in tested], {}, None, revision=revision)

    newest = of("b0b0b0b0b0b0", HURT)
    assert "Sources: b0b0b0b0b0b0.\n" in report.markdown(newest)
    mixed = report.markdown(report.renewed(of("a0a0a0a0a0a0", HURT, KILLED), newest))
    assert "Sources: b0b0b0b0b0b0; 1 of the cells are of older ones: a0a0a0a0a0a0.\n" in mixed
    before = of(None, HURT, KILLED)
    before["cells"] = [{key: value for key, value in row.items() if key != "revision"} for row in before["cells"]]
    del before["revision"]
    assert "Sources: " not in report.markdown(before)
    assert "; 1 of the cells are of older ones: unknown.\n" in report.markdown(report.renewed(before, newest))


def test_sources_are_known_by_the_commit_that_changed_them(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        identity = ("-c", "user.name=a", "-c", "user.email=a@localhost")
        subprocess.run(["git", "-C", tmp_path, *identity, *words], check=True, capture_output=True)

    def write(name: str, text: str) -> None:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    write("src/a.py", "1")
    alone = sources.revision(tmp_path)
    assert alone == sources.digest(tmp_path)
    for folder in sources.TESTED:
        write(f"{folder}/kept", "")
    git("init")
    git("add", "-A")
    git("commit", "-m", "sources")
    first = sources.revision(tmp_path)
    assert "+" not in first
    write("docs/faults.md", "a table")
    git("add", "-A")
    git("commit", "-m", "a document")
    assert sources.revision(tmp_path) == first
    write("src/a.py", "2")
    second = sources.revision(tmp_path)
    write("src/a.py", "3")
    assert first != second != sources.revision(tmp_path) != first
    assert second.startswith(f"{first}+")


def test_figures_are_the_worst_and_the_median_of_a_plane() -> None:
    asked = fault_recovery.chosen(cells.ROUTE, quick=False)
    assert len(asked) == 10 * 3 - 2
    assert len(fault_recovery.chosen(cells.RELAYED, quick=True)) == 6
    ends_s = (3.5, 3.7, 6.0)
    results = [Result(cell, OK, flow=flow((2.98, end_s))) for cell, end_s in zip(asked, ends_s, strict=False)]
    worst, median = fault_recovery.figures(cells.ROUTE, results)
    assert (worst.name, median.name) == ("fault.recovery.route.worst", "fault.recovery.route.median")
    assert (worst.value, median.value) == (pytest.approx(3.02, abs=0.03), pytest.approx(0.72, abs=0.03))
    assert worst.met is False and worst.target == 1.0
    ended = [*results[:2], Result(asked[2], ENDED, "exit code 1")]
    worst, median = fault_recovery.figures(cells.ROUTE, ended)
    assert (worst.value, worst.met, worst.n) == (None, False, 3)
    assert median.value == pytest.approx(0.72, abs=0.03)
    unmeasured = [*results[:2], Result(asked[2], FAILED, "the fault could not be made")]
    worst, median = fault_recovery.figures(cells.ROUTE, unmeasured)
    assert (worst.value, worst.met, worst.n) == (None, False, 3)
    assert median.value == pytest.approx(0.72, abs=0.03)
    later = [*results[:2], Result(asked[2], SLOW, flow=flow((2.98, 3.3), (6.0, 8.5)))]
    worst, _ = fault_recovery.figures(cells.ROUTE, later)
    assert (worst.value, worst.met) == (pytest.approx(2.52, abs=0.03), False)
