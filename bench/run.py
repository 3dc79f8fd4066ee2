"""``make bench``: run the groups of figures, write each figure as soon as it is measured, show the table.

    python -m bench.run [--list] [--only NAME...] [--quick] [--mpip libmpiP.so] [--results DIR]

A kill loses only the figure that is being measured. Figures of other groups stay in the summary.
"""

import argparse
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import NoReturn

from bench.agents import fault_recovery, idle, many_hosts, onset, probes, quiet_migrations, quiet_reroutes, relayed
from bench.durations import benchmark_report, characterisation, evaluation_rows, lab_life
from bench.gains import armed, baselines, knowledge, overhead, recovered, relay_programs
from bench.profiling import mpip, profiled, wrapped_call
from bench.session import Benchmark, Session
from bench.simulated import drawn, oracle, sensitivity, thesis
from bench.summary import Summary
from fairlead.display.terminal import console
from fairlead.errors import FairleadError

# In the order in which they are run: the short ones first.
GROUPS: dict[str, Benchmark] = {
    "lab": lab_life.measure,
    "report": benchmark_report.measure,
    "evaluation": evaluation_rows.measure,
    "oracle": oracle.measure,
    "drawn": drawn.measure,
    "thesis": thesis.measure,
    "wrapped": wrapped_call.measure,
    "probes": probes.measure,
    "relay": relayed.measure,
    "profiled": profiled.measure,
    "mpip": mpip.measure,
    "onset": onset.measure,
    "idle": idle.measure,
    "hosts": many_hosts.measure,
    "faults": fault_recovery.measure,
    "armed": armed.measure,
    "knowledge": knowledge.measure,
    "recovered": recovered.measure,
    "relay-programs": relay_programs.measure,
    "baselines": baselines.measure,
    "overhead": overhead.measure,
    "characterisation": characterisation.measure,
    "quiet": quiet_reroutes.measure,
    "migrations": quiet_migrations.measure,
    "sensitivity": sensitivity.measure,
}
PROGRAMS = Path(__file__).with_name("programs.toml")
INTERRUPTED = 130


def main() -> int:
    """Run what the command line asks for; 0 if all of it could be measured, whatever the figures are."""
    options = _options()
    if options.list:
        for name, benchmark in GROUPS.items():
            print(f"{name:18} {(sys.modules[benchmark.__module__].__doc__ or '').splitlines()[0]}")
        return 0
    for ends in (signal.SIGINT, signal.SIGTERM):  # also where a shell has made background jobs ignore one
        signal.signal(ends, _interrupt)
    options.results.mkdir(parents=True, exist_ok=True)
    summary = Summary(options.results / "summary.json")
    failed = []
    for name in options.only or GROUPS:
        directory = options.results / name
        directory.mkdir(exist_ok=True)
        try:
            _run(Session(name, directory, options.programs, options.quick, mpip=options.mpip), summary)
        except FairleadError as error:
            print(f"{name} could not be measured: {error}", file=sys.stderr)
            failed.append(name)
        except KeyboardInterrupt:
            print("interrupted; what was measured is kept", file=sys.stderr)
            return INTERRUPTED
    summary.show(console())
    print(f"summary: {summary.path}")
    if failed:
        print(f"not measured: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt(signal.Signals(number).name)


def _run(session: Session, summary: Summary) -> None:
    measured = set()
    for figure in GROUPS[session.group](session):
        summary.put(session.group, figure, quick=session.quick)
        measured.add(figure.name)
        value = "not measured" if figure.value is None else f"{figure.value:.4g} {figure.unit}"
        session.say(f"{figure.name}: {value}")
    summary.drop_others(session.group, measured)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.run", description="Measure fairlead's benchmark figures.")
    parser.add_argument("--list", action="store_true", help="list the groups of figures and stop")
    parser.add_argument("--only", nargs="+", choices=list(GROUPS), metavar="NAME", help="run these groups only")
    parser.add_argument("--quick", action="store_true", help="few repetitions, to try the code out")
    parser.add_argument("--results", type=Path, default=Path("results/bench"), help="default: %(default)s")
    parser.add_argument("--mpip", type=Path, metavar="libmpiP.so", help="for the group mpip: mpiP, built for Open MPI")
    parser.add_argument("--programs", type=Path, default=PROGRAMS, help="plan of programs and congestion: %(default)s")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
