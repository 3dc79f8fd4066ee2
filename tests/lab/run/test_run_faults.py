"""``fairlead run`` while its parts are killed, and while others want to disturb it."""

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from managed_runs import (
    PROGRAM,
    REROUTED,
    Command,
    assert_all_gone,
    assert_unharmed,
    cluster_file,
    finish,
    hit,
    kernel_state,
    nothing_left,
    once,
    overlay,
    processes,
    rerouted_routes,
    run,
    states,
    talking,
    traffic,
    wait_for,
)

from fairlead import lab as labs
from fairlead.agents.group import LEASE_S
from fairlead.protocol.reasons import PROGRAM_ENDED

pytestmark = [
    pytest.mark.root,
    pytest.mark.mpi,
    pytest.mark.skipif(os.geteuid() != 0, reason="kernel state is looked at as root"),
]
AWAY = "h0→h1 rerouted over h2"
BACK = "h0→h1 back on its direct path"


@pytest.fixture
def cluster(lab: labs.Lab, tmp_path: Path) -> Iterator[Path]:
    """The cluster file; a test that leaves something on the hosts fails, and the next one does not find it."""
    path = cluster_file(lab, tmp_path)
    yield path
    assert_all_gone(lab, path)


def test_a_killed_agent_takes_its_routes_along_and_nothing_else(lab: labs.Lab, cluster: Path, tmp_path: Path) -> None:
    with run(cluster, *REROUTED, program=traffic(), results=tmp_path) as command:
        talking(lab)
        assert rerouted_routes(lab, "h0")
        wait_for(lambda: states()[0]["detours"] == {"h0→h1": "h2"}, "the state, written twice a second", 2)
        hit(lab, "h0", "fairlead-agent")
        assert wait_for(lambda: not rerouted_routes(lab, "h0"), "the routes' end") < 2
        command.wait_to_hear("the agent of h0 died; its traffic takes the direct paths")
        assert kernel_state(lab, "h1")["device"]
        assert_unharmed(lab, command)
    (died,) = command.events("died")
    assert died.data["host"] == "h0"


@pytest.mark.slow
def test_a_killed_agent_is_started_again_and_reroutes_as_it_did(lab: labs.Lab, cluster: Path, tmp_path: Path) -> None:
    with run(cluster, *REROUTED, program=traffic(), results=tmp_path) as command:
        talking(lab)
        hit(lab, "h0", "fairlead-agent")
        command.wait_to_hear("the agent of h0 is running again")
        wait_for(lambda: command.text().count(AWAY) == 2, "the manual reroute, made again")
        assert rerouted_routes(lab, "h0") and kernel_state(lab, "h0")["device"]
        wait_for(lambda: states()[0]["detours"] == {"h0→h1": "h2"}, "the state, written twice a second", 2)
        # The others take it for what it is: they answer it as a relay, and it them.
        hit(lab, "h2", "fairlead-agent")
        command.wait_to_hear(BACK)
        command.wait_to_hear("the agent of h2 is running again")
        assert_unharmed(lab, command)
    restarted = [event.data for event in command.events("restarted")]
    assert [(data["host"], data["attempt"], data["plane"]) for data in restarted] == [
        ("h0", 1, "route"),
        ("h2", 1, "route"),
    ]
    assert command.events("rejected") == []
    assert nothing_left(lab)


def test_a_killed_relay_sends_traffic_back_to_the_direct_path(lab: labs.Lab, cluster: Path, tmp_path: Path) -> None:
    with run(cluster, *REROUTED, program=traffic(), results=tmp_path) as command:
        talking(lab)
        killed_s = hit(lab, "h2", "fairlead-agent")
        command.wait_to_hear(BACK)
        (told_s,) = [at_s for at_s, line in command.told if BACK in line]
        assert told_s - killed_s < 3  # 1 s by design
        wait_for(lambda: command.text().count(AWAY) == 2, "the manual reroute, made again over the relay's new agent")
        assert rerouted_routes(lab, "h0")
        assert_unharmed(lab, command)
    order = [event.kind for event in command.record()[1] if event.kind in ("rerouted", "restored", "restarted")]
    # The new agent may be there before the source has missed four heartbeats of the old one.
    assert (order[0], sorted(order[1:3]), order[3]) == ("rerouted", ["restarted", "restored"], "rerouted")
    assert command.events("restored")[0].data["reason"] in ("relay_dead", "relay_revoked")


