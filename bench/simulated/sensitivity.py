"""What each setting of the agents changes: run times of simulated programs at half and at twice its value.

The cases are those of the group `drawn`; `sensitivity.md` in the group's directory has a row for each setting.
"""

import json
import math
import subprocess
from collections.abc import Iterator, Sequence
from typing import Any

from bench.figures import Figure
from bench.session import Session
from bench.simulated import drawn
from fairlead import native

CASES, QUICK_CASES = 12, 2
FACTORS = (0.5, 2.0)


def measure(session: Session) -> Iterator[Figure]:
    """Figures ``sensitivity.SETTING``: the larger change of the managed run time, in the geometric mean."""
    count = session.size(CASES, QUICK_CASES)
    scenarios = [drawn.draw(session.seed, number).scenario for number in range(count)]
    default_s = [_managed_s(session, each, {}) for each in scenarios]
    rows = []
    for setting in settings():
        changes = []
        for value in values(setting):
            found_s = [_managed_s(session, each, {setting["name"]: value}) for each in scenarios]
            changes.append(change(found_s, default_s))
            session.record(setting=setting["name"], value=value, run_s=found_s)
        session.say(f"{setting['name']}: {', '.join(f'{each:+.1%}' for each in changes)}")
        rows.append(f"| `{setting['name']}` | {setting['default']:g} {setting['unit']} | "
                    + " | ".join(f"{each:+.1%}" for each in changes) + " |")  # fmt: skip
        yield Figure(f"sensitivity.{setting['name']}", max(changes, key=abs), "1", count)
    head = ["| setting | default | halved | doubled |", "|---|---|---|---|"]
    (session.directory / "sensitivity.md").write_text("\n".join(head + rows) + "\n", encoding="utf-8")


def settings() -> list[dict[str, Any]]:
    """All settings, as ``fairlead-sim settings`` lists them."""
    listed = subprocess.run([native.program("fairlead-sim"), "settings"], capture_output=True, text=True, check=True)
    return list(json.loads(listed.stdout))


def values(setting: dict[str, Any]) -> list[float]:
    """Half and twice the default, within the permitted range."""
    found = [min(max(factor * setting["default"], setting["min"]), setting["max"]) for factor in FACTORS]
    return [float(math.ceil(value)) if setting["whole"] else value for value in found]


def change(found_s: Sequence[float], default_s: Sequence[float]) -> float:
    """Of the geometric mean of run times."""
    logs = [math.log(found / default) for found, default in zip(found_s, default_s, strict=True)]
    return math.expm1(sum(logs) / len(logs))


def _managed_s(session: Session, scenario: dict[str, Any], changed: dict[str, float]) -> float:
    return float(drawn.managed(session.directory / "scenario.json", scenario, changed)["makespan_s"])
