"""``fairlead run --plane relay``: the messages of a rerouted pair go through the agents, and agents may die."""

import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import mpi_libraries
import numpy as np
import pytest
from managed_runs import REROUTED, Command, cluster_file, finish, mesh, nothing_left, processes, run, traffic, wait_for
from mpi_libraries import EACH_FAMILY, LIBRARIES, Mpi

from fairlead import lab as labs
from fairlead import native, programs
from fairlead.cluster.cluster_file import load_cluster
from fairlead.profile import record

from ...mpi.relay.test_collectives import PROGRAM as COLLECTIVES
from ...mpi.relay.test_collectives import results
from ...mpi.relay.test_semantics import CASES, NOT_ZERO, PROGRAM

pytestmark = [pytest.mark.userns, pytest.mark.mpi]
SOURCES = Path(__file__).parent / "sources"
RELAYED = ["--plane", "relay", *REROUTED]
RANKS = ["h0", "h1", "h2", "h3"]
# Of six hosts, two relay for the four that have ranks: h4 what even ones send, h5 what odd ones do.
EVERY_PAIR = [
    word
    for source in RANKS
    for destination in RANKS
    if source != destination
    for word in ("--reroute", f"{source}:{destination}:{'h4' if source in ('h0', 'h2') else 'h5'}")
]
# Who dies, one after another: a relay; a destination's agent of what the other one still carries; a source's.
VICTIMS = ("h4", "h0", "h1")
# All programs with one family, and some of them with each other one. MPICH 4.0 can hang in MPI_Finalize between hosts,
# with or without fairlead (docs/guides/clusters.md).
MANY_FAMILIES = [
    pytest.param(each, id=each.name, marks=() if each is LIBRARIES[0] else pytest.mark.drawn)
    for each in LIBRARIES
    if each.abi != "standard" and each.name != "mpich4"
]
LONG_ENOUGH = {
    "cg": ["--class", "S", "--iterations", "400"],
    "nbody": ["--particles", "2048", "--payload", "64", "--steps", "1200"],
    "lu": ["--class", "S", "--iterations", "2500"],
    "mg": ["--class", "W", "--iterations", "200"],
}


def carried(command: Command, host: str) -> dict[str, int]:
    """What a host's agent last said of frames, and its ranks of messages."""
    told = [event.data["relay"] for event in command.events("stats") if event.data["host"] == host]
    return {**told[-1], **told[-1]["ranks"]}


def relayed(command: Command, host: str) -> int:
    """How many messages a host's ranks have said to have relayed so far."""
    told = [event.data["relay"]["ranks"] for event in command.events("stats") if event.data["host"] == host]
    return int(told[-1]["relayed"]) if told else 0


def test_messages_of_a_rerouted_pair_are_relayed(lab: labs.Lab, tmp_path: Path) -> None:
    with run(cluster_file(lab, tmp_path), *RELAYED, program=traffic(), results=tmp_path) as command:
        wait_for(lambda: processes(lab, "h0", "random-traffic"), "the ranks' start")
        wait_for(lambda: relayed(command, "h0"), "relayed messages", 20)
        finish(lab)
        assert command.end() == 0, command.text()
    assert command.record()[0].status == "ok"
    assert len(command.events("rerouted")) == 1
    source, relay = carried(command, "h0"), carried(command, "h2")
    assert source["relayed"] > 0
    assert relay["passed"] >= source["relayed"]
    assert relay["relayed"] == 0
    assert command.heard(f", {source['relayed']} messages relayed")
    assert nothing_left(lab)


@pytest.mark.slow
def test_a_message_leaves_also_if_its_sender_leaves_mpi(lab: labs.Lab, tmp_path: Path) -> None:
    program = tmp_path / "send_and_sleep"
    subprocess.run(["mpicc.openmpi", "-O2", "-o", program, SOURCES / "send_and_sleep.c"], check=True)
    with run(cluster_file(lab, tmp_path), *RELAYED, program=[str(program)], results=tmp_path) as command:
        assert command.end() == 0, command.text()
    assert carried(command, "h0")["relayed"] >= 3
    under_way_s = [float(found) for found in re.findall(r"under way (.*) s", "".join(command.output))]
    assert len(under_way_s) == 3
    assert sorted(under_way_s)[1] < 1, under_way_s


