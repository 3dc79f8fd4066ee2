"""What a results directory holds: one row for each thing that was done, newest last."""

from typing import Any

from fairlead.display import words
from fairlead.display.tables import Table, cell, table
from fairlead.store import Run, Store

COUNTED = ("run", "evaluation_row")
"""Kinds of runs that a comparison or an evaluation consists of."""


def of(store: Store) -> Table:
    """Everything that was done by itself; runs of a comparison, and rows of an evaluation, are counted with it."""
    numbers = store.numbers_of_children(*COUNTED)
    return table(
        [(name, name) for name in ("run", "kind", "began", "what", "ended")],
        [
            [
                cell(run.id),
                cell(run.kind),
                cell(words.moment(run.started_s)),
                cell(_what(run, numbers.get(run.id, 0))),
                cell(_ending(run)),
            ]
            for run in store.outermost_runs()
        ],
    )


def to_json(store: Store) -> list[dict[str, Any]]:
    """The same for programs. ``runs``: how many runs belong to it."""
    numbers = store.numbers_of_children(*COUNTED)
    return [
        {
            "run": run.id,
            "kind": run.kind,
            "labels": dict(run.labels),
            "runs": numbers.get(run.id, 0),
            "started_s": run.started_s,
            "ended_s": run.ended_s,
            "status": run.status,
            "exit_code": run.exit_code,
            "error": run.error,
        }
        for run in store.outermost_runs()
    ]


def _what(run: Run, children: int) -> str:
    parts = [f"{name} {value}" for name, value in run.labels.items()]
    return ", ".join([*parts, words.count(children, "run")] if children else parts)


def _ending(run: Run) -> str:
    code = f", exit code {run.exit_code}" if run.exit_code else ""
    return f"{run.status}{code}" + (f": {run.error.splitlines()[0]}" if run.error else "")
