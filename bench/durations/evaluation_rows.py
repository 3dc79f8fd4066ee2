"""The report of an evaluation of 10^5 rows: time of `fairlead evaluate report`."""

import shutil
import subprocess
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np

from bench.command import FAIRLEAD
from bench.figures import Figure, median_figure
from bench.session import Session
from fairlead.analysis.evaluations.dataset import BLOCK, KIND, REPLICATION, ROW, TIME
from fairlead.store import Label, Series, Store

TARGET_S = 20.0
TIMES, QUICK_TIMES = 3, 1
PROGRAMS, SIZES, NETWORKS, REPLICATIONS = 25, 20, 8, 25
ROWS = PROGRAMS * SIZES * NETWORKS * REPLICATIONS
BLOCKS = 3
FACTORS = ("program", "size", "network")
PLAN = {
    "evaluation": {"name": "rows", "lab": None, "cluster": "c.toml", "seed": 1},
    "run": {"value": TIME},
    "replications": {"count": REPLICATIONS, "half_width": None, "level": 0.95, "at_most": 30},
    "whole_plot": {"factors": ["network"], "blocks": BLOCKS},
    "neighbours": None,
    "exclude": [],
    "fractions": [],
    "report": {"configurations": ["network"], "baseline": {"network": "n0"}},
}


def measure(session: Session) -> Iterator[Figure]:
    """Figure ``evaluation.report``, in seconds."""
    results = session.directory / "rows"
    shutil.rmtree(results, ignore_errors=True)  # an earlier time may have been cut short
    fill(results)
    taken_s = []
    for number in range(session.size(TIMES, QUICK_TIMES)):
        begin_s = time.monotonic()
        subprocess.run([*FAIRLEAD, "evaluate", "report", str(results)], stdout=subprocess.DEVNULL, check=True)
        taken_s.append(time.monotonic() - begin_s)
        session.record(report_s=taken_s[-1])
        session.say(f"{number + 1}: {taken_s[-1]:.1f} s")
    yield median_figure("evaluation.report", taken_s, "s", target=TARGET_S, note=f"{ROWS} rows, one sample each")


def fill(results: Path) -> None:
    """An evaluation of `ROWS` rows, of which every one is stored as a run is; the networks differ by 3 % each."""
    draw = np.random.default_rng(1)
    facts = {"here": {f"fact {k}": f"some value of fact {k}" for k in range(12)}}
    levels = product(range(PROGRAMS), range(SIZES), range(NETWORKS), range(REPLICATIONS))
    with Store.open(results) as store:
        about = {"factors": list(FACTORS), "series": {TIME: "s"}, "value": TIME}
        experiment = store.begin_run(KIND, {"name": "rows", "origin": "run"}, plan=PLAN, seed=1, facts=about)
        for position, (program, size, network, k) in enumerate(levels):
            own: dict[str, Label] = {"program": f"p{program}", "size": size, "network": f"n{network}"}
            value_s = (1 + program) * (1 + 0.03 * network) * float(draw.lognormal(0, 0.05))
            store.record(
                ROW,
                {**own, BLOCK: k * BLOCKS // REPLICATIONS, REPLICATION: k},
                parent=experiment,
                plan={"levels": own, REPLICATION: k},
                seed=1,
                position=position,
                facts=facts,
                series=[Series(TIME, "s", {}, np.array([value_s]))],
                started_s=float(position),
            )
        store.finish_run(experiment)
