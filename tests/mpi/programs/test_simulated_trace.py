"""A real program's trace, replayed on a simulated network: the program ends, and the links carried what it sent."""

import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from fairlead import native

pytestmark = pytest.mark.mpi
FAIRLEAD = str(Path(sys.executable).with_name("fairlead"))
ENVELOPE_B = 64
PAYLOAD_B, HEADER_B = 1448, 66
"""Of a full packet (native/sim/include/fairlead/sim/network.hpp)."""
RANKS = 4
SCENARIO = {
    "topology": {
        "kind": "star", "hosts_per_leaf": RANKS, "neighbours_per_leaf": 0,
        "host_link": {"rate_bps": 1e9, "queue_s": 0.01, "delay_s": 1e-5},
    },
    "agents": {"managed": False},
    "programs": [{"trace": "cg.trace"}],
}  # fmt: skip


def computing_s(trace: Path) -> dict[int, float]:
    found: dict[int, float] = defaultdict(float)
    for line in trace.read_text().splitlines()[2:]:
        words = line.split()
        if words[1] == "compute":
            found[int(words[0])] += float(words[2])
    return found


def test_the_replay_of_a_program_carries_what_it_sent(tmp_path: Path) -> None:
    trace, profile, scenario = (tmp_path / name for name in ("cg.trace", "cg.json", "scenario.json"))
    options = ["-n", str(RANKS), "--mpirun", "mpirun.openmpi", "--trace", str(trace), "--json", str(profile)]
    done = subprocess.run([FAIRLEAD, "profile", *options, "--", "cg", "--class", "S"],
                          capture_output=True, text=True, timeout=100)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert f"written: {trace}: 5888 messages and 6 collective operations" in done.stderr
    scenario.write_text(json.dumps(SCENARIO))
    replayed = subprocess.run(
        [native.program("fairlead-sim"), "run", scenario], check=True, capture_output=True, timeout=60
    )
    outcome, told = json.loads(replayed.stdout), json.loads(profile.read_text())
    program = outcome["programs"][0]
    for rank, compute_s in computing_s(trace).items():
        assert program["finished_s"][rank] == pytest.approx(compute_s + program["waiting_s"][rank], abs=1e-4)
    assert program["makespan_s"] == max(program["finished_s"])
    carried_B = {link["from"]: link["carried_B"] for link in outcome["links"] if link["to"] == "switch"}
    for rank in range(RANKS):
        sent_B = sum(told["bytes_B"][rank]) + ENVELOPE_B * sum(told["messages"][rank])
        # Beside the messages: six small collective operations, of at most two rounds with 8 B or a few numbers each;
        # and the header of each packet, of which a message takes one for every 1448 B, and one more at most.
        collectives = 6 * 2 * 2
        packets = sent_B / PAYLOAD_B + 2 * (sum(told["messages"][rank]) + collectives)
        more_B = carried_B[f"h{rank}"] - sent_B
        assert HEADER_B * sent_B / PAYLOAD_B <= more_B <= collectives * (ENVELOPE_B + 64) + HEADER_B * packets
