"""Factors that say the same: one that is a function of another is joined to it, as no comparison varies it alone."""

from collections.abc import Mapping, Sequence

from fairlead.analysis.evaluations.settings import CellGroup, ReportSettings
from fairlead.store import Label

Column = Sequence[Label]


def find(levels: Mapping[str, Column]) -> dict[str, str]:
    """Factors that are a function of another, each with the one that it is joined to.

    Of two that are functions of each other the later one is joined. A factor with one level is a function of
    everything, and stays.
    """
    joined: dict[str, str] = {}
    order = list(levels)
    for name in reversed(order):
        others = [other for other in order if other != name and other not in joined]
        if len(set(levels[name])) < 2:
            continue
        for other in others:
            if _is_function(levels[name], levels[other]):
                joined[name] = other
                break
    return {name: _last(joined, name) for name in order if name in joined}


def report_of(report: ReportSettings, joined: Mapping[str, str], levels: Mapping[str, Column]) -> ReportSettings:
    """The report's settings in the factors that are left. A baseline of a joined factor becomes the level that has it.

    Groups and prices keep their names: cells know the levels of joined factors, too.
    """
    if not joined:
        return report
    configurations = tuple(dict.fromkeys(joined.get(name, name) for name in report.configurations))
    baseline = {name: level for name, level in report.baseline.items() if name not in joined}
    for name in configurations:
        wanted = {each: level for each, level in report.baseline.items() if joined.get(each) == name}
        if name in baseline or not wanted:
            continue
        found = dict.fromkeys(
            level
            for place, level in enumerate(levels[name])
            if all(str(levels[each][place]) == str(value) for each, value in wanted.items())
        )
        if len(found) == 1:
            baseline[name] = next(iter(found))
    return report.model_copy(update={"configurations": configurations, "baseline": baseline})


def members(group: CellGroup, levels: Mapping[str, Label]) -> bool:
    """Whether a cell with these levels, joined factors included, belongs to a group."""
    return all(
        name in levels and str(levels[name]) in [str(level) for level in wanted] for name, wanted in group.where.items()
    )


def _is_function(column: Column, of: Column) -> bool:
    seen: dict[Label, Label] = {}
    return all(seen.setdefault(key, value) == value for key, value in zip(of, column, strict=True))


def _last(joined: Mapping[str, str], name: str) -> str:
    while name in joined:
        name = joined[name]
    return name