@pytest.mark.slow
def test_a_fast_producer_fills_no_memory(lab: labs.Lab, tmp_path: Path) -> None:
    """A million messages for one that takes none for a while: what is sent and not delivered is bounded."""
    program = tmp_path / "produce"
    subprocess.run(["mpicc.openmpi", "-O2", "-o", program, SOURCES / "produce.c"], check=True)
    argv = [str(program), "200000", "2048"]
    with run(cluster_file(lab, tmp_path), *RELAYED, program=argv, results=tmp_path) as command:
        assert command.end(280) == 0, command.text()
    assert carried(command, "h0")["relayed"] > 180_000
    grown_MiB = [int(found) for found in re.findall(r"grown by (\d+) MiB", "".join(command.output))]
    assert len(grown_MiB) == 2
    assert max(grown_MiB) < 150, grown_MiB  # 390 MiB of payload alone


@pytest.mark.slow
def test_copies_for_all_receivers_together_are_bounded(lab: labs.Lab, tmp_path: Path) -> None:
    """Ten ranks that take nothing, of 32 MiB for each: all are sent 256 MiB, and what one of them lets in by itself."""
    program = tmp_path / "hold"
    subprocess.run(["mpicc.openmpi", "-O2", "-o", program, SOURCES / "hold.c"], check=True)
    argv = [str(program), "5", str(tmp_path / "go")]
    options = ["--plane", "relay", "--no-detection", "-n", "15", "--reroute", "h0:h1:h2", "--reroute", "h0:h2:h1"]
    with run(cluster_file(lab, tmp_path), *options, program=argv, results=tmp_path) as command:
        assert command.end(280) == 0, command.text()
    (said,) = re.findall(r"(\d+) at once, grown by (\d+) MiB", "".join(command.output))
    at_once, grown_MiB = map(int, said)
    held = (256 << 20) // (32768 + 512)
    with_credit = 10 * 32
    assert held <= at_once <= held + with_credit, "ten times 32 MiB would be 10080"
    assert carried(command, "h0")["relayed"] >= at_once
    assert grown_MiB < 300


@pytest.mark.slow
def test_the_plane_is_chosen_by_what_hosts_can(lab: labs.Lab, tmp_path: Path, unprivileged: str) -> None:
    cluster = cluster_file(lab, tmp_path)
    with run(cluster, *REROUTED, program=traffic(1), results=tmp_path, FAIRLEAD_NATIVE_DIR=unprivileged) as command:
        assert command.end() == 0, command.text()
    assert command.heard("plane: relay, by the agents, because the guardian cannot set routes on 3 of 3 hosts (h0: ")
    assert carried(command, "h2")["passed"] > 0
    with run(cluster, *REROUTED, program=traffic(1), results=tmp_path) as command:
        assert command.end() == 0, command.text()
    assert command.heard("plane: route, by kernel routes (the guardian has its privilege on all 3 hosts)")
    assert all("relay" not in event.data for event in command.events("stats"))
    assert nothing_left(lab)


@pytest.mark.slow
@pytest.mark.parametrize("victim", ["h2", "h1", "h0"])  # the relay's agent, the destination's, the source's
def test_a_killed_agent_costs_no_message(lab: labs.Lab, tmp_path: Path, victim: str) -> None:
    with run(cluster_file(lab, tmp_path), *RELAYED, program=traffic(), results=tmp_path) as command:
        wait_for(lambda: processes(lab, "h0", "random-traffic"), "the ranks' start")
        time.sleep(1.5)
        (agent,) = processes(lab, victim, "fairlead-agent")
        os.kill(agent, signal.SIGKILL)
        time.sleep(2)
        finish(lab)
        assert command.end() == 0, command.text()
    assert command.record()[0].status == "ok"
    assert any(event.data["relay"]["ranks"]["relayed"] > 0 for event in command.events("stats"))