def test_a_killed_guardian_is_cleaned_up_after_while_the_program_runs(
    lab: labs.Lab, cluster: Path, tmp_path: Path
) -> None:
    with run(cluster, *REROUTED, program=traffic(), results=tmp_path) as command:
        talking(lab)
        before = overlay(lab, "h0")
        hit(lab, "h0", "fairlead-guardian")
        # There may be nothing for half a second only: then a new agent comes with a new guardian.
        assert wait_for(lambda: overlay(lab, "h0") != before, "the end of what the guardian left") < 5
        assert processes(lab, "h0", PROGRAM)
        assert kernel_state(lab, "h1")["device"] and kernel_state(lab, "h2")["device"]
        wait_for(lambda: command.text().count(AWAY) == 2, "the manual reroute, made again", 10)
        assert overlay(lab, "h0") not in (before, None)
        assert processes(lab, "h0", PROGRAM) and processes(lab, "h0", "fairlead-agent")
        assert rerouted_routes(lab, "h0") and kernel_state(lab, "h0")["device"]
        assert_unharmed(lab, command)
    assert command.heard("h0 can no longer reroute traffic: the guardian has ended")
    assert command.heard("h0: the agent was ended: its guardian is gone, and it starts again with a new one")
    (lost,) = command.events("plane_lost")
    (cleaned,) = command.events("plane_cleaned")
    (restarted,) = command.events("restarted")
    restored, *later = command.events("restored")
    assert lost.data["host"] == cleaned.data["host"] == restarted.data["host"] == "h0"
    assert {"device", "filter", "route", "rule"} <= {each["kind"] for each in cleaned.data["removed"]}
    assert restored.data["reason"] == "plane_lost"
    assert restarted.data["plane"] == "route"
    assert {event.data["reason"] for event in later} <= PROGRAM_ENDED


@pytest.mark.slow
def test_an_agent_that_was_stopped_for_longer_than_its_lease_joins_again(
    lab: labs.Lab, cluster: Path, tmp_path: Path
) -> None:
    with run(cluster, *REROUTED, program=traffic(), results=tmp_path) as command:
        talking(lab)
        (agent,) = processes(lab, "h0", "fairlead-agent")
        os.kill(agent, signal.SIGSTOP)
        try:
            wait_for(lambda: not rerouted_routes(lab, "h0"), "the end of its reroutes by its guardian", LEASE_S + 3)
        finally:
            os.kill(agent, signal.SIGCONT)
        wait_for(lambda: command.text().count(AWAY) == 2, "the manual reroute, made again", 5)
        assert rerouted_routes(lab, "h0") and kernel_state(lab, "h0")["device"]
        assert processes(lab, "h0", "fairlead-agent") != [agent]
        assert_unharmed(lab, command)
    (restarted,) = command.events("restarted")
    assert (restarted.data["host"], restarted.data["plane"]) == ("h0", "route")
    assert command.events("rejected") == []
    assert nothing_left(lab)


def test_a_host_that_loses_guardian_and_agent_has_new_ones_and_is_clean_after_the_run(
    lab: labs.Lab, cluster: Path, tmp_path: Path
) -> None:
    with run(cluster, *REROUTED, program=traffic(), results=tmp_path) as command:
        talking(lab)
        (agent,), (guardian,) = (processes(lab, "h2", name) for name in ("fairlead-agent", "fairlead-guardian"))
        os.kill(guardian, signal.SIGKILL)
        os.kill(agent, signal.SIGKILL)
        command.wait_to_hear("the agent of h2 died")
        command.wait_to_hear("the agent of h2 is running again")
        assert len(kernel_state(lab, "h2")["device"]) == 1
        assert_unharmed(lab, command)
    assert kernel_state(lab, "h2") == {}
    (restarted,) = command.events("restarted")
    assert restarted.data["plane"] == "route"


def test_a_disk_that_fills_up_ends_the_record_and_not_the_run(lab: labs.Lab, cluster: Path, tmp_path: Path) -> None:
    results = tmp_path / "small"
    results.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", results], check=True)
    try:
        with run(cluster, *REROUTED, program=traffic(), results=results) as command:
            talking(lab)
            fill(results)
            hit(lab, "h2", "fairlead-agent")  # something to record
            command.wait_to_hear(f"the program continues, but its record has gaps: {results}/")
            finish(lab)
            assert command.end() == 0, command.text()
            command.wait_to_hear(f"the record of this run is incomplete: {results}/")
            assert "KiB left; make room and run it again" in command.text()
            assert "Traceback" not in command.text()
        (results / "filler").unlink()
        assert command.record()[0].status == "interrupted"  # nobody takes it for a finished one
    finally:
        subprocess.run(["umount", results], check=True)


