"""Names of groups of hosts, short enough for boxes and axes."""

from collections.abc import Sequence

from fairlead.display import words

MOST_NAMED = 3


def named(hosts: Sequence[int], names: Sequence[str]) -> str:
    """In sentences: "h3", "h0 to h31", "h0, h2 and h5", "h0, h2 and 14 others"."""
    if len(hosts) > 2 and hosts[-1] - hosts[0] == len(hosts) - 1:
        return f"{names[hosts[0]]} to {names[hosts[-1]]}"
    if len(hosts) <= MOST_NAMED:
        return words.listing([names[host] for host in hosts])
    return f"{names[hosts[0]]}, {names[hosts[1]]} and {len(hosts) - 2} others"


def groups_named(groups: Sequence[Sequence[int]], names: Sequence[str]) -> str:
    """Several groups in a sentence, of many the first."""
    shown = [named(hosts, names) for hosts in groups[:MOST_NAMED]]
    left = len(groups) - len(shown)
    return ", ".join(shown) + (f" and {words.count(left, 'more group')}" if left else "")


def short(hosts: Sequence[int], names: Sequence[str]) -> str:
    """On axes: "h3", "h0–31", "h0 +15"."""
    first, last = names[hosts[0]], names[hosts[-1]]
    if len(hosts) == 1:
        return first
    if hosts[-1] - hosts[0] == len(hosts) - 1:
        stem = first.rstrip("0123456789")
        return f"{first}–{last.removeprefix(stem)}"
    return f"{first} +{len(hosts) - 1}"
