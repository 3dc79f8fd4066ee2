"""Queries for runs: which ones, in the order in which they began. Their columns are those of `table_rows.run_of`.

``:session`` stands for the session that writes the store which a row is of: what it has begun and not ended is alive.
"""

from collections.abc import Mapping
from typing import Any

from fairlead.store.records import Label

_RUNS = """
SELECT runs.id, parent, kind, plan, seed, position, facts, started_s, ended_s, status, exit_code, error,
       runs.session = :session OR EXISTS (SELECT 1 FROM runs AS child
         WHERE child.parent = runs.id AND child.session = :session) AS alive
FROM runs LEFT JOIN endings ON endings.run = runs.id
"""

ONE = f"{_RUNS} WHERE runs.id = :run"
OUTERMOST = f"{_RUNS} WHERE parent IS NULL ORDER BY runs.id"


def chosen(kind: str | None, parent: int | None, labels: Mapping[str, Label]) -> tuple[str, dict[str, Any]]:
    """Query and parameters for runs of a kind and of a parent, each if it is given, with all these labels."""
    conditions = ["1"]
    parameters: dict[str, Any] = {}
    if kind is not None:
        conditions.append("kind = :kind")
        parameters["kind"] = kind
    if parent is not None:
        conditions.append("parent = :parent")
        parameters["parent"] = parent
    for number, (name, value) in enumerate(labels.items()):
        conditions.append(
            f"EXISTS (SELECT 1 FROM labels WHERE run = runs.id AND name = :n{number} AND value = :v{number})"
        )
        parameters |= {f"n{number}": name, f"v{number}": value}
    return f"{_RUNS} WHERE {' AND '.join(conditions)} ORDER BY runs.id", parameters
