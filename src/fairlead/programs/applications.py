"""What applications print at the end of a run: their own clock, whether they are content, and results to repeat.

A new application: one function here, and its name in `READERS`. Each knows its application's output by lines that no
other prints, and reads nothing from output that was cut short.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

_NUMBER = r"[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|nan|inf)"
_LOOP = re.compile(rf"^Loop time of ({_NUMBER}) on \d+ procs for (\d+) steps", re.MULTILINE)
_MEMORY = "Per MPI rank memory allocation"
"""LAMMPS prints this before the headline of each run's thermodynamic output."""
_THERMO_TIMES = ("CPU", "CPULeft", "S/CPU", "T/CPU", "TimeoutLeft")
"""Columns of it that tell the machine's speed."""
_PWSCF = re.compile(r"^ +PWSCF +: +\S.*?CPU +(.*?) ?WALL *$", re.MULTILINE)
_UNITS_S = {"d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0}
_SPAN = re.compile(r"(\d+(?:\.\d+)?) *([dhms])")
_TOTAL_ENERGY = re.compile(rf"^! +total energy += +({_NUMBER}) Ry", re.MULTILINE)
_CONVERGENCE = re.compile(r"^ +convergence (NOT|has been) achieved", re.MULTILINE)
_SUMMARY = re.compile(r"^Begin of Summary section\.$(.*?)^End of Summary section\.$", re.MULTILINE | re.DOTALL)
_HPCC_TIMES = ("HPL_time", "PTRANS_time", "MPIRandomAccess_time", "MPIRandomAccess_LCG_time", r"MPIFFT_time\d")


@dataclass(frozen=True)
class Report:
    """One run of an application, in its own words.

    Attributes:
        time_s: of its own clock.
        verified: its own check; None: it makes none.
        result: numbers by name that every run with the same input on the same number of ranks repeats.
        timed_to_the_end: that time is the end of the run; else it is of parts of it.
    """

    application: str
    time_s: float
    verified: bool | None = None
    result: Mapping[str, float] = field(default_factory=dict)
    timed_to_the_end: bool = True


def lammps(text: str) -> Report | None:
    """All runs of a LAMMPS input together ("Loop time of"); the result is the last line of thermodynamic output.

    Only output in lines that begin with the step (``thermo_style one``, mostly ``custom``) has a result.
    """
    loops = list(_LOOP.finditer(text))
    if not loops:
        return None
    return Report("lammps", sum(float(loop[1]) for loop in loops), result=_last_thermo(text[: loops[-1].start()]))


def _last_thermo(text: str) -> dict[str, float]:
    """The last row of the last run, under its headline ("Step Temp ...")."""
    lines = [line.split() for line in text[text.rfind(_MEMORY) :].splitlines()][1:]
    if not lines or lines[0][:1] != ["Step"]:
        return {}
    names, *rows = lines
    for row in reversed(rows):
        if len(row) == len(names) and all(re.fullmatch(_NUMBER, word) for word in row):
            return {name: float(word) for name, word in zip(names, row, strict=True) if name not in _THERMO_TIMES}
    return {}


def quantum_espresso(text: str) -> Report | None:
    """``pw.x`` of Quantum ESPRESSO: wall time of PWSCF, and the total energy that it converged to last.

    Calculations that seek no energy (``nscf``, ``bands``) have a time and nothing else.
    """
    times = _PWSCF.findall(text)
    if not times or "JOB DONE." not in text:
        return None
    time_s = sum(float(number) * _UNITS_S[unit] for number, unit in _SPAN.findall(times[-1]))
    energies = [float(found) for found in _TOTAL_ENERGY.findall(text)]
    if not energies:
        return Report("pw.x", time_s)
    ends = _CONVERGENCE.findall(text)
    return Report("pw.x", time_s, not ends or ends[-1] != "NOT", {"total energy": energies[-1]})


def hpcc(text: str) -> Report | None:
    """HPC Challenge's summary, as it stands in ``hpccoutf.txt``: the parts over all ranks, and whether all passed."""
    summaries = _SUMMARY.findall(text)
    if not summaries:
        return None
    fields = dict(line.split("=", 1) for line in summaries[-1].splitlines() if "=" in line)
    try:
        times_s = [float(fields[name]) for name in fields if any(re.fullmatch(each, name) for each in _HPCC_TIMES)]
    except ValueError:
        return None
    return Report("hpcc", sum(times_s), fields.get("Success") == "1", timed_to_the_end=False)


READERS: tuple[Callable[[str], Report | None], ...] = (lammps, quantum_espresso, hpcc)


def report(output: bytes) -> Report | None:
    """What an application says of its run; None: none of those that are known here printed this."""
    text = output.decode(errors="replace")
    return next((found for read in READERS if (found := read(text))), None)
