"""Settings of the agents that a user changes: in the cluster file, in a plan, or by ``--set``."""

import difflib
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator

from fairlead.protocol.setting import Setting
from fairlead.protocol.setting_table import SETTINGS

Number = int | float
PAGE = "docs/reference/agent-settings.md"
WAYS = "ways.count"


def checked(values: Mapping[str, Any]) -> dict[str, Number]:
    """The settings by their full names, each within its limits.

    Args:
        values: by full name (``"detour.dwell_s"``), or in tables by group (``{"detour": {"dwell_s": 1}}``).

    Raises:
        ValueError: there is no such setting, or it may not have this value; the message names it.
    """
    return {name: _value(name, value) for name, value in _flat(values)}


def require_consistent(settings: Mapping[str, Number]) -> None:
    """That none exceeds a setting that it may not exceed; what is not among them has its default.

    Raises:
        ValueError: one does; the message names both.
    """
    for name, setting in SETTINGS.items():
        most = setting.at_most
        if most is None or (name not in settings and most not in settings):
            continue
        value, most_value = (settings.get(each, SETTINGS[each].default) for each in (name, most))
        if value > most_value:
            raise ValueError(f"{name} = {value:g} is more than {most} = {most_value:g}; change both")


AgentSettings = Annotated[dict[str, Number], BeforeValidator(checked)]


def ways_in(settings: Mapping[str, Number]) -> int:
    """How many equal-cost paths agents with these settings may take (docs/explanation/equal-cost-paths.md)."""
    return int(settings.get(WAYS, SETTINGS[WAYS].default))


def describe(settings: Mapping[str, Number]) -> str:
    """For people: "detour.dwell_s = 1 (default 0.5)"."""
    return ", ".join(f"{name} = {value:g} (default {SETTINGS[name].default:g})" for name, value in settings.items())


def _flat(values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    if not isinstance(values, Mapping):
        raise ValueError(f"must be a table of settings, see {PAGE}")
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from ((f"{name}.{rest}", each) for rest, each in value.items())
        else:
            yield name, value


def _value(name: str, value: Any) -> Number:
    setting = SETTINGS.get(name)
    if setting is None:
        near = difflib.get_close_matches(name, SETTINGS, n=1)
        raise ValueError(f"there is no setting {name}" + (f"; {near[0]}?" if near else f", see {PAGE}"))
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{name} must be a number")
    if isinstance(setting.default, int) and not isinstance(value, int):
        raise ValueError(f"{name} must be a whole number")
    _require_within(name, value, setting)
    return value


def _require_within(name: str, value: Number, setting: Setting) -> None:
    low, high = setting.limits
    if not low <= value <= high:
        raise ValueError(f"{name} = {value:g} must be between {low:g} and {high:g}")
