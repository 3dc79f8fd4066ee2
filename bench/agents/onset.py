"""Onset of congestion (the trunk's backlog exceeds half its limit) to the first reroute, over many seeded onsets."""

import json
import math
import random
import secrets
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench import laboratory
from bench.detours import Detours, Pair, Steps
from bench.figures import Figure, median_figure
from bench.laboratory import Network
from bench.session import Session
from fairlead.cluster.jobs import launch
from fairlead.cluster.jobs.running_job import RunningJob
from fairlead.errors import LaunchError, MeasurementError
from fairlead.experiment.factors.program import ProgramPlan
from fairlead.lab import congestion
from fairlead.lab.congestion import Streams
from fairlead.lab.topology import DirectedLink
from fairlead.manage.supervisor import supervise

TARGET_S = 0.100
ONSETS, QUICK_ONSETS = 32, 4
STREAMS = 4  # without a limit: they fill the queue whatever the program does
PROGRAM = ProgramPlan(name="cg", command=("cg", "--class", "A", "--iterations", "100000"), ranks=8)
WARM_UP_S = 6.0
ONSET_TIMEOUT_S = 5.0  # from the streams' start until the queue is half full
REROUTE_TIMEOUT_S = 3.0
HOME_TIMEOUT_S = 60.0
GAP_S = (0.5, 1.5)
STEPS = ("suspected", "confirmed", "decided", "rerouted")


@dataclass(frozen=True)
class Onset:
    """One onset. ``steps`` is None where no pair was rerouted in time."""

    link: DirectedLink
    before_s: float
    steps: Steps | None

    @property
    def reaction_s(self) -> float:
        """From the last look that found the queue less than half full: too long by a look's period, never too short."""
        return math.inf if self.steps is None else self.steps.rerouted_s - self.before_s

    def until_s(self) -> dict[str, float]:
        """From the same look until each step of the reroute."""
        if self.steps is None:
            return {}
        return {name: getattr(self.steps, f"{name}_s") - self.before_s for name in STEPS}


def measure(session: Session) -> Iterator[Figure]:
    """Figure ``onset.rerouted``, in seconds; and the share of onsets that were answered by a reroute."""
    count = session.size(ONSETS, QUICK_ONSETS)
    with laboratory.network(session, laboratory.MESH8) as net:
        net.characterize()
        detours = Detours(net.cluster.managed_names())
        onsets: list[Onset] = []

        def run(_: launch.Course) -> int:
            with _program(net) as running:
                onsets.extend(_onsets(net, running, detours, count))
            return 0

        supervise(net.cluster, net.management(), run, argv=PROGRAM.command, sinks=[detours], quiet=True)
    yield _figure(onsets)


def _figure(onsets: list[Onset]) -> Figure:
    """The median, and in its note where the time goes."""
    answered = [onset.until_s() for onset in onsets if onset.steps]
    note = f"{len(onsets) - len(answered)} of {len(onsets)} onsets were not answered within {REROUTE_TIMEOUT_S:g} s"
    if answered:
        medians = (f"{name} {statistics.median(each[name] for each in answered) * 1e3:.0f} ms" for name in STEPS)
        note += "; medians: " + ", ".join(medians)
    return median_figure("onset.rerouted", [onset.reaction_s for onset in onsets], "s", target=TARGET_S, note=note)


@contextmanager
def _program(net: Network) -> Iterator[RunningJob]:
    launcher, job = net.job(PROGRAM, job_id=secrets.token_hex(4))
    with (net.session.directory / "output.txt").open("wb") as output:
        running = launch.start(
            net.cluster, launcher, job, stdin=subprocess.DEVNULL, stdout=output.fileno(), stderr=subprocess.STDOUT
        )
    try:
        time.sleep(WARM_UP_S)
        yield running
    finally:
        running.stop()


def _onsets(net: Network, running: RunningJob, detours: Detours, count: int) -> Iterator[Onset]:
    draw = random.Random(f"{net.session.seed} onset")
    for number, link in enumerate(_links(net, draw, count)):
        if running.poll() is not None:
            raise LaunchError(f"{PROGRAM.name} ended early", hint=f"see {net.session.directory / 'output.txt'}")
        time.sleep(draw.uniform(*GAP_S))
        onset = _one(net, link, detours)
        steps = {f"{name}_s": after_s for name, after_s in onset.until_s().items()}
        net.session.record(link=link, before_s=onset.before_s, after=steps)
        said = ", ".join(f"{name} {after_s * 1e3:.0f} ms" for name, after_s in onset.until_s().items())
        net.session.say(f"{number + 1} of {count}: {link[0]} to {link[1]}, {said or 'not rerouted'}")
        yield onset
        if not detours.wait_until_home(HOME_TIMEOUT_S):
            raise MeasurementError(f"traffic did not return within {HOME_TIMEOUT_S:g} s after congestion ended")


def _links(net: Network, draw: random.Random, count: int) -> list[DirectedLink]:
    """Trunks that carry the program's traffic, each direction for itself, in rounds of random order.

    Congestion that is soon back on the same path is left later and later; rounds keep it apart.
    """
    bottlenecks = [
        bottleneck.between
        for bottleneck in laboratory.congestion_of(laboratory.plan(net.session)).bottlenecks
        if isinstance(bottleneck, Streams)
    ]
    links = [link for between in bottlenecks if between for link in (between, between[::-1])]
    drawn: list[DirectedLink] = []
    while len(drawn) < count:
        drawn += draw.sample(links, len(links))
    return drawn[:count]


def _one(net: Network, link: DirectedLink, detours: Detours) -> Onset:
    streams = Streams(kind="streams", between=link, streams=STREAMS, both_directions=False)

    def crosses(pair: Pair) -> bool:
        return link in net.lab.path(*pair)

    with _watching(net, link) as watch:
        begin_s = time.time()
        with congestion.make(net.lab, streams):
            before_s = _seen(watch, link)
            return Onset(link, before_s, detours.first_reroute(begin_s, crosses, REROUTE_TIMEOUT_S))


@contextmanager
def _watching(net: Network, link: DirectedLink) -> Iterator["subprocess.Popen[str]"]:
    """A watch on the trunk's queue, from when it looks."""
    limit_B = next(each.queue_B for each in net.lab.plan.links if {each.a, each.b} == set(link)) // 2
    script = str(Path(__file__).with_name("backlog.py"))
    command = net.lab.enter_command(link[0], [sys.executable, "-I", "-S", script, link[1], str(limit_B)])
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        if process.stdout.readline() != "ready\n":
            raise MeasurementError(f"the queue from {link[0]} to {link[1]} cannot be watched; see the error above")
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def _seen(watch: "subprocess.Popen[str]", link: DirectedLink) -> float:
    assert watch.stdout is not None
    try:
        watch.wait(ONSET_TIMEOUT_S)  # it ends when it has seen the onset
    except subprocess.TimeoutExpired as error:
        raise MeasurementError(
            f"the queue from {link[0]} to {link[1]} was not half full within {ONSET_TIMEOUT_S:g} s of congestion"
        ) from error
    line = watch.stdout.readline()
    if not line:
        raise MeasurementError(f"the watch on the queue from {link[0]} to {link[1]} failed; see the error above")
    return float(json.loads(line)["before_s"])
