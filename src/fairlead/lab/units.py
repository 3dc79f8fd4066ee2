"""Quantities as people write them: ``"200mbit"``, ``"20ms"``, ``"16KiB"``. A number without a unit is refused."""

import re
from typing import Annotated

from pydantic import BeforeValidator, PlainSerializer

_RATE_UNITS = {"bit": 1, "kbit": 10**3, "mbit": 10**6, "gbit": 10**9}
_SIZE_UNITS = {"B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
_TIME_UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0}


def _parse(value: object, units: dict[str, float], kind: str) -> float:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([A-Za-z]+)", value.strip()) if isinstance(value, str) else None
    factor = units.get(match[2]) if match else None
    if match is None or factor is None:
        raise ValueError(f"{value!r} is not a {kind}; write a number and one of {', '.join(units)} in quotes")
    result = float(match[1]) * factor
    if result <= 0:
        raise ValueError(f"{value!r}: a {kind} must be above zero")
    return result


def _parse_whole(value: object, units: dict[str, float], kind: str, least: str) -> int:
    """As `_parse`, in whole numbers of the least unit. What would be none of it is refused: it means nothing at all."""
    result = round(_parse(value, units, kind))
    if result < 1:
        raise ValueError(f"{value!r}: a {kind} must be at least {least}")
    return result


def parse_rate(value: object) -> int:
    """Bits per second of ``"1gbit"`` (powers of ten), to the nearest one. Raises ValueError, also where that is 0."""
    return _parse_whole(value, dict(_RATE_UNITS), "rate", "1bit")


def parse_size(value: object) -> int:
    """Bytes of ``"16KiB"`` or ``"64kB"``, to the nearest one. Raises ValueError, also where that is 0."""
    return _parse_whole(value, dict(_SIZE_UNITS), "size", "1B")


def parse_time(value: object) -> float:
    """Seconds of ``"20ms"``. Raises ValueError, also where the nearest nanosecond, as it is written, is 0."""
    result = _parse(value, _TIME_UNITS, "time")
    if round(result * 1e9) < 1:
        raise ValueError(f"{value!r}: a time must be at least 0.001us")
    return result


def parse_queue(value: object) -> str:
    """A queue's length, as a size or as the time that a full queue takes to drain; checked and left as written."""
    try:
        parse_size(value)
    except ValueError:
        try:
            parse_time(value)
        except ValueError:
            units = ", ".join([*_SIZE_UNITS, *_TIME_UNITS])
            raise ValueError(f"{value!r} is not a queue length; write a number and one of {units} in quotes") from None
    return str(value)


def queue_bytes(queue: str, rate_bps: int) -> int:
    """Bytes that a queue of length ``queue`` (see `parse_queue`) before a link of ``rate_bps`` holds."""
    try:
        return parse_size(queue)
    except ValueError:
        return round(parse_time(queue) * rate_bps / 8)


def format_rate(rate_bps: float) -> str:
    """``200 Mbit/s``."""
    for unit, factor in (("Gbit/s", 1e9), ("Mbit/s", 1e6), ("kbit/s", 1e3)):
        if rate_bps >= factor:
            return f"{rate_bps / factor:g} {unit}"
    return f"{rate_bps:g} bit/s"


def _written(template: str, factor: float = 1) -> PlainSerializer:
    """As people write it, so that a model's JSON can be read back."""
    return PlainSerializer(lambda value: template.format(value * factor), return_type=str, when_used="json")


Rate = Annotated[int, BeforeValidator(parse_rate), _written("{}bit")]
Size = Annotated[int, BeforeValidator(parse_size), _written("{}B")]
Time = Annotated[float, BeforeValidator(parse_time), _written("{:.3f}us", 1e6)]
Queue = Annotated[str, BeforeValidator(parse_queue)]
