"""Migrations in reports: every decision with its reasons, and how long migrations took (DMCBM figure 4.15)."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from fairlead.analysis.runs.migrations import MigrationDecision, completed
from fairlead.display import words
from fairlead.display.tables import Table, cell, duration_cell, table
from fairlead.report import palette
from fairlead.report.figures import Drawing, axes_of, styled
from fairlead.statistics.estimates import median

_ROW_IN = 0.5


def decisions_table(runs: Sequence[tuple[int | None, Sequence[MigrationDecision]]]) -> Table:
    """Every decision. Runs are (replication or None, what was decided)."""
    replicated = any(replication is not None for replication, _ in runs)
    columns = [("time", "t_s"), ("machine", "vm"), ("what", "action"), ("server", "server"), ("to", "target")]
    columns += [("took", "time_s"), ("paused", "paused_s"), ("why", "reason")]
    return table(
        [*([("replication", "replication")] if replicated else []), *columns],
        [
            [
                *([cell(replication)] if replicated else []),
                cell(each.t_s, f"{each.t_s:.2f}{words.NBSP}s"),
                cell(each.vm),
                cell(each.action),
                cell(each.server),
                cell(each.target),
                duration_cell(each.time_s),
                duration_cell(each.paused_s),
                cell(each.reason),
            ]
            for replication, decided in runs
            for each in decided
        ],
    )


def sentence(decided: Sequence[MigrationDecision]) -> str:
    """What migrations did in one run, in words; empty where there was nothing to decide."""
    done = completed(decided)
    if done:
        names = words.listing([f"{each.vm} to {each.target} after {words.duration(each.t_s)}" for each in done])
        return f"{words.count(len(done), 'virtual machine')} migrated during the run: {names}."
    found = [each for each in decided if each.action == "found"]
    if found:
        return " ".join(f"{each.vm} was moved {each.reason}." for each in found)
    unknown = [each for each in decided if each.action == "unknown"]
    if unknown:
        return f"The outcome of the migration of {unknown[-1].vm} is unknown: {unknown[-1].reason}."
    stays = [each.reason for each in decided if each.action in ("stays", "refused", "failed", "blind")]
    return f"No virtual machine was migrated: {stays[-1]}." if stays else ""


def times(by_program: Sequence[tuple[str, Sequence[MigrationDecision]]]) -> Drawing:
    """How long migrations took, by the program that ran meanwhile: what it exchanges is in the way of the copy."""
    rows = [(name, completed(decided)) for name, decided in by_program if completed(decided)]
    with styled():
        figure, axes = axes_of(1, len(rows) * _ROW_IN + 1.1)
        _dots(axes[0], rows)
    return Drawing(
        "migration-times",
        "Time of live migrations",
        "Each dot is one migration, from its request until the machine runs on the other server; the mark is the "
        "median. Copies use the same links as the program, so its communication pattern matters.",
        figure,
        table(
            [("program", "program"), ("machine", "vm"), ("time", "time_s"), ("paused", "paused_s")],
            [
                [cell(name), cell(each.vm), cell(each.time_s), cell(each.paused_s)]
                for name, done in rows
                for each in done
            ],
        ),
    )


def _dots(axis: Any, rows: Sequence[tuple[str, Sequence[MigrationDecision]]]) -> None:
    longest = 0.0
    for row, (_, done) in enumerate(rows):
        seconds = [each.time_s for each in done if each.time_s is not None]
        offsets = np.linspace(-0.22, 0.22, len(seconds)) if len(seconds) > 1 else [0.0]
        axis.scatter(
            seconds, row + np.asarray(offsets), s=30, marker="D", color=palette.MANAGED.light, alpha=0.75, lw=0
        )
        middle = median(seconds)
        axis.plot([middle] * 2, [row - 0.3, row + 0.3], color=palette.INK.light, lw=1.8)
        longest = max(longest, *seconds)
    for row, (_, done) in enumerate(rows):
        middle = median([each.time_s for each in done if each.time_s is not None])
        axis.text(longest * 1.03, row, words.duration(middle), va="center")
    axis.set_yticks(range(len(rows)), [name for name, _ in rows])
    axis.set_ylim(len(rows) - 0.4, -0.6)
    axis.set_xlim(0, longest * 1.15)
    axis.set_xlabel("time of a migration in seconds")
    axis.grid(axis="x")
    axis.tick_params(axis="y", length=0)
