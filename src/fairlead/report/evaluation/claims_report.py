"""What became of the claims: a table, totals, and the same as JSON."""

import dataclasses
from collections import Counter
from typing import Any

from fairlead.display import words
from fairlead.display.tables import Table, cell, table
from fairlead.published.verdicts import FAILS, HOLDS, UNDECIDABLE, Checked, CheckedClaims, Figure


def title(result: CheckedClaims) -> str:
    """Heading of the table."""
    return f"{words.count(len(result.checked) + _unread(result), 'claim')} against the data"


def table_of(result: CheckedClaims, *, everything: bool = False) -> Table:
    """Claims that do not hold or cannot be decided; with ``everything`` all."""
    shown = [each for each in result.checked if everything or each.verdict != HOLDS]
    return table(
        [
            ("verdict", "verdict"),
            ("data", "dataset"),
            ("statement", "statement"),
            ("published", "published"),
            ("from the data", "recomputed"),
            ("what was computed", "definition"),
            ("remark", "remark"),
            ("runs", "runs"),
        ],
        [
            [
                cell(each.verdict),
                cell(each.claim.dataset),
                cell(each.claim.statement),
                cell(_as_printed(each.claim.published)),
                cell(_shown(each.recomputed)),
                cell(each.definition),
                cell(each.remark),
                cell(_runs(each)),
            ]
            for each in shown
        ],
    )


def totals(result: CheckedClaims) -> str:
    """One line, for people."""
    return (
        f"{result.count(HOLDS)} hold, {result.count(FAILS)} do not follow from the data, "
        f"{result.count(UNDECIDABLE)} the data cannot decide"
        + (f", {_unread(result)} cannot be read" if result.mistakes else "")
    )


def mistakes(result: CheckedClaims) -> list[str]:
    """Claims that cannot be read: file, line, key, and what is wrong; a line each."""
    return [f"{each}" + (f"\n  in the claim: {each.statement}" if each.statement else "") for each in result.mistakes]


def _unread(result: CheckedClaims) -> int:
    """Claims with mistakes; one may have several."""
    return len({each.key.partition("]")[0] for each in result.mistakes})


def disagreements(result: CheckedClaims) -> list[str]:
    """Claims of which the file itself says something else."""
    return [
        f"the file states that this {'holds' if each.claim.reproduces else 'does not follow'}, the data say: "
        f"{each.verdict}: {each.claim.statement}"
        for each in result.checked
        if each.differs_from_file
    ]


def to_json(result: CheckedClaims) -> dict[str, Any]:
    """Everything, unrounded."""
    return {
        "totals": dict(Counter(each.verdict for each in result.checked))
        | ({"mistakes": _unread(result)} if result.mistakes else {}),
        "mistakes": [dataclasses.asdict(each) for each in result.mistakes],
        "findings": list(result.findings),
        "claims": [
            {
                "dataset": each.claim.dataset,
                "statement": each.claim.statement,
                "published": each.claim.published,
                "verdict": each.verdict,
                "reproduces": None if each.verdict == UNDECIDABLE else each.verdict == HOLDS,
                "recomputed": each.recomputed,
                "definition": each.definition,
                "remark": each.remark,
                "runs": list(each.runs),
                "differs_from_file": each.differs_from_file,
            }
            for each in result.checked
        ],
    }


def _as_printed(published: object) -> str:
    if isinstance(published, list):
        return ", ".join(map(_as_printed, published))
    if isinstance(published, bool) or published is None:
        return "no" if published is False else "yes"
    return repr(published).removesuffix(".0") if isinstance(published, float) else str(published)


def _shown(figure: Figure | None) -> str:
    if figure is None:
        return "–"
    if isinstance(figure, list):
        return ", ".join(words.significant(each, 5) for each in figure)
    return figure if isinstance(figure, str) else words.significant(figure, 5)


def _runs(each: Checked) -> str:
    return words.listing([str(run) for run in each.runs]) if len(each.runs) <= 4 else f"{len(each.runs)} runs"
