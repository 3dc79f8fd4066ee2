"""What a plan will do, in words."""

from fairlead.display import words
from fairlead.experiment.plans.design import Row, planned_blocks, planned_rows, set_ups
from fairlead.experiment.plans.forecast import RemainingTime
from fairlead.experiment.plans.plan import Plan


def summary(plan: Plan) -> list[str]:
    """Some lines: factors, cells, rows, blocks, time."""
    rows, cells = planned_rows(plan), plan.combinations()
    every = 1
    for each in plan.factors.values():
        every *= len(each)
    lines = [f"{plan.evaluation.name}: {words.count(len(rows), 'row')}, {words.count(len(cells), 'cell')} of {every}"]
    lines += [
        f"  {factor}: {words.listing([str(level) for level in levels])}" for factor, levels in plan.factors.items()
    ]
    lines.append(f"  {words.count(len(planned_blocks(plan)), 'block')}, {_replications(plan)}")
    if plan.whole_plot:
        what = words.listing(list(plan.whole_plot.factors))
        lines.append(f"  {what} re-configured {words.count(set_ups(plan, rows), 'time')}")
    remaining, levels = RemainingTime(lambda _: plan.run.expected_s), [row.levels for row in rows]
    if remaining.left_s(levels) is None:
        lines.append("  duration: known after the first row (run.expected_s is missing)")
    else:
        lines.append(f"  {remaining.words(levels).removesuffix(' left')}")
    return lines


def row(each: Row) -> str:
    """One line of the list of all rows."""
    levels = ", ".join(f"{factor} {level}" for factor, level in each.levels.items())
    return f"{each.position:6}  block {each.block}  replication {each.replication + 1:3}  {levels}"


def _replications(plan: Plan) -> str:
    table = plan.replications
    text = f"{table.count} replications of every cell"
    if table.half_width is not None:
        text += (
            f", then more until the {words.level(table.level)} interval of its mean is within "
            f"{words.percent(table.half_width)} of it, at most {table.at_most}"
        )
    if table.budget_s is not None:
        text += f", no row begins after {words.duration(table.budget_s)}"
    return text
