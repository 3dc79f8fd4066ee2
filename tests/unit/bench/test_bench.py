"""What benchmarks compute and parse; the measurements themselves are `make bench`."""

import json
import math
import re
import struct
import subprocess
import sys
import time
from pathlib import Path

import pytest
from bench import hpcc_rank, shims
from bench.agents import backlog
from bench.agents.onset import Onset
from bench.agents.probes import difference
from bench.detours import Detours, Steps
from bench.figures import AT_LEAST, AT_MOST, Figure, median_figure
from bench.gains import bundled_runs, knowledge, multipath, sockets
from bench.simulated import drawn, oracle, sensitivity, thesis
from bench.summary import Summary

from fairlead import native, programs
from fairlead.errors import ConfigError, MeasurementError
from fairlead.lab.topology import LabHost

from ..agent_events import event

HPCC = """
Begin of MPIRandomAccess section.
Real time used = 5.223544 seconds
Verification:  Real time used = 0.139649 seconds
Found 8 errors in 1048576 locations (passed).
End of MPIRandomAccess section.
Begin of MPIRandomAccess_LCG section.
Real time used = 4.987267 seconds
Found 0 errors in 1048576 locations (passed).
End of MPIRandomAccess_LCG section.
Begin of PTRANS section.
TIME   M     N    MB  NB  P   Q     TIME   CHECK   GB/s   RESID
WALL   600   600  40  40   2   4     0.03 PASSED    0.109  0.00
CPU    600   600  40  40   2   4     0.00 PASSED    0.680  0.00
WALL   600   600  40  40   2   4     0.02 PASSED    0.100  0.00
    0 tests completed and failed residual checks.
End of PTRANS section.
Begin of MPIFFT section.
Generation time:     0.000
Computing:     0.035
Inverse FFT:     0.030
End of MPIFFT section.
"""


def test_a_target_is_met_or_not() -> None:
    assert Figure("a", 0.9, "1", 3, 0.9, AT_LEAST).met is True
    assert Figure("a", 0.91, "1", 3, 0.9, AT_MOST).met is False
    assert Figure("a", 0.91, "1", 3).met is None
    assert Figure("a", None, "1", 0, 0.9).met is False, "what could not be measured meets nothing"


def test_what_never_came_counts_in_the_median() -> None:
    figure = median_figure("a", [1.0, 2.0, math.inf], "s")
    assert (figure.value, figure.n, figure.interval) == (2.0, 3, None)
    assert median_figure("a", [1.0, math.inf, math.inf], "s").value is None
    assert median_figure("a", [], "s").value is None
    whole = median_figure("a", [1.0, 2.0, 3.0], "s")
    assert whole.value == 2.0
    assert whole.interval is not None


def test_summary_replaces_by_name_and_keeps_other_groups(tmp_path: Path) -> None:
    path = tmp_path / "summary.json"
    Summary(path).put("other", Figure("x", 1.0, "s", 1), quick=False)
    summary = Summary(path)
    summary.put("own", Figure("a", 1.0, "s", 1), quick=True)
    summary.put("own", Figure("b", 2.0, "s", 1), quick=True)
    summary.put("own", Figure("a", 3.0, "s", 1), quick=False)
    summary.drop_others("own", {"a"})
    rows = json.loads(path.read_text())
    assert [(row["name"], row["value"], row["quick"]) for row in rows] == [("x", 1.0, False), ("a", 3.0, False)]
    assert {"name", "value", "unit", "target", "met", "n", "interval"} <= set(rows[0])


@pytest.mark.parametrize("text", ["{", "{}", '[{"name": "a"}]'])
def test_a_broken_summary_is_told(tmp_path: Path, text: str) -> None:
    path = tmp_path / "summary.json"
    path.write_text(text)
    with pytest.raises(ConfigError, match=r"summary\.json"):
        Summary(path)


