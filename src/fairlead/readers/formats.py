"""The formats that are read, by name."""

import re
from collections.abc import Callable, Iterator

from fairlead.errors import MeasurementError
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
_GREATEST = 2**63 - 1
"""Of whole numbers that the store takes."""
_WHOLE = re.compile(r"(?<![\d.])\d+")


def read(file_format: str, text: str, source: str, options: ImportOptions | None = None) -> list[Reading]:
    """The tests of a file.

    Args:
        options: what the user says of it.

    Raises:
        MeasurementError: it is none of this format, has lines of another, or a number that is too large; with file and
            line.
    """
    for place, line in enumerate(text.splitlines()):
        if line.lstrip()[:1].isdigit():
            continue  # numbers, of which there may be millions
        for other, signs in SIGNS.items():
            if other != file_format and any(sign.fullmatch(line) for sign in signs):
                reason = f"{line.strip()!r} is a line of {other}, in a file that is to be one of {file_format}"
                raise refused(source, place + 1, reason, hint=f"import it as {other}, in a file of its own")
    try:
        if file_format in WITH_OPTIONS:
            found = WITH_OPTIONS[file_format](text, source, options or ImportOptions())
        else:
            found = READERS[file_format](text, source)
    except OverflowError as error:  # of an array of whole numbers
        raise _too_large(text, source) from error
    if any(map(_is_too_large, found)):
        raise _too_large(text, source)
    return found


def _is_too_large(reading: Reading) -> bool:
    """Whether it has whole numbers that the store would refuse once half of the file is in it."""
    told = [reading.plan, reading.facts, *(series.labels for series in reading.series)]
    whole = [value for each in told for value in each.values() if isinstance(value, int)]
    return max(whole, default=0) > _GREATEST or any(each.values.dtype.kind not in "if" for each in reading.series)


def _too_large(text: str, source: str) -> MeasurementError:
    """The refusal of the longest whole number of a file."""
    longest = max(((len(digits), -line, digits) for line, digits in _whole_numbers(text)), default=(0, -1, ""))
    return refused(source, -longest[1], f"{longest[2]!r} is not a number of this format: it is too large")


def _whole_numbers(text: str) -> Iterator[tuple[int, str]]:
    for place, line in enumerate(text.splitlines()):
        for digits in _WHOLE.findall(line):
            yield place + 1, digits
