"""fairlead's own probes against a plain MPI loop and iperf3, alternating within one launch."""

import json
import random
import secrets
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import numpy as np

from bench import laboratory
from bench.figures import AT_MOST, Figure
from bench.laboratory import Network
from bench.session import Session
from fairlead import native
from fairlead.agents.agent_thread import AgentThread
from fairlead.agents.events import EventThread
from fairlead.agents.group import AgentGroup
from fairlead.cluster.jobs import launch
from fairlead.errors import MeasurementError
from fairlead.experiment.factors.program import ProgramPlan
from fairlead.protocol import commands
from fairlead.statistics import estimates

TARGET = 0.03
SIZES_B = (8 * 1024, 64 * 1024, 512 * 1024)
ROUNDS, QUICK_ROUNDS = 16, 4
EXCHANGES, WARM_UP = 60, 10
BULK_S = 1.0
# Above its eager limit (64 KiB with the header) Open MPI shakes hands before it sends: a round trip of the library's,
# not of the network's.
EAGER = ("--mca", "btl_tcp_eager_limit", str(1024 * 1024))
HOSTS = ("h0", "h2")  # on two leafs: the trunk between them is the bottleneck


def measure(session: Session) -> Iterator[Figure]:
    """Figures ``probes.latency.SIZE``, ``probes.throughput.{mpi,iperf3}``: relative difference of the medians."""
    rounds = session.size(ROUNDS, QUICK_ROUNDS)
    with laboratory.network(session, laboratory.MESH8) as net, _pingpong(net) as loop, _agents(net) as agents:
        draw = random.Random(f"{session.seed} probes")
        taken: dict[str, list[dict[str, float]]] = {"agent": [], "mpi": [], "iperf3": []}
        measurements = {
            "agent": lambda: agent_round(agents),
            "mpi": lambda: mpi_round(loop),
            "iperf3": lambda: iperf3_round(net),
        }
        for number in range(rounds):
            for name in draw.sample(sorted(measurements), len(measurements)):
                taken[name].append(measurements[name]())
            session.record(**{name: values[-1] for name, values in taken.items()})
            session.say(f"{number + 1} of {rounds}")
    for size_B in SIZES_B:
        yield difference(f"probes.latency.{size_B // 1024}KiB", taken["agent"], taken["mpi"], f"{size_B}")
    for other in ("mpi", "iperf3"):
        yield difference(f"probes.throughput.{other}", taken["agent"], taken[other], "rate_bps")


def difference(name: str, own: list[dict[str, float]], others: list[dict[str, float]], key: str) -> Figure:
    """|own / other - 1| of rounds in pairs, and how sure."""
    ratio = estimates.paired_ratio([each[key] for each in own], [each[key] for each in others])
    low, high = ratio.low - 1, ratio.high - 1
    bounds = (0.0 if low <= 0 <= high else min(abs(low), abs(high)), max(abs(low), abs(high)))
    note = f"own over other: {ratio.value:.4f} ({ratio.low:.4f} to {ratio.high:.4f})"
    return Figure(name, abs(ratio.value - 1), "1", ratio.n, TARGET, AT_MOST, bounds, note)


def agent_round(agents: AgentThread) -> dict[str, float]:
    """Median round trip by size, and the rate of a bulk transfer, as characterization takes them."""
    peer = int(HOSTS[1].removeprefix("h"))
    pingpong = commands.Pingpong(peer=peer, sizes_B=SIZES_B, exchanges=EXCHANGES, warmup=WARM_UP)
    trips = {
        f"{each.size_B}": float(np.median(each.round_trip_s)) for each in agents.command(0, pingpong, 60.0).results
    }
    bulk = agents.command(0, commands.Bulk(peer=peer, duration_s=BULK_S, streams=1), 60.0)
    return {**trips, "rate_bps": bulk.rate_bps}


def mpi_round(loop: "subprocess.Popen[bytes]") -> dict[str, float]:
    """The same by MPI_Send and MPI_Recv."""
    assert loop.stdin is not None and loop.stdout is not None
    loop.stdin.write(b"\n")
    loop.stdin.flush()
    for line in loop.stdout:
        if line.startswith(b"{"):
            result = json.loads(line)
            trips = {f"{each['size_B']}": float(np.median(each["round_trip_s"])) for each in result["results"]}
            return {**trips, "rate_bps": float(result["bulk"]["rate_bps"])}
    raise MeasurementError("the MPI ping-pong ended early")


def iperf3_round(net: Network) -> dict[str, float]:
    """Throughput of one stream as iperf3's receiver saw it."""
    source, destination = HOSTS
    server = subprocess.Popen(
        net.lab.enter_command(destination, ["iperf3", "--server", "--one-off", "--forceflush"]),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    try:
        for line in server.stdout:
            if "listening" in line:
                break
        address = net.lab.plan.host_by_name[destination].address
        command = ["iperf3", "--client", address, "--time", f"{BULK_S:g}", "--json"]
        done = subprocess.run(net.lab.enter_command(source, command), capture_output=True, text=True, check=False)
    finally:
        server.kill()
        server.wait()
        server.stdout.close()
    result = json.loads(done.stdout or "{}")
    if done.returncode != 0 or "error" in result:
        raise MeasurementError(f"iperf3 failed: {result.get('error', done.stderr.strip())}")
    return {"rate_bps": float(result["end"]["sum_received"]["bits_per_second"])}


@contextmanager
def _pingpong(net: Network) -> Iterator["subprocess.Popen[bytes]"]:
    sizes = ",".join(map(str, SIZES_B))
    options = ["--on-request", "--sizes", sizes, "--repetitions", str(EXCHANGES - WARM_UP), "--warmup", str(WARM_UP)]
    program = str(native.mpi_program("openmpi", "pingpong"))
    plan = ProgramPlan(name="pingpong", command=(program, *options, "--bulk", f"{BULK_S:g}"), ranks=2)
    launcher, job = net.job(plan, job_id=secrets.token_hex(4), hosts=HOSTS, options=EAGER)
    running = launch.start(net.cluster, launcher, job, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        yield running.process
    finally:
        running.stop()


@contextmanager
def _agents(net: Network) -> Iterator[AgentThread]:
    program = str(native.program("fairlead-agent"))
    make_group = partial(AgentGroup.of_cluster, net.cluster, program)
    with EventThread(lambda host, event: None) as told, AgentThread(make_group, told) as agents:
        yield agents