def test_hpcc_parts() -> None:
    parts_s = hpcc_rank.parts_s(HPCC)
    assert parts_s == pytest.approx(
        {"MPIRandomAccess": 5.223544, "MPIRandomAccess_LCG": 4.987267, "PTRANS": 0.05, "MPIFFT": 0.065}
    )
    assert hpcc_rank.verified(HPCC)
    assert not hpcc_rank.verified(HPCC.replace("    0 tests", "    1 tests"))
    assert not hpcc_rank.verified(HPCC.replace("(passed)", "(failed)"))


def test_hpcc_cut_short_gives_no_time() -> None:
    with pytest.raises(ValueError, match="MPIFFT"):
        hpcc_rank.parts_s(HPCC[: HPCC.index("End of MPIFFT")])


def test_connections() -> None:
    plain = sockets.parse(
        '0 0 10.64.0.1:1024 10.64.1.1:35872 users:(("cg",pid=7,fd=19)) cubic wscale:7,7 bytes_acked:1200 segs_out:9'
    )
    assert plain == sockets.Connection("10.64.0.1", "10.64.1.1", "cg", False, 1200)
    subflow = sockets.parse("0 0 10.66.0.1:50000 10.64.1.1:1024 cubic bytes_acked:300 tcp-ulp-mptcp flags:Jec")
    assert (subflow.process, subflow.subflow) == ("", True)
    inside = sockets.Connection("127.0.0.1", "127.0.0.1", "cg", False, 0)
    assert sockets.per_pair([plain, plain, subflow, *[inside] * 3], "cg") == 2
    assert sockets.acked_B([plain, subflow]) == 300
    assert sockets.acked_B([plain, subflow], network=multipath.NETWORK) == 300
    with pytest.raises(MeasurementError, match="nonsense"):
        sockets.parse("nonsense")


