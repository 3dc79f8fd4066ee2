"""What the rows of a plan take: time and memory, in words."""

from collections import Counter

from fairlead.cluster import memory
from fairlead.display import words
from fairlead.errors import ConfigError
from fairlead.experiment.plans.plan import Plan
from fairlead.experiment.plans.row_checks import Networks, Start, needed_B, starts
from fairlead.programs import needs


def summary(plan: Plan) -> list[str]:
    """Some lines: how long a row takes, and the memory of the smallest and the largest row."""
    lines = []
    if plan.run.expected_s is not None:
        limit = words.span(max(plan.program_at(levels).timeout_s for levels in plan.combinations()))
        lines.append(f"  a row takes about {words.span(plan.run.expected_s)}, and at most {limit}")
    networks = Networks(plan)
    totals: dict[int, list[Start]] = {}  # by the memory of all of a row's programs
    unknown: list[str] = []
    for levels in plan.combinations():
        there = networks.at(levels)
        try:
            started = list(starts(plan, levels, None if isinstance(there, ConfigError) else there.cluster))
        except ConfigError:  # told by the check of rows
            continue
        found = [needs.memory_B(each.argv, each.ranks) for each in started]
        unknown += [
            each.argv[0]
            for each, memory_B in zip(started, found, strict=True)
            if memory_B is None and needs.mistake(each.argv, each.ranks) is None
        ]
        known = [memory_B for memory_B in found if memory_B is not None]
        if known:
            totals[sum(known)] = started
    if totals:
        lines.append(f"  memory of a row: {_memory(totals)}")
    if unknown:
        lines.append(f"  not known: the memory of {words.listing(list(dict.fromkeys(unknown)))}")
    return lines


def _memory(totals: dict[int, list[Start]]) -> str:
    least, most = min(totals), max(totals)
    largest = totals[most]
    programs = words.listing(_counted([needs.describe(each.argv, each.ranks) for each in largest]))
    text = words.size(most) if least == most else f"{words.size(least)} to {words.size(most)}"
    hosts: dict[str, float] = {}
    for each in needed_B(largest):
        for host, needed in each.items():
            hosts[host] = hosts.get(host, 0.0) + needed
    cluster = largest[0].cluster
    if cluster is None or not hosts:
        return f"{text} ({programs})"
    where = (
        "all on this machine" if memory.shares_this_machine(cluster) else f"{words.size(max(hosts.values()))} a host"
    )
    return f"{text} ({programs}; {where})"


def _counted(programs: list[str]) -> list[str]:
    return [name if number == 1 else f"{number} × {name}" for name, number in Counter(programs).items()]