def fill(directory: Path) -> None:
    """Leave no room in a file system."""
    with pytest.raises(OSError, match="No space left"), (directory / "filler").open("wb", buffering=0) as file:
        for size in (4096, 1):
            while file.write(bytes(size)):
                pass


@pytest.mark.parametrize(
    ("name", "host"), [pytest.param(PROGRAM, "h1", marks=pytest.mark.slow), ("mpirun.openmpi", "h0")]
)
def test_a_killed_program_is_told_by_its_exit_code(
    lab: labs.Lab, cluster: Path, tmp_path: Path, name: str, host: str
) -> None:
    with run(cluster, *REROUTED, program=traffic(), results=tmp_path) as command:
        talking(lab)
        hit(lab, host, name)
        assert command.end() == 137, command.text()
    assert nothing_left(lab)
    ended, _ = command.record()
    assert (ended.status, ended.exit_code) == ("failed", 137)


def test_a_killed_supervisor_leaves_the_program_and_nothing_of_ours(
    lab: labs.Lab, cluster: Path, tmp_path: Path
) -> None:
    with run(cluster, *REROUTED, program=traffic(), results=tmp_path / "first") as command:
        talking(lab)
        command.process.kill()
        command.process.wait()
        wait_for(lambda: not processes(lab, "h0", "fairlead-agent"), "the agents' end", 5)
        wait_for(lambda: not kernel_state(lab, "h0") and not kernel_state(lab, "h2"), "the planes' end", 5)
        assert processes(lab, "h1", PROGRAM)
        (state,) = states()
        assert state["alive"] is False
        assert "dead: its supervisor is gone" in once("status").stdout
        with run(cluster, *REROUTED, program=traffic(0.5, seed=2), results=tmp_path / "second") as second:
            assert second.end() == 0, second.text()
            assert any("verification passed" in line for line in second.output)
        finish(lab)
        wait_for(lambda: not processes(lab, "h1", PROGRAM), "the first program's own end")
        wait_for(lambda: verified(command), "its result, by way of mpirun")
    assert command.record()[0].status == "interrupted"
    assert once("clean").stdout == f"forgot dead run {state['job']}\n"
    assert states() == []


def test_the_program_goes_on_when_all_of_ours_are_killed_where_it_was_started(
    lab: labs.Lab, cluster: Path, tmp_path: Path
) -> None:
    """As `pkill -9 fairlead` does there; the other hosts' agents end in order and take their overlays down."""
    with run(cluster, *REROUTED, program=traffic(), results=tmp_path) as command:
        talking(lab)
        assert rerouted_routes(lab, "h0")
        command.process.send_signal(signal.SIGSTOP)  # it shall not clean
        for name in ("fairlead-guardian", "fairlead-agent"):
            hit(lab, "h0", name)
        command.process.kill()
        command.process.wait()
        wait_for(lambda: not kernel_state(lab, "h1") and not kernel_state(lab, "h2"), "the other planes' end", 5)
        wait_for(lambda: not rerouted_routes(lab, "h0"), "the end of reroutes that nobody watches", 2)
        assert all(processes(lab, host, PROGRAM) for host in ("h0", "h1", "h2"))
        finish(lab)
        wait_for(lambda: not processes(lab, "h1", PROGRAM), "the program's own end", 30)
        wait_for(lambda: verified(command), "its result, by way of mpirun")
    assert once("clean").returncode == 0
    assert not kernel_state(lab, "h0")


def verified(command: Command) -> bool:
    """Whether its program has said that its result is right; nobody waits for that if the supervisor was killed."""
    return any("verification passed" in line for line in command.output)


