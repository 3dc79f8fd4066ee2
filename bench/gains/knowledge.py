"""What runs gain and cost by what is known of the network: nothing, paths of earlier runs, a characterization."""

import random
import shutil
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from bench import laboratory
from bench.figures import AT_LEAST, AT_MOST, Figure, ends
from bench.gains import bundled_runs
from bench.laboratory import Network
from bench.session import Session
from fairlead.characterize.characterize import characterize
from fairlead.characterize.survey import SurveySettings
from fairlead.errors import StatisticsError
from fairlead.experiment.running.testbed import SIZES_B
from fairlead.lab.congestion import Streams
from fairlead.protocol.events import Rerouted
from fairlead.statistics.estimates import paired_ratio, recovered_share
from fairlead.store import Store

OVERHEAD, RECOVERED = 1.03, 0.80
ROUNDS, QUICK_ROUNDS = 5, 2
RANKS = 8
SCALE = 0.2  # slow enough for the network, and not two processors, to limit eight ranks
COMMAND = ("cg", "--class", "A", "--iterations", "25")
CONGESTED = tuple(Streams(kind="streams", between=between, streams=2) for between in (("leaf0", "leaf1"),))
UNMANAGED, LEARNING, KNOWN, CHARACTERIZED = "unmanaged", "learning", "known", "characterized"
MANAGED = (LEARNING, KNOWN, CHARACTERIZED)


@dataclass
class Times:
    """Of one contender: seconds of each round on the free and on the congested network, and reroutes on the free."""

    clean_s: list[float] = field(default_factory=list)
    congested_s: list[float] = field(default_factory=list)
    clean_reroutes: int = 0


def measure(session: Session) -> Iterator[Figure]:
    """Figures ``knowledge.overhead.*``, ``knowledge.recovered.*`` and ``knowledge.clean_reroutes.*``."""
    found = {name: Times() for name in (UNMANAGED, *MANAGED)}
    with laboratory.network(session, laboratory.MESH8, scale=SCALE) as net:
        file = session.directory / "cluster.toml"
        file.write_text(net.lab.cluster_file_text())
        draw = random.Random(f"{session.seed} knowledge")
        run = partial(_run, session, file)
        _prepare(session, net, run)
        for number in range(session.size(ROUNDS, QUICK_ROUNDS)):
            for congested in draw.sample([False, True], 2):
                for name in draw.sample(list(found), len(found)):
                    with net.congestion(CONGESTED[0]) if congested else nullcontext():
                        time_s, reroutes = run(name)
                    (found[name].congested_s if congested else found[name].clean_s).append(time_s)
                    found[name].clean_reroutes += 0 if congested else reroutes
                    session.record(contender=name, congested=congested, time_s=time_s, reroutes=reroutes)
                    where = "congested" if congested else "free"
                    session.say(f"round {number + 1}, {where}, {name}: {time_s:.2f} s, {reroutes} reroutes")
    yield from figures(found)


def figures(found: Mapping[str, Times]) -> Iterator[Figure]:
    """The figures of each managed contender.

    Args:
        found: by contender; position k of all times is round k.
    """
    plain = found[UNMANAGED]
    for name in MANAGED:
        ratio = paired_ratio(found[name].clean_s, plain.clean_s)
        yield Figure(f"knowledge.overhead.{name}", ratio.value, "1", ratio.n, OVERHEAD, AT_MOST, ends(ratio))
        yield _recovered(f"knowledge.recovered.{name}", plain, found[name])
        runs = len(found[name].clean_s)
        yield Figure(f"knowledge.clean_reroutes.{name}", found[name].clean_reroutes, "reroutes", runs, 0, AT_MOST)


def _recovered(figure: str, plain: Times, managed: Times) -> Figure:
    try:
        share = recovered_share(plain.clean_s, plain.congested_s, managed.congested_s)
    except StatisticsError as error:
        return Figure(figure, None, "1", len(plain.clean_s), RECOVERED, AT_LEAST, note=str(error))
    return Figure(figure, share.value, "1", share.n, RECOVERED, AT_LEAST, ends(share))


def _prepare(session: Session, net: Network, run: "partial[tuple[float, int]]") -> None:
    """One store that knows the paths of an earlier run, and one with a characterization."""
    for name in (KNOWN, CHARACTERIZED):
        shutil.rmtree(_results(session, name), ignore_errors=True)
    run(KNOWN)
    with Store.open(_results(session, CHARACTERIZED)) as store:
        characterize(net.cluster, store, SurveySettings(sizes_B=SIZES_B), lambda *_: None)


def _results(session: Session, name: str) -> Path:
    return session.directory / name


def _run(session: Session, file: Path, name: str) -> tuple[float, int]:
    """Seconds by the program's own clock, and the reroutes of the run."""
    results = _results(session, name)
    if name in (UNMANAGED, LEARNING):
        shutil.rmtree(results, ignore_errors=True)  # it begins with nothing
    options = ("--no-agents",) if name == UNMANAGED else ()
    ran = bundled_runs.run(file, results, RANKS, options, COMMAND)
    with Store.read(results) as store:
        (newest, *_) = sorted(store.runs("run"), key=lambda each: -each.id)
        return ran.time_s, len(store.events(newest.id, Rerouted.TYPE))
