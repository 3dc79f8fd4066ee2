"""Reports from a store, as `fairlead report`, `compare`, `run` and `characterize` make them."""

import json
from pathlib import Path

from rich.console import Console

from fairlead.analysis import comparison as comparisons
from fairlead.analysis.evaluations import dataset
from fairlead.characterize.characterization import Characterization, runs
from fairlead.display import terminal
from fairlead.manage.components import STAGES
from fairlead.manage.data_planes import PLANES
from fairlead.prices.book import Book
from fairlead.progress import Progress, unseen
from fairlead.report import summary
from fairlead.report.comparison import comparison_report
from fairlead.report.evaluation import evaluation_json, evaluation_report
from fairlead.report.network import characterization_report, network_json, slow_words
from fairlead.report.run import run_json, run_report
from fairlead.statistics.estimates import DEFAULT_LEVEL
from fairlead.store import Run, Store


def comparison(
    store: Store,
    experiment: int | None,
    html: Path,
    *,
    figures: Path | None = None,
    level: float = DEFAULT_LEVEL,
    book: Book | None = None,
    as_json: bool = False,
    console: Console | None = None,
) -> list[Path]:
    """Write page and summary of a comparison and print its tables (or, ``as_json``, the summary).

    Args:
        experiment: its run; None: the newest.
        book: prices of systems; None: the book that its plan named.

    Returns:
        The files written: page, summary, figures.

    Raises:
        FairleadError: no such comparison, or a file cannot be written.
    """
    chosen = comparisons.latest(store).id if experiment is None else experiment
    stages = [*STAGES, *PLANES.names()]
    computed = comparisons.load(store, chosen, level=level, stages=stages, book=book)
    written = comparison_report.write(computed, html, figures=figures)
    if as_json:
        print(summary.of(computed).to_json(), end="")
    else:
        comparison_report.show(computed, console or terminal.console())
    return [written.html, written.summary, *written.figures]


def characterization(
    store: Store,
    run: int | None,
    html: Path,
    *,
    figures: Path | None = None,
    as_json: bool = False,
    progress: Progress = unseen,
) -> list[Path]:
    """Write the page of a characterization (None: the newest) and print what was found (or, ``as_json``, the inferred
    network); returns the files written.

    Raises:
        FairleadError: it is none, or a file cannot be written.
    """
    record = runs(store)[-1] if run is None else store.run(run)
    progress("computing the matrices", 0, 1)
    found = Characterization.read(store, record)
    progress("inferring the network", 0, 1)
    if as_json:
        print(json.dumps({"run": found.run, "cluster": found.cluster, "hosts": found.hosts} | network_json.of(found)))
    else:
        for tell in (characterization_report.findings, slow_words.of, characterization_report.caveats):
            for text in tell(found):
                print(text)
    progress("drawing network and heat maps", 0, 1)
    written = characterization_report.write(found, html, figures=figures)
    progress("drawing network and heat maps", 1, 1)
    return written


def run(
    store: Store,
    number: int,
    html: Path,
    *,
    figures: Path | None = None,
    book: Book | None = None,
    as_json: bool = False,
    console: Console | None = None,
) -> list[Path]:
    """Write the page of a run by itself and print its tables (or, ``as_json``, its figures); returns the files written.

    Args:
        book: prices of systems; None: the book that the plan of its comparison named.

    Raises:
        FairleadError: it is none, or a file cannot be written.
    """
    found = run_report.load(store, number, book)
    if as_json:
        print(run_json.of(found).to_json(), end="")
    else:
        run_report.show(found, console or terminal.console())
    return run_report.write(found, html, figures=figures)


def evaluation(
    store: Store,
    html: Path,
    *,
    figures: Path | None = None,
    level: float = DEFAULT_LEVEL,
    book: Book | None = None,
    as_json: bool = False,
) -> list[Path]:
    """Write the page of the newest evaluation and print its tables (or, ``as_json``, its figures); returns the files
    written.

    Args:
        book: prices of systems; None: what its plan says of prices.

    Raises:
        FairleadError: it has no sample yet, or a file cannot be written.
    """
    analysis = evaluation_report.load(store, level=level, book=book)
    if as_json:
        print(evaluation_json.of(analysis).to_json(), end="")
    else:
        evaluation_report.show(analysis, terminal.console())
    return evaluation_report.write(analysis, html, figures)


def newest(store: Store) -> Run | None:
    """What a report is made of unless told otherwise: the newest comparison, evaluation or run by itself, whichever
    began last; where there is none of them, the newest characterization."""
    experiments, characterizations = store.runs(comparisons.KIND), runs(store)
    evaluations = store.runs(dataset.KIND)
    found = [*experiments[-1:], *evaluations[-1:], *([each] if (each := run_report.latest(store)) else [])]
    return max(found or characterizations[-1:], key=lambda each: each.id, default=None)