def test_clean_removes_what_is_left_when_all_of_ours_are_killed(lab: labs.Lab, cluster: Path, tmp_path: Path) -> None:
    with run(cluster, *REROUTED, program=traffic(), results=tmp_path) as command:
        talking(lab)
        command.process.send_signal(signal.SIGSTOP)  # it shall not clean
        for name in ("fairlead-guardian", "fairlead-agent"):
            for host in ("h0", "h1", "h2"):
                hit(lab, host, name)
        command.process.kill()
        command.process.wait()
        wait_for(lambda: not rerouted_routes(lab, "h0"), "the end of reroutes that nobody watches", 2)
        hosts = ("h0", "h1", "h2")
        wait_for(lambda: not any(processes(lab, host, "route-keeper") for host in hosts), "the keepers' end", 5)
        finish(lab)
    before = {host: kernel_state(lab, host) for host in ("h0", "h1", "h2")}
    assert all(state["device"] and state["rule"] and state["filter"] for state in before.values())
    would = once("clean", "--dry-run").stdout
    assert "h2: would remove" in would
    assert {host: kernel_state(lab, host) for host in ("h0", "h1", "h2")} == before
    done = once("clean")
    assert done.returncode == 0
    removed = [line for line in done.stdout.splitlines() if ": removed {" in line]
    assert len(removed) == len(would.splitlines()) > 3 * 9  # of each host: device, filter, six rules, routes
    assert done.stdout.splitlines()[-1] == f"forgot dead run {job_of(before['h0'])}"
    assert not any(kernel_state(lab, host) for host in ("h0", "h1", "h2"))
    assert once("clean").stdout == "nothing to clean\n"


def job_of(state: dict[str, list[str]]) -> str:
    (device,) = state["device"]
    return device.removeprefix("fl-")


def test_two_jobs_at_once_do_not_touch_each_other(lab: labs.Lab, cluster: Path, tmp_path: Path) -> None:
    with (
        run(cluster, *REROUTED, program=traffic(seed=1), results=tmp_path / "short") as short,
        run(cluster, *REROUTED, program=traffic(seed=2), results=tmp_path / "long") as long,
    ):
        short.wait_to_hear(AWAY)
        long.wait_to_hear(AWAY)
        jobs = {str(state["job"]) for state in states()}
        assert len(jobs) == 2
        for host in ("h0", "h1", "h2"):
            state = kernel_state(lab, host)
            assert set(state["device"]) == {f"fl-{job}" for job in jobs}
            assert len(state["filter"]) == 2
        assert_unharmed(lab, short, seed=1)
        (state,) = states()
        for host in ("h0", "h1", "h2"):
            assert kernel_state(lab, host)["device"] == [f"fl-{state['job']}"]
        assert len(rerouted_routes(lab, "h0")) == 1
        assert_unharmed(lab, long, seed=2)
    assert {event.data["reason"] for event in long.events("restored")} <= PROGRAM_ENDED
    assert long.events("rejected") == [] == short.events("rejected")


NOISE = """
import os, socket, sys
address, port = sys.argv[1], int(sys.argv[2])
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for size in (0, 3, 40, 200, 1400):
    udp.sendto(os.urandom(size), (address, port))
tcp = socket.create_connection((address, port))
try:
    tcp.sendall(os.urandom(5000))
    while tcp.recv(4096):
        pass
except ConnectionError:
    pass
"""


def refused(command: Command) -> tuple[int, int]:
    """Datagrams and connections, so far recorded."""
    rejected = [event.data for event in command.events("rejected")]
    return sum(data["datagrams"] for data in rejected), sum(data["connections"] for data in rejected)


def test_strangers_are_refused_and_recorded(lab: labs.Lab, cluster: Path, tmp_path: Path) -> None:
    with run(cluster, *REROUTED, program=traffic(), results=tmp_path) as command:
        talking(lab)
        listening = subprocess.run(
            lab.enter_command("h1", ["ss", "-Hnltp"]), capture_output=True, text=True, check=True
        ).stdout
        (port,) = [line.split()[3].rpartition(":")[2] for line in listening.splitlines() if "fairlead-agent" in line]
        neighbour = next(host.name for host in lab.plan.hosts if host.role == "other")
        for host in (neighbour, "h2"):  # one that is not of the job, and one whose address is
            noise = ["python3", "-c", NOISE, lab.plan.host_by_name["h1"].address, port]
            subprocess.run(lab.enter_command(host, noise), check=True, timeout=30)
        assert rerouted_routes(lab, "h0")
        wait_for(lambda: refused(command) == (10, 2), "the reports of all that was refused")
        assert_unharmed(lab, command)
    assert command.heard("h1 rejected")
    assert refused(command) == (10, 2)
    assert {event.data["host"] for event in command.events("rejected")} == {"h1"}
    (restored,) = command.events("restored")
    assert restored.data["reason"] in PROGRAM_ENDED
