"""The formats that are read, by name."""

import re
from collections.abc import Callable

from fairlead.readers import gpcnet, imb, iperf3, mpip, osu, perftest, rtla, samples
from fairlead.readers.netgauge import outputs
from fairlead.readers.netgauge import read as netgauge
from fairlead.readers.reading import ImportOptions, Reading, refused

READERS: dict[str, Callable[[str, str], list[Reading]]] = {
    "osu": osu.read,
    "imb": imb.read,
    "iperf3": iperf3.read,
    "perftest": perftest.read,
    "netgauge": netgauge.read,
    "mpip": mpip.read,
    "gpcnet": gpcnet.read,
    "rtla": rtla.read,
    "samples": samples.read,
}
WITH_OPTIONS: dict[str, Callable[[str, str, ImportOptions], list[Reading]]] = {
    "netgauge": netgauge.read,
    "samples": samples.read,
}
"""Those whose files do not say all of themselves."""
SIGNS: dict[str, tuple[re.Pattern[str], ...]] = {
    "osu": (osu.TITLE,),
    "imb": (imb.TITLE,),
    "iperf3": (re.compile(r"\{\s*"), re.compile(r'\s*"version":\s*"iperf .*')),
    "perftest": (perftest.TITLE,),
    "netgauge": outputs.MARKS,
    "mpip": (re.compile(rf"{mpip.HEAD}\s*"),),
    "gpcnet": (gpcnet.TITLE,),
    "rtla": tuple(rtla.READ),
}
"""Lines by which a format is known."""


def read(file_format: str, text: str, source: str, options: ImportOptions | None = None) -> list[Reading]:
    """The tests of a file.

    Args:
        options: what the user says of it.

    Raises:
        MeasurementError: it is none of this format, or has lines of another; with file and line.
    """
    for place, line in enumerate(text.splitlines()):
        if line.lstrip()[:1].isdigit():
            continue  # numbers, of which there may be millions
        for other, signs in SIGNS.items():
            if other != file_format and any(sign.fullmatch(line) for sign in signs):
                reason = f"{line.strip()!r} is a line of {other}, in a file that is to be one of {file_format}"
                raise refused(source, place + 1, reason, hint=f"import it as {other}, in a file of its own")
    if file_format in WITH_OPTIONS:
        return WITH_OPTIONS[file_format](text, source, options or ImportOptions())
    return READERS[file_format](text, source)