def test_multipath_relays_are_on_a_third_leaf() -> None:
    hosts = [LabHost(f"h{i}", f"10.64.{i // 2}.{i % 2 + 1}", "compute", 1, i // 2) for i in range(8)]
    for source in range(8):
        for destination in range(8):
            relay = multipath.relay_of(hosts, source, destination)
            assert relay == multipath.relay_of(hosts, destination, source)
            if source // 2 == destination // 2:
                assert relay is None
            else:
                assert relay is not None
                assert hosts[relay].leaf not in (hosts[source].leaf, hosts[destination].leaf)


def test_netlink_attribute() -> None:
    data = struct.pack("=HH", 6, 5) + b"\1\2\0\0" + struct.pack("=HHI", 8, 7, 42)
    assert backlog.attribute(data, 7) == struct.pack("=I", 42)
    with pytest.raises(ValueError, match="attribute 9"):
        backlog.attribute(data, 9)


def test_detours_know_who_is_away() -> None:
    detours = Detours(["h0", "h1", "h2"])
    detours(0, event("rerouted", relay=2, suspected_t_s=4.9, confirmed_t_s=4.96, decided_t_s=4.97, t_s=5.0))
    detours(0, event("level_changed", congestion_level="high"))
    assert not detours.wait_until_home(0.0)
    steps = Steps(("h0", "h1"), suspected_s=4.9, confirmed_s=4.96, decided_s=4.97, rerouted_s=5.0)
    assert detours.first_reroute(4.0, lambda pair: pair == ("h0", "h1"), 0.0) == steps
    assert detours.first_reroute(4.0, lambda pair: pair == ("h1", "h0"), 0.0) is None
    assert detours.first_reroute(5.5, lambda pair: True, 0.0) is None
    detours(0, event("restored"))
    assert detours.wait_until_home(0.0)


def test_an_onset_says_where_the_time_goes() -> None:
    steps = Steps(("h0", "h1"), suspected_s=4.9, confirmed_s=4.96, decided_s=4.97, rerouted_s=5.0)
    onset = Onset(("leaf0", "leaf1"), 4.8, steps)
    expected = {"suspected": 0.1, "confirmed": 0.16, "decided": 0.17, "rerouted": 0.2}
    assert onset.until_s() == pytest.approx(expected)
    assert onset.reaction_s == pytest.approx(0.2)
    assert Onset(("leaf0", "leaf1"), 4.8, None).until_s() == {}


def test_difference_of_probes() -> None:
    others = [{"a": 1.0}, {"a": 2.0}, {"a": 4.0}]
    own = [{"a": 0.99 * each["a"]} for each in others]
    figure = difference("probes", own, others, "a")
    assert figure.value == pytest.approx(0.01)
    assert figure.interval == pytest.approx((0.01, 0.01))


def test_the_library_of_the_wrapped_calls_has_what_libfairlead_needs() -> None:
    symbols = ["nm", "--dynamic", "--undefined-only", str(native.library("libfairlead-mpich.so"))]
    lines = subprocess.run(symbols, capture_output=True, text=True, check=True).stdout.splitlines()
    needed = {line.split()[-1] for line in lines if " U PMPI_" in line}  # weak ones may be missing
    stub = (Path(shims.__file__).parent / "mpi_stub.c").read_text()
    there = set(re.findall(r"FUNCTION\(MPI_(\w+)", stub)) | set(re.findall(r"NEVER\((\w+)\)", stub))
    assert len(needed) > 40
    assert needed - {f"PMPI_{name}" for name in there} == set()


def test_shares_have_a_target_where_there_is_something_to_gain() -> None:
    def found(plain_s: float, managed_s: float, oracle_s: float, share: float | None) -> dict[str, object]:
        return {"plain_s": plain_s, "managed_s": managed_s, "oracle": {"makespan_s": oracle_s}, "share_of_gain": share}

    share, regret = oracle.figures("x", [found(4.0, 2.5, 2.0, 0.75), found(4.0, 2.2, 2.0, 0.9), found(4.0, 3, 2, 0.5)])
    assert (share.name, share.value, share.met) == ("oracle.share.x", 0.75, False)
    assert (regret.name, regret.value) == ("oracle.regret.x", 0.25)
    little, _ = oracle.figures("x", [found(4.0, 4.0, 3.7, 0.0)])
    assert little.target is None
    nothing, _ = oracle.figures("x", [found(4.0, 4.0, 4.0, None)])
    assert nothing.value is None


def test_congestion_of_the_oracle_comes_and_goes() -> None:
    bursts = oracle.scenario("cg", "bursts", 3)["congestion"]
    assert bursts[0]["periods_s"][:2] == [[0.5, 0.7], [0.9, pytest.approx(1.1)]]
    assert (bursts[1]["from"], bursts[1]["to"]) == ("n1", "n0")
    assert oracle.scenario("cg", "steady", 3)["congestion"][0]["periods_s"] == [[0.5, 60.5]]


def test_cases_of_the_thesis() -> None:
    found = [{"clean_s": 2.0, "plain_s": 4.0, "managed_s": 3.0, "oracle": {"makespan_s": 2.5}}]
    rows = {figure.name: (figure.value, figure.met) for figure in thesis.figures("x", found)}
    expected = {"thesis.slowdown.x": (2.0, None), "thesis.managed.x": (0.75, True), "thesis.oracle.x": (0.625, None)}
    assert rows == expected
    random_program = thesis.scenario("cg", "mpi", 3)["congestion"]
    assert random_program == thesis.scenario("nbody", "mpi", 3)["congestion"]
    later_s = sorted(start for each in random_program if each["from"] != "n0" for start, _ in each["periods_s"])
    assert later_s[:3] == [thesis.MOVES_S, thesis.MOVES_S + 0.5, thesis.MOVES_S + 1.0], "one pair at a time"
    narrow = thesis.scenario("cg", "mpi", 3, 0.1)
    assert {each["message_B"] for each in random_program} == {thesis.MESSAGE_B}
    assert narrow["congestion"] == [{**each, "message_B": 26_214} for each in random_program], "each takes as long"
    assert narrow["topology"]["trunk"] == {"rate_bps": 20e6, "queue_s": 0.020, "delay_s": 30e-6}
    assert narrow["programs"][0]["pattern"]["iterations"] == 60
    there, back = thesis.scenario("cg", "delay", 3)["congestion"]
    assert (there["from"], there["to"], there["kind"]) == (back["to"], back["from"], "delay")


def test_a_benchmark_that_is_told_to_end_takes_away_what_it_made(tmp_path: Path) -> None:
    made = tmp_path / "made"
    code = f"""
import sys, time
from pathlib import Path
from bench import run

def measure(session):
    made = Path({str(made)!r})
    made.touch()
    try:
        time.sleep(60)
        yield
    finally:
        made.unlink()

run.GROUPS = {{"idle": measure}}
sys.argv[1:] = ["--results", {str(tmp_path / "results")!r}]
sys.exit(run.main())
"""
    process = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, cwd=Path(__file__).parents[3])
    while not made.exists():
        assert process.poll() is None
        time.sleep(0.05)
    process.terminate()
    assert b"interrupted" in process.communicate(timeout=20)[1]
    assert process.returncode == 130
    assert not made.exists()


def test_a_program_that_hangs_after_it_has_told_its_result_is_waited_for_briefly(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bundled_runs, "FINALIZE_S", 0.5)
    told = 'print(\'{"program":"cg","seconds":2.5,"verified":true}\', flush=True)'
    hung = subprocess.Popen([sys.executable, "-c", f"{told}; import time; time.sleep(60)"], stdout=subprocess.PIPE)
    begin_s = time.monotonic()
    with pytest.raises(subprocess.TimeoutExpired):
        bundled_runs.until_its_end(hung)
    assert time.monotonic() - begin_s < 20
    hung.kill()
    assert programs.verdict(hung.communicate()[0]).timed_s == 2.5


def test_cases_are_drawn_by_seed_and_number() -> None:
    cases = [drawn.draw(1, number) for number in range(100)]
    assert cases[7] == drawn.draw(1, 7)
    assert cases[7] != drawn.draw(2, 7)
    assert {case.pattern for case in cases} == set(drawn.IN_TURN)
    assert {case.kind for case in cases} == set(drawn.KINDS)
    for case in cases:
        there, back = case.scenario["congestion"]
        assert (there["from"], there["to"]) == (back["to"], back["from"])
        starts = [start for start, _ in there["periods_s"]]
        ends = [end for _, end in there["periods_s"]]
        assert starts[0] == drawn.ONSET_S
        assert all(start < end for start, end in zip(starts, ends, strict=True))
        assert all(end < start for end, start in zip(ends, starts[1:], strict=False))


def test_settings_are_halved_and_doubled_within_their_range() -> None:
    limits = {"min": 0.0, "max": 1.0, "whole": False}
    assert sensitivity.values({"default": 0.3, **limits}) == [0.15, 0.6]
    assert sensitivity.values({"default": 0.8, **limits}) == [0.4, 1.0]
    assert sensitivity.values({"default": 3, "min": 1, "max": 100, "whole": True}) == [2, 6]


def test_a_change_is_that_of_the_geometric_mean() -> None:
    assert sensitivity.change([2.0, 2.0], [1.0, 4.0]) == pytest.approx(0.0)
    assert sensitivity.change([1.1, 2.2], [1.0, 2.0]) == pytest.approx(0.1)


def test_figures_of_what_is_known_compare_with_unmanaged_runs() -> None:
    found = {
        "unmanaged": knowledge.Times([10.0, 10.0], [20.0, 22.0]),
        "learning": knowledge.Times([10.2, 10.4], [15.0, 16.0], clean_reroutes=1),
        "known": knowledge.Times([10.0, 10.0], [12.0, 12.4]),
        "characterized": knowledge.Times([10.1, 10.1], [11.0, 11.2]),
    }
    figures = {figure.name: figure for figure in knowledge.figures(found)}
    assert figures["knowledge.overhead.learning"].value == pytest.approx(1.03, abs=1e-3)
    assert figures["knowledge.recovered.learning"].value == pytest.approx(0.5)
    assert figures["knowledge.recovered.known"].value == pytest.approx(0.8)
    assert figures["knowledge.recovered.characterized"].met
    assert figures["knowledge.clean_reroutes.learning"].met is False
    assert figures["knowledge.clean_reroutes.known"].met
