"""What cells said: a line of progress, the JSON file, the table that the documents show."""

import json
import os
import platform
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.faults import cells
from bench.faults.cells import FaultCell
from bench.faults.trial import BAD, FAILED, LATE, LEFT, OK, SLOW, UNTESTED, Result
from fairlead import __version__, files
from fairlead.errors import ConfigError


def line(result: Result) -> str:
    """One line of progress."""
    words = [f"{result.cell.name:62} {result.status:12}"]
    if result.flow is not None:
        later = f", later paused {result.flow.later_s:.2f} s" if result.flow.later_s else ""
        words.append(f"flows again after {result.flow.recovery_s:5.2f} s{later}, load {result.load:.1f}")
    if result.time_s is not None and result.unhurt_s is not None:
        words.append(f"took {result.time_s:.1f} s, unhurt {result.unhurt_s:.1f} s")
    if result.why:
        words.append(f"({result.why})")
    if result.other_try:
        words.append(f"[other try: {result.other_try}]")
    return " ".join(words)


def document(
    results: Sequence[Result],
    usual: Mapping[str, Any],
    seed: str | None,
    took_s: float | None = None,
    revision: str | None = None,
) -> dict[str, Any]:
    """What the JSON file holds.

    Args:
        took_s: all cells together, with what was measured for them.
        revision: of what was tested, see `sources.revision`; None: not known.
    """
    return {
        "measured": time.strftime("%Y-%m-%d %H:%M", time.gmtime()),
        "took_s": took_s,
        "version": __version__,
        "revision": revision,
        "machine": {"cpus": os.cpu_count(), "kernel": platform.release()},
        "seed": seed,
        "usual": dict(usual),
        "cells": [{**result.row(), "revision": revision} for result in results],
    }


def renewed(earlier: Mapping[str, Any], found: Mapping[str, Any]) -> dict[str, Any]:
    """What a JSON file holds after some cells were run later: those that it had again, others besides.

    The others keep the revision that they are of: `markdown` tells how many are older.

    Raises:
        ConfigError: they are of another version or machine, so that one table of both would mean nothing.
    """
    for key in ("version", "machine"):
        if earlier[key] != found[key]:
            raise ConfigError(
                f"the earlier results are of {key} {earlier[key]}, not of {found[key]}",
                hint="run all cells, or name another directory by --results",
            )
    rows = {row["name"]: row for row in found["cells"]}
    all_rows = {row["name"]: row for row in earlier["cells"]} | rows
    order = {cell.name: place for place, cell in enumerate(cells.matrix())}
    return {
        **earlier,
        "revision": found["revision"],
        "cells": sorted(all_rows.values(), key=lambda row: order.get(row["name"], len(order))),
        "again": {"measured": found["measured"], "usual": found["usual"], "cells": list(rows)},
    }


def write(path: Path, found: Mapping[str, Any]) -> None:
    """Write the JSON file as a whole."""
    files.replace(path, json.dumps(found, indent=1) + "\n")


def summary(results: Sequence[Result]) -> str:
    """How many cells ended how, in one line."""
    order = [OK, *BAD, FAILED, UNTESTED]
    counts = {status: sum(each.status == status for each in results) for status in order}
    return ", ".join(f"{count} {status}" for status, count in counts.items() if count)


def failed(results: Sequence[Result]) -> bool:
    """Whether any cell is bad; see `Result.bad`."""
    return any(result.bad for result in results)