@pytest.mark.slow
def test_ranks_join_an_agent_that_is_started_again(lab: labs.Lab, tmp_path: Path) -> None:
    with run(cluster_file(lab, tmp_path), *RELAYED, program=traffic(), results=tmp_path) as command:
        wait_for(lambda: processes(lab, "h0", "random-traffic"), "the ranks' start")
        wait_for(lambda: command.events("stats") and carried(command, "h0")["sent"] > 0, "frames on their way")
        begin_s = time.time()
        for victim in ("h1", "h0"):  # the destination's agent; the source's, whose reroute is made again
            (agent,) = processes(lab, victim, "fairlead-agent")
            os.kill(agent, signal.SIGKILL)
            command.wait_to_hear(f"the agent of {victim} is running again")
            deaths = {str(event.data["host"]): event.t_s for event in command.events("died")}
        assert min(deaths.values()) > begin_s
        # New agents count from zero: ranks have joined them, and each knows where the other's are.
        for victim, died_s in deaths.items():
            wait_for(partial(carried_since, command, victim, died_s), f"frames by {victim}'s new agent", 20)
        assert carried(command, "h2")["passed"] > 0
        finish(lab)
        assert command.end() == 0, command.text()
    assert any("verification passed" in line for line in command.output)


@pytest.mark.slow
def test_what_a_dead_agent_lost_is_sent_again_while_its_sender_is_outside_mpi(lab: labs.Lab, tmp_path: Path) -> None:
    program, meeting = tmp_path / "send_and_wait_outside", tmp_path / "meeting"
    meeting.mkdir()
    source = SOURCES / "send_and_wait_outside.c"
    subprocess.run(["mpicc.openmpi", "-O2", "-o", program, source], check=True)
    argv = [str(program), str(meeting)]
    with run(cluster_file(lab, tmp_path), *RELAYED, program=argv, results=tmp_path) as command:
        wait_for((meeting / "ready").exists, "the sender")
        (agent,) = processes(lab, "h0", "fairlead-agent")
        os.kill(agent, signal.SIGSTOP)  # the message stays in the ring to it
        (meeting / "go").touch()
        wait_for((meeting / "sent").exists, "the message")
        assert not (meeting / "received").exists()
        os.kill(agent, signal.SIGKILL)
        wait_for((meeting / "received").exists, "the message at its receiver", 20)
        assert command.end() == 0, command.text()
    assert carried(command, "h0")["retransmitted"] >= 1
    assert any("received 42" in line for line in command.output)
    assert nothing_left(lab)


def carried_since(command: Command, host: str, since_s: float) -> bool:
    """Whether the agent that a host has since then has sent frames of its ranks, or handed some to them."""
    told = [event for event in command.events("stats") if event.data["host"] == host and event.t_s > since_s]
    return any(event.data["relay"]["sent"] + event.data["relay"]["arrived"] > 0 for event in told)


BLOCKED = """nft -f - <<'END'
table inet blocked {
chain in { type filter hook input priority 0; tcp dport FIRST-LAST drop; tcp sport FIRST-LAST drop; }
}
END"""


