"""Files of raw samples: one number a line. Comments (#) and blank lines separate the samples of two launches."""

import numpy as np

from fairlead.readers.reading import (
    MB_BPS,
    MIB_BPS,
    NS,
    SAMPLES,
    US,
    ImportOptions,
    Reading,
    number,
    refused,
    whole_lines,
)
from fairlead.store import Label, Series

UNITS: dict[str, tuple[str, float]] = {
    "ns": ("time_s", NS),
    "us": ("time_s", US),
    "ms": ("time_s", 1e-3),
    "s": ("time_s", 1.0),
    "bit/s": ("rate_bps", 1.0),
    "Mbit/s": ("rate_bps", 1e6),
    "Gbit/s": ("rate_bps", 1e9),
    "MB/s": ("rate_bps", MB_BPS),
    "MiB/s": ("rate_bps", MIB_BPS),
}
GREATEST = {"time_s": (86_400.0, "a day"), "rate_bps": (1e15, "a petabit a second")}
"""Beyond these the unit is wrong."""


def read(text: str, source: str, options: ImportOptions | None = None) -> list[Reading]:
    """The samples of a file; several blocks are repetitions.

    Args:
        options: the test, the unit, and the message size where there is one.

    Raises:
        MeasurementError: a line that is not one number, no number, no unit, or one that cannot be.
    """
    options = options or ImportOptions()
    lines = whole_lines(text, source)
    if not options.test or options.unit not in UNITS:
        hint = f"--test NAME and --unit ({', '.join(UNITS)}) say so"
        raise refused(source, 1, "a file of samples names neither their test nor their unit", hint=hint)
    quantity, scale = UNITS[options.unit]
    blocks: list[list[float]] = [[]]
    for place, line in enumerate(lines):
        if not line.strip() or line.lstrip().startswith("#"):
            blocks += [[]] if blocks[-1] else []
            continue
        words = line.split()
        if len(words) != 1:
            raise refused(source, place + 1, f"{line.strip()!r} is not one number; one sample a line is read")
        value = number(words[0], source, place + 1) * scale
        most, in_words = GREATEST[quantity]
        if value > most:
            hint = f"--unit {options.unit} is wrong, or the file is"
            raise refused(source, place + 1, f"{words[0]} {options.unit} are more than {in_words}", hint=hint)
        blocks[-1].append(value)
    if not any(blocks):
        raise refused(source, len(lines), "there is no sample")
    unit = "s" if quantity == "time_s" else "bit/s"
    labels: dict[str, Label] = {} if options.size_B is None else {"size_B": options.size_B}
    return [
        Reading(options.test, (Series(SAMPLES[quantity], unit, labels, np.array(block)),), {"program": options.test})
        for block in blocks
        if block
    ]