HEAD = """# Fault matrix

What happens to a program and its traffic when a part of fairlead, a host or the network fails
during a run? `make faults` (as root) runs two programs with a rerouted host pair on an emulated
cluster, breaks one part at a time, and measures how long the pair's traffic pauses. What each part
does when another fails is in [Architecture](design.md#when-a-part-fails).

```
make faults                                        # all cells: up to an hour
make faults FAULTS='--cells relay/guardian-killed' # some of them; --list shows their names
make faults FAULTS='--share 0.1'                   # a tenth, drawn at random
make faults FAULTS='--renew --cells two-jobs'      # again; the results keep the others
make faults FAULTS=--docs                          # write this page from results/faults/faults.json
```

## How to read the tables

Each cell is the time from the fault until the pair's traffic flows again, as counted by the
destination's sockets. Only pauses that begin within 1 s of the fault count. "0" means that no pause
exceeded 0.5 s, or exceeded both 0.1 s and twice the longest pause before the fault or on the direct
path. "later 0.5 s" is a pause that began more than 1 s after the fault, for example when an agent's
lease ran out. With two jobs the worse one counts.

- *cg*, *ring*: conjugate gradients, and an n-body program that passes blocks of 1 MiB round a ring
- *manual*: the pair is rerouted by `--reroute` on a quiet network, without detection
- *automatic*: two TCP streams between the leafs of source and destination congest the direct path
- source, relay, destination: the host at which the fault is made

Unless a cell has one of the following words, the program verified its own result (or the run exited
with 137 where its ranks were killed: "ok"), and nothing was left on any host.

The program's time is compared with that of the same run without a fault (one run for each plane,
program and kind of reroute).

- *late*: a pause was longer than the target. The target is 1 s on the route plane and 2 s on the
  relay plane; where an end of the pair is itself silent, it is the time that TCP takes without
  fairlead, or twice the silence if that is longer (TCP doubles the time until it tries again), plus
  0.5 s. Automatic reroutes are made under congestion only: a pair that returns to its
  direct path then pauses as it would on the congested path without any fault, for the time given
  under Conditions. With the supervisor killed it stays there, and later pauses may be twice as long
- *slow*: the rate stayed below half of the direct or the rerouted rate, whichever is lower, for
  more than 2 s beyond the longest pause on the direct path (where an end is itself silent: more
  than 0.5 s beyond the cell's target, or beyond what was slow without fairlead); or the program
  took longer than without a fault by more than the fault explains: that it lasts, these 2 s, and
  30 % of the time, since two runs without a fault may differ so much on shared processors
  ("+9.6 s": so much longer). With the supervisor killed nothing is rerouted any more: the time
  unmanaged counts
- *hung*, *ended*, *wrong*: the program did not end, was ended, or gave a wrong result
- *left behind*: 5 s after the end something was on a host, or a process of the run on this machine
- *SIGTERM ignored*: a process that had not ended by itself did not end within 5 s of SIGTERM either
- *2nd try*: the first try was late or slow while others used the processors, or in a run that it
  shared with other cells, or failed to start
- *not measured*: the fault could not be made; `results/faults/faults.json` says why

## How each fault is made

Reversible faults last 2 s, on the relay plane mostly 3.5 s, unless noted. Packet filters count what
they drop. If a filter dropped nothing, the cell is "not measured", except for forwarding at the
source or destination, which forward nothing anyway. Faults that leave the pair on its detour
(clock, file descriptors, forwarding at an end) share a run: source, relay and destination in turn.

- agent killed, guardian killed: SIGKILL
- agent and guardian killed: SIGKILL to both processes of a host at once
- agent stopped: SIGSTOP
- agent's ssh dropped: the ssh connection from the supervisor to the agent is killed
- host silent: the switch's end of the host's link goes down
- overlay port blocked: a packet filter on the host drops the overlay's UDP ports in both
  directions, on the relay plane the TCP connections between agents
- forwarding dropped: a packet filter drops everything that the host forwards
- clock stepped: the agent's clock jumps by 10 s
- file descriptors exhausted: the agent can open nothing more
- supervisor killed: SIGKILL; supervisor silent: SIGSTOP for longer than a lease, 15 s
- supervisor cut off from one host: its ssh port is filtered for 20 s
- program killed: the ranks of the destination are killed
- two jobs: two programs are rerouted at the same time, and one's agent on the relay is killed; on
  the route plane jobs of one user share their reroutes, so it is enough that one has rerouted
- direct path cut: a packet filter on the destination drops what comes from the source by no detour,
  the agents' own packets too; the way back, a pair of its own, stays

## Conditions
"""