@pytest.mark.slow
def test_a_relay_to_which_only_datagrams_get_through_is_left(lab: labs.Lab, tmp_path: Path) -> None:
    file = cluster_file(lab, tmp_path)
    first, last = load_cluster(file).ports
    script = BLOCKED.replace("FIRST", str(first)).replace("LAST", str(last))
    with run(file, *RELAYED, program=traffic(), results=tmp_path) as command:
        wait_for(lambda: processes(lab, "h0", "random-traffic"), "the ranks' start")
        wait_for(lambda: any(each.data["host"] == "h0" for each in command.events("stats")), "an agent's counts", 20)
        wait_for(lambda: carried(command, "h0")["relayed"] > 0, "relayed messages", 20)
        subprocess.run(lab.enter_command("h2", ["sh", "-c", script]), check=True)
        try:
            time.sleep(2.5)
            before = carried(command, "h0")
            wait_for(lambda: carried(command, "h0")["direct"] > before["direct"] + 100, "messages", 20)
            assert carried(command, "h0")["relayed"] == before["relayed"]
        finally:
            subprocess.run(lab.enter_command("h2", ["nft", "delete", "table", "inet", "blocked"]), check=True)
        finish(lab)
        assert command.end() == 0, command.text()
    assert any("verification passed" in line for line in command.output)


