"""``make faults``: run the fault matrix, or parts of it; write what each cell said; show what went wrong.

    python -m bench.faults [--list] [--cells WORD...] [--share F [--seed TEXT]] [--renew] [--results DIR]
                           [--docs [FILE]]

Exit code 1 if a cell hung, ended the program, gave a wrong result, was late or slow (twice, where others used the
processors the first time), left something behind, did not end by SIGTERM, or could not be measured.
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.faults import report, sources
from bench.faults.cells import FaultCell, chosen, drawn, why_not
from bench.faults.matrix import opened
from bench.faults.trial import Result
from fairlead import interrupts
from fairlead.errors import ConfigError, FairleadError

DOCS = Path(__file__).parents[2] / "docs" / "faults.md"
INTERRUPTED = 130


def main(words: Sequence[str] | None = None) -> int:
    """Run what the command line (sys.argv, or these words) asks for."""
    options = _options(words)
    interrupts.become_exceptions()
    path = options.results / "faults.json"
    try:
        if options.docs:
            if not path.exists():
                raise ConfigError(
                    f"{path} is not there", hint="run the matrix first, or name its directory by --results"
                )
            options.docs.write_text(report.markdown(json.loads(path.read_text())))
            return 0
        cells = chosen(options.cells)
        seed = None
        if options.share is not None:
            seed = options.seed or time.strftime("%Y-%m-%d", time.gmtime())
            tested = [cell for cell in cells if why_not(cell) is None]
            cells = drawn(tested, options.share, seed)
            print(f"faults: {len(cells)} of {len(tested)} cells, drawn by --seed {seed}")
        if options.list:
            print("\n".join(cell.name for cell in cells))
            return 0
        earlier = json.loads(path.read_text()) if options.renew and path.exists() else None
        return _run(cells, path, seed, earlier)
    except FairleadError as error:
        print(f"faults: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("faults: interrupted; what was measured is kept", file=sys.stderr)
        return INTERRUPTED


def _run(cells: list[FaultCell], path: Path, seed: str | None, earlier: dict[str, Any] | None) -> int:
    begin_s = time.monotonic()

    def say(text: str) -> None:
        print(f"faults {time.monotonic() - begin_s:6.1f} s  {text}", flush=True)

    path.parent.mkdir(parents=True, exist_ok=True)
    revision = sources.revision()
    results: list[Result] = []
    with opened(say) as matrix:
        for result in matrix.run(cells):
            results.append(result)
            say(f"{len(results):3} of {len(cells)}: {report.line(result)}")
            found = report.document(results, matrix.usual(), seed, time.monotonic() - begin_s, revision)
            report.write(path, found if earlier is None else report.renewed(earlier, found))
    say(f"{report.summary(results)}; {path}")
    return 1 if report.failed(results) else 0


def _share(text: str) -> float:
    value = float(text)
    if not 0.0 < value <= 1.0:
        raise argparse.ArgumentTypeError(f"{text} is not above 0 and at most 1")
    return value


def _options(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.faults", description="Run the fault matrix.")
    parser.add_argument("--list", action="store_true", help="list the names of the cells and stop")
    parser.add_argument(
        "--cells",
        nargs="+",
        default=[],
        metavar="WORD",
        help="only cells whose names have one of these in them; a+b: those that have both",
    )
    parser.add_argument("--share", type=_share, metavar="F", help="only this share of them, drawn")
    parser.add_argument("--seed", metavar="TEXT", help="of what is drawn [default: the date]")
    parser.add_argument(
        "--renew", action="store_true", help="keep what the results say of other cells [default: begin anew]"
    )
    parser.add_argument("--results", type=Path, default=Path("results/faults"), help="default: %(default)s")
    parser.add_argument(
        "--docs",
        type=Path,
        nargs="?",
        const=DOCS,
        metavar="FILE",
        help="run nothing: write docs/faults.md, or another file, from the results",
    )
    options = parser.parse_args(words)
    if options.seed is not None and options.share is None:
        parser.error("--seed goes with --share")
    return options


if __name__ == "__main__":
    sys.exit(main())
