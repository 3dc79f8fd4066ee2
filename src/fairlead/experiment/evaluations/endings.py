"""What a plan's run says at its end: how to go on, what failed, what is left."""

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fairlead.config_changes import ConfigChange
from fairlead.display import words

if TYPE_CHECKING:
    from fairlead.experiment.evaluations.experiment import Evaluation

MOST_FAILURES = 10
"""Failed rows that are named at the end; each was told when it failed."""


def how_to_go_on(
    plan_file: Path, results: Path, stored_rows: int, changes: Sequence[ConfigChange] = (), more: Sequence[str] = ()
) -> str:
    """What to do after an interruption or an error: rows that ended are kept.

    Args:
        more: further options of the command.
    """
    settings = [word for change in changes for word in ("--set", change.text)]
    command = shlex.join(["fairlead", "evaluate", str(plan_file), "--results", str(results), *settings, *more])
    return f"stopped with {words.count(stored_rows, 'row')} stored; repeat the command to continue: {command}"


def failures(plan_file: Path, results: Path, evaluation: "Evaluation") -> Iterator[str]:
    """How many rows have no sample because every try at them failed, which, and what helps."""
    reasons = evaluation.failures
    if not reasons:
        return
    yield f"{words.count(len(reasons), 'row')} failed, {words.count(evaluation.stored_rows, 'row')} have a sample:"
    for reason in reasons[:MOST_FAILURES]:
        yield f"  {reason}"
    if len(reasons) > MOST_FAILURES:
        yield f"  and {len(reasons) - MOST_FAILURES} more, reported above"
    command = shlex.join(["fairlead", "export", str(results)])
    yield f"what they printed is in the store ({command}); more `retries` in {plan_file} run them again"


def what_is_left(evaluation: "Evaluation") -> Iterator[str]:
    """Cells without a sample because the budget was spent."""
    if evaluation.over_budget:
        left = words.count(evaluation.empty_cells, "cell")
        yield f"the budget is spent, {left} without a sample: a larger budget_s in the plan continues it"