@pytest.fixture(scope="module")
def six(private_runtime: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[labs.Lab]:
    """Two hosts on each of three switches."""
    with mesh("relay-six", tmp_path_factory.getbasetemp(), hosts_per_leaf=2) as lab:
        yield lab


def with_environment(argv: list[str], **env: str) -> list[str]:
    """The program as every rank has to run it to see these variables: launchers hand on fairlead's own alone."""
    return ["env", *(f"{name}={value}" for name, value in env.items()), *argv]


def passed(command: Command, host: str) -> int:
    """Frames that a host's agent has said to have passed on so far."""
    told = [event.data["relay"]["passed"] for event in command.events("stats") if event.data["host"] == host]
    return int(told[-1]) if told else 0


def wait_until_passing(command: Command, host: str) -> None:
    before = passed(command, host)
    wait_for(lambda: passed(command, host) > before + 20, f"{host} passing frames on")


def records_of(directory: Path, ranks: int) -> list[record.Record]:
    """What each rank did, by rank; all ended in order."""
    found = sorted((record.read(path) for path in directory.glob("*.record")), key=lambda each: each.rank or 0)
    assert [(each.rank, each.state) for each in found] == [(rank, "finalized") for rank in range(ranks)]
    return found


@pytest.mark.slow
@pytest.mark.parametrize("mpi", MANY_FAMILIES)
@pytest.mark.parametrize("program", LONG_ENOUGH)
def test_agents_die_one_after_another(six: labs.Lab, tmp_path: Path, program: str, mpi: Mpi) -> None:
    """Every message that a rank sent was received by the one that it was for, once; and the result is verified."""
    kept = tmp_path / "records"
    kept.mkdir()
    options = ["--plane", "relay", "--no-detection", "-n", str(len(RANKS)), *EVERY_PAIR]
    path = str(native.mpi_program(mpi.need().family, program))
    argv = with_environment([path, *LONG_ENOUGH[program]], FAIRLEAD_PROFILE=str(kept))
    cluster = cluster_file(six, tmp_path, "mpirun.openmpi", mpi.mpirun)
    with run(cluster, *options, program=argv, results=tmp_path) as command:
        wait_for(lambda: processes(six, "h0", program), "the ranks' start")
        wait_until_passing(command, "h4")
        for victim in VICTIMS:
            wait_until_passing(command, "h5")
            (agent,) = processes(six, victim, "fairlead-agent")
            os.kill(agent, signal.SIGKILL)
        assert command.end(100) == 0, command.text()
    assert programs.verdict("\n".join(command.output).encode()).verified is True
    ranks = records_of(kept, len(RANKS))
    for unit in ("messages", "B"):
        sent = np.array([getattr(each.messages, f"sent_{unit}") for each in ranks])[:, : len(RANKS)]
        received = np.array([getattr(each.messages, f"received_{unit}") for each in ranks])[:, : len(RANKS)]
        assert (sent == received.T).all()
    counts = {name: sum(each.relay[name] for each in ranks) for name in NOT_ZERO}
    assert counts["relayed"] > 0
    assert counts["retransmitted"] > 0 or program == "lu"  # of which no agent may have had a message when it died
    assert counts["direct"] + counts["relayed"] == sum(int(each.messages.sent_messages.sum()) for each in ranks)
    assert {event.data["host"] for event in command.events("died")} == set(VICTIMS)


@pytest.mark.slow
@pytest.mark.parametrize("mpi", EACH_FAMILY, ids=lambda each: each.name)
@pytest.mark.parametrize("seed", [None, 31], ids=["rerouted", "chaos"])
def test_semantics_through_agents(lab: labs.Lab, tmp_path: Path, mpi: Mpi, seed: int | None) -> None:
    """Every case of MPI's semantics between hosts, with messages that agents carry over a third one."""
    program = mpi.need().compile(PROGRAM, tmp_path / "semantics", "-w")
    kept = tmp_path / "records"
    kept.mkdir()
    env = {"FAIRLEAD_PROFILE": str(kept), "MPIR_CVAR_CH4_NETMOD": "ofi"}
    env |= {"FAIRLEAD_CHAOS": str(seed)} if seed is not None else {}
    env |= {"FILES_IN": str(tmp_path)}
    # Between hosts, Debian's Open MPI 4.1 makes no windows over TCP, without the plane neither.
    # MPICH alone does not end many unexpected messages, nor with the plane until those are rerouted.
    windows = {
        "windows", "windows of copies", "windows beside messages", "windows again", "freed inside", "wrong starts",
    }  # fmt: skip
    left_out = windows if mpi.family == "openmpi" else {"unwanted", "very many"}
    cases = [each for each in CASES if each not in left_out]
    argv = with_environment([str(program), "1", *cases], **env)
    cluster = cluster_file(lab, tmp_path, "mpirun.openmpi", mpi.mpirun)
    options = ["--plane", "relay", "--no-detection", "-n", "3"]
    for source, destination, relay in ((0, 1, 2), (1, 0, 2), (1, 2, 0), (2, 0, 1)):
        options += ["--reroute", f"h{source}:h{destination}:h{relay}"]
    with (
        mpi_libraries.no_leftovers(),
        run(cluster, *options, program=argv, results=tmp_path) as command,
    ):
        assert command.end(100) == 0, command.text()
    assert [line.strip() for line in command.output] == cases
    ranks = records_of(kept, 3)
    counts = {name: sum(each.relay[name] for each in ranks) for name in NOT_ZERO}
    # Without chaos, nothing is lost on the way: nothing need be sent again, and what comes is seldom held.
    used = NOT_ZERO if seed is not None else {"direct", "relayed", "takeovers", "pulled", "waited"}
    # docs/explanation/relay-plane.md: nothing is cancelled there, and less is relayed beside native messages.
    if mpi.name == "mpich5":
        used = used - {"cancelled", "cancel_failed", "held"}
        assert counts["cancelled"] + counts["cancel_failed"] == 0
    assert {name for name in used if counts[name] == 0} == set()
    assert all(passed(command, host) > 0 for host in ("h0", "h1", "h2"))
    assert nothing_left(lab)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [None, 32], ids=["rerouted", "chaos"])
def test_collectives_beside_relayed_messages(lab: labs.Lab, tmp_path: Path, seed: int | None) -> None:
    """They give the same as without the plane."""
    mpi = LIBRARIES[0].need()
    program = mpi.compile(COLLECTIVES, tmp_path / "collectives", "-w", "-DSHORT")
    plain = results(mpi, program, 3, tmp_path / "plain")
    kept = tmp_path / "relayed"
    kept.mkdir()
    argv = [str(program), str(kept)]
    argv = argv if seed is None else with_environment(argv, FAIRLEAD_CHAOS=str(seed))
    options = ["--plane", "relay", "--no-detection", "-n", "3", "--reroute", "h0:h1:h2", "--reroute", "h2:h0:h1"]
    with run(cluster_file(lab, tmp_path), *options, program=argv, results=tmp_path) as command:
        assert command.end(200) == 0, command.text()
    assert [(kept / str(rank)).read_text().splitlines() for rank in range(3)] == plain
    assert passed(command, "h2") > 0
