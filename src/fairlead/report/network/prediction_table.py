"""A prediction on a terminal: what each pair would gain, and all together."""

from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape

from fairlead.display import words
from fairlead.display.tables import Table, cell, duration_cell, table
from fairlead.display.terminal import rich_table
from fairlead.prediction.predict import PairPrediction


def show(pairs: Sequence[PairPrediction], console: Console) -> None:
    """Print the table and the sum."""
    if pairs:
        console.print(rich_table(of(pairs), "Messages between hosts, one after another"))
    console.print(escape(total(pairs)), highlight=False, soft_wrap=True)


def of(pairs: Sequence[PairPrediction]) -> Table:
    """A row for each pair."""
    return table(
        [("pair", "pair"), ("messages", "messages"), ("a message", "mean_B"), ("direct", "direct_s"),
         ("best", "best_s"), ("over", "relay"), ("gain", "gain")],
        [
            [
                cell(f"{each.source} → {each.destination}"),
                cell(each.messages),
                cell(each.bytes_B / each.messages, words.size(each.bytes_B / each.messages)),
                duration_cell(each.direct_s),
                duration_cell(each.best_s),
                cell(each.relay),
                cell(each.gain, words.percent(each.gain)),
            ]
            for each in pairs
        ],
    )  # fmt: skip


def total(pairs: Sequence[PairPrediction]) -> str:
    """All pairs together, in a sentence that says what the number is not."""
    direct_s, best_s = (sum(getattr(each, key) for each in pairs) for key in ("direct_s", "best_s"))
    if not direct_s:
        return "the program sends no messages between hosts: nothing to gain"
    gaining = sum(each.relay is not None for each in pairs)
    return (
        f"{gaining} of {words.count(len(pairs), 'pair')} would gain: of {words.duration(direct_s)} of messages, "
        f"detours would save {words.percent(1 - best_s / direct_s)}. Messages overlap with each other and with "
        "computing, so the run time changes by a different share"
    )
