"""Which rows are run in which order: blocks, whole plots, replications, all drawn from the plan's seed. Pure."""

import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from fairlead.experiment.plans.plan import Plan
from fairlead.experiment.plans.templates import Levels

Key = tuple[str, ...]


@dataclass(frozen=True)
class Row:
    """One run of an evaluation.

    Attributes:
        block: from 0. What a re-configuration costs or brings is judged by blocks.
        replication: of its combination of levels, from 0.
        position: place in the executed order, from 0.
    """

    levels: Levels
    block: int
    replication: int
    position: int

    @property
    def plan(self) -> dict[str, Any]:
        """Names the row for good: what is finished is not run again."""
        return {"levels": self.levels, "replication": self.replication}


@dataclass(frozen=True)
class Block:
    """Part of an evaluation: every cell that is still open, ``replications`` times, numbered from ``first``."""

    number: int
    first: int
    replications: int


def planned_blocks(plan: Plan) -> list[Block]:
    """The blocks that are run in any case. Without whole plots each replication is a block."""
    count = plan.replications.count
    blocks = plan.whole_plot.blocks if plan.whole_plot else count
    ends = [number * count // blocks for number in range(blocks + 1)]
    return [Block(k, ends[k], ends[k + 1] - ends[k]) for k in range(blocks)]


def further_block(plan: Plan, before: Block) -> Block | None:
    """The block after one, where replications go on until intervals are narrow; None: there may be no more."""
    first = before.first + before.replications
    if plan.replications.half_width is None or first >= plan.replications.at_most:
        return None
    return Block(before.number + 1, first, 1)


def rows_of(plan: Plan, block: Block, position: int, open_cells: Collection[Key] | None = None) -> list[Row]:
    """A block's rows in the order they are run: whole plots in random order, within each everything in random order.

    Args:
        position: of the first row.
        open_cells: keys of the cells that are run again; None: all.
    """
    order = random.Random(f"{plan.evaluation.seed} block {block.number}")
    plots: dict[Key, list[Levels]] = {}
    for levels in plan.combinations():
        if open_cells is None or key_of(levels) in open_cells:
            plots.setdefault(key_of(plan.whole_plot_levels(levels)), []).append(levels)
    names = list(plots)
    order.shuffle(names)
    rows: list[Row] = []
    for name in names:
        entries = [(levels, block.first + k) for levels in plots[name] for k in range(block.replications)]
        order.shuffle(entries)
        rows += [
            Row(levels, block.number, replication, position + len(rows) + k)
            for k, (levels, replication) in enumerate(entries)
        ]
    return rows


def planned_rows(plan: Plan, first: int = 0) -> list[Row]:
    """All rows that are run in any case, in their order.

    Args:
        first: position of the first row.
    """
    rows: list[Row] = []
    for block in planned_blocks(plan):
        rows += rows_of(plan, block, first + len(rows))
    return rows


def key_of(levels: Levels) -> Key:
    """Names a combination of levels."""
    return tuple(f"{factor}={level}" for factor, level in levels.items())


def set_ups(plan: Plan, rows: Sequence[Row]) -> int:
    """How often something is re-configured for these rows."""
    plots = [(row.block, key_of(plan.whole_plot_levels(row.levels))) for row in rows]
    return sum(here != before for here, before in zip(plots, [None, *plots], strict=False))