def markdown(found: Mapping[str, Any]) -> str:
    """The document of a JSON file's contents."""
    rows = {row["name"]: row for row in found["cells"]}
    machine = found["machine"]
    text = f"{HEAD}\nMeasured {found['measured']} UTC, version {found['version']}, {machine['cpus']} processors, "
    text += f"Linux {machine['kernel']}.\n{_revisions(found)}Load when the faults were made: {_loads(rows.values())}.\n"
    if took_s := found.get("took_s"):
        text += f"All cells together took {took_s / 60:.0f} minutes.\n"
    pauses = found["usual"].get("congested", {}).get("gap_s", {})
    if pauses:
        own = ", ".join(f"{program} {pause_s:.2f} s" for program, pause_s in pauses.items())
        text += f"Longest pause on the congested path, without fairlead and without a fault: {own}.\n"
    if again := found.get("again"):
        text += f"Cells run again last: {len(again['cells'])}, {again['measured']} UTC.\n"
    count = sum(cells.why_not(cell) is None for cell in cells.matrix())
    ran = sum(row["status"] != UNTESTED for row in rows.values())
    if ran < count:
        drawn = "" if found["seed"] is None else f", drawn by the seed {found['seed']}"
        text += f"Only {ran} of {count} cells were run{drawn}: the tables leave out the others.\n"
    reasons: dict[str, int] = {}
    for plane, title in zip(cells.PLANES, ("Route plane", "Relay plane"), strict=True):
        table = _table(plane, rows, reasons)
        text += f"\n## {title}\n\n{table}" if table else ""
    if reasons:
        text += "\n" + "".join(f"- [{number}] not tested: {reason}\n" for reason, number in reasons.items())
    return text


def _revisions(found: Mapping[str, Any]) -> str:
    """A line that says of which sources the cells are; results that do not name theirs are older."""
    newest = found.get("revision")
    if newest is None:
        return ""
    of = [row.get("revision") for row in found["cells"] if row["status"] != UNTESTED]
    older = sorted({revision or "unknown" for revision in of if revision != newest})
    text = f"Sources: {newest}"
    if older:
        text += f"; {sum(revision != newest for revision in of)} of the cells are of older ones: {', '.join(older)}"
    return f"{text}.\n"


def _loads(rows: Any) -> str:
    loads = sorted(row["load"] for row in rows if row["status"] != UNTESTED)
    return f"{loads[0]:.1f} to {loads[-1]:.1f}, median {loads[len(loads) // 2]:.1f}" if loads else "none"


def _table(plane: str, rows: Mapping[str, Mapping[str, Any]], reasons: dict[str, int]) -> str:
    kinds = [(program, reroutes) for program in cells.PROGRAMS for reroutes in cells.REROUTES]
    names = {cells.BY_HAND: "manual", cells.AUTOMATIC: "automatic"}
    head = ["| fault | where | " + " | ".join(f"{program}, {names[reroutes]}" for program, reroutes in kinds) + " |"]
    head.append("|---|---|" + "---|" * len(kinds))
    lines = []
    for fault in (*cells.OF_A_PLACE, *cells.OF_THE_RUN):
        for place in cells.PLACES if fault in cells.OF_A_PLACE else ("",):
            said = [
                _cell(FaultCell(plane, reroutes, program, place, fault), rows, reasons) for program, reroutes in kinds
            ]
            if any(said):
                lines.append(f"| {fault} | {place} | " + " | ".join(said) + " |")
    return "\n".join([*head, *lines]) + "\n" if lines else ""


def _cell(cell: FaultCell, rows: Mapping[str, Mapping[str, Any]], reasons: dict[str, int]) -> str:
    row = rows.get(cell.name)
    if row is None:
        return ""
    if row["status"] == UNTESTED:
        return f"[{reasons.setdefault(row['why'], len(reasons) + 1)}]"
    flow = row["flow"]
    if row["status"] not in (OK, LATE) or flow is None or cell.fault == cells.PROGRAM_KILLED:
        words = [row["status"]]
        if row["status"] == SLOW and row.get("unhurt_s") is not None:
            words = [f"{SLOW} (+{row['time_s'] - row['unhurt_s']:.1f} s)"]
    else:
        words = [f"{flow['recovery_s']:.2f} s" if flow["recovery_s"] else "0"]
        words += [f"later {flow['later_s']:.2f} s"] if flow["later_s"] else []
        words += [LATE] if row["status"] == LATE else []
    words += ["2nd try"] if row["other_try"] else []
    words += ["SIGTERM ignored"] if row["stopped"] is False else []
    words += [LEFT] if row["left"] and row["status"] != LEFT else []
    return ", ".join(words)
