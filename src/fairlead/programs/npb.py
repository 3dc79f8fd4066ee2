"""A user's own source tree of the NAS Parallel Benchmarks 3.4 (NPB3.4-MPI): how it is built, and what it prints.

Names, targets and rules: README.install of NPB3.4-MPI; the report at a program's end: its common/print_results. The DT
benchmark (which takes a graph as an argument) and the I/O variants of BT are left out.
"""

import math
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fairlead.errors import ConfigError, FairleadError

APPS = ("bt", "cg", "ep", "ft", "is", "lu", "mg", "sp")
CLASSES = ("S", "W", "A", "B", "C", "D", "E", "F")
_SQUARES = ("bt", "sp")
_POWERS_OF_TWO = ("cg", "ft", "is", "mg")
MOST_LOG_LINES = 15
# What gfortran from version 10 on says of NPB 3.4: buffers of different types for one procedure, X'3F' for a number.
_REFUSED = re.compile("^Error: .*(mismatch between actual argument|-fno-allow-invalid-boz)", re.MULTILINE)
_ALLOW = "gfortran compiles NPB with FFLAGS = -O3 -fallow-argument-mismatch -fallow-invalid-boz in config/make.def"


@dataclass(frozen=True)
class NpbProgram:
    """One benchmark in one class: ``cg.A``."""

    app: str
    problem_class: str

    @classmethod
    def parse(cls, text: str) -> "NpbProgram":
        """From "cg.A".

        Raises:
            ConfigError: no benchmark of NPB, or no class.
        """
        app, _, problem_class = text.partition(".")
        if app.lower() not in APPS or problem_class.upper() not in CLASSES:
            raise ConfigError(
                f"{text!r} is not a benchmark of NPB",
                hint=f"BENCHMARK.CLASS, of {', '.join(APPS)} and {', '.join(CLASSES)}: for example cg.A",
            )
        return cls(app.lower(), problem_class.upper())

    def __str__(self) -> str:
        return f"{self.app}.{self.problem_class}"


def tree(path: Path) -> Path:
    """The directory NPB3.4-MPI, given itself or the one that it lies in.

    Raises:
        ConfigError: it is none, or is not configured.
    """
    inside = [path, *sorted(path.glob("NPB3*-MPI"))]
    found = next((each for each in inside if (each / "config").is_dir() and (each / "Makefile").is_file()), None)
    if found is None:
        raise ConfigError(
            f"{path}: is not a source tree of NPB's MPI version (it lacks Makefile and config/)",
            hint="name the directory NPB3.4-MPI, or the one that holds it",
        )
    if not (found / "config" / "make.def").is_file():
        raise ConfigError(
            f"{found}/config/make.def: not found",
            hint="copy config/make.def.template to it, and set the compilers of your MPI (MPIFC, MPICC)",
        )
    return found.absolute()


def executable(root: Path, program: NpbProgram) -> Path:
    """Where NPB puts a program."""
    return root / "bin" / f"{program}.x"


def build(root: Path, program: NpbProgram) -> Path:
    """Build a program in the tree, as its README says: ``make cg CLASS=A``. Returns the executable.

    Raises:
        FairleadError: it was not built; the message ends with the last lines of what make said.
    """
    words = ["make", program.app, f"CLASS={program.problem_class}"]
    try:
        executable(root, program).parent.mkdir(exist_ok=True)  # a tree that went through git has no empty directory
        done = subprocess.run(words, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    except FileNotFoundError as error:
        raise FairleadError(f"{root}: make could not be started: {error.strerror}", hint="apt install make") from error
    except OSError as error:
        hint = "you must be able to write to the tree"
        raise FairleadError(f"{error.filename or root}: {error.strerror}", hint=hint) from error
    built = executable(root, program)
    if done.returncode != 0 or not built.is_file():
        text = done.stdout.decode(errors="replace")
        said = "\n".join(text.splitlines()[-MOST_LOG_LINES:])
        raise FairleadError(
            f"{root}: `{' '.join(words)}` did not make bin/{built.name}:\n{said}",
            hint=_ALLOW if _REFUSED.search(text) else "",
        )
    return built


def check_ranks(program: NpbProgram, ranks: int) -> None:
    """See that a benchmark runs on so many processes.

    Raises:
        ConfigError: it does not; the message names the nearest numbers that do.
    """
    if runs_on(program.app, ranks):
        return
    rule = {**dict.fromkeys(_SQUARES, "a square number"), **dict.fromkeys(_POWERS_OF_TWO, "a power of two")}
    what = rule.get(program.app, "n1 × n2 with n1/2 <= n2 <= n1")
    below = next(number for number in range(ranks, 0, -1) if runs_on(program.app, number))
    above = next(number for number in range(ranks, 4 * ranks + 1) if runs_on(program.app, number))
    raise ConfigError(
        f"{program} does not run on {ranks} processes: {program.app.upper()} needs {what}",
        hint=f"use -n {below} or -n {above}",
    )


def runs_on(app: str, ranks: int) -> bool:
    """Whether a benchmark runs on exactly so many processes."""
    if app in _SQUARES:
        return math.isqrt(ranks) ** 2 == ranks
    if app in _POWERS_OF_TWO:
        return ranks & (ranks - 1) == 0
    if app == "lu":
        return any(ranks % n2 == 0 and n2 <= ranks // n2 <= 2 * n2 for n2 in range(1, math.isqrt(ranks) + 1))
    return True


@dataclass(frozen=True)
class NpbReport:
    """What a benchmark prints of itself at its end.

    Attributes:
        verified: None where it could not tell (a class without reference values).
        time_s: of its timed section.
        processes: that took part.
    """

    app: str
    problem_class: str
    time_s: float
    processes: int
    verified: bool | None
    mops: float


_REPORT = re.compile(rb"^ ?\s*(\w+) Benchmark Completed\.?\s*$", re.MULTILINE)
_LINE = re.compile(rb"^ *([A-Za-z][A-Za-z/ ]*?) *= *(\S+) *$", re.MULTILINE)
_VERIFIED = {"SUCCESSFUL": True, "UNSUCCESSFUL": False, "NOT": None}


def report(output: bytes) -> NpbReport | None:
    """The last report in a program's output; None where there is none that is whole.

    A line that is there but cannot be read makes no report: it is never taken for a time.
    """
    starts = list(_REPORT.finditer(output))
    if not starts:
        return None
    text = output[starts[-1].end() :]
    fields = {name.decode(): value.decode(errors="replace") for name, value in _LINE.findall(text)}
    unknown = re.search(rb"^ *Verification *= *NOT PERFORMED *$", text, re.MULTILINE)
    said = "NOT" if unknown else fields.get("Verification", "")
    try:
        time_s = float(fields["Time in seconds"])
        found = NpbReport(
            app=starts[-1].group(1).decode().lower(),
            problem_class=fields["Class"],
            time_s=time_s,
            processes=int(fields["Total processes"]),
            verified=_VERIFIED[said],
            mops=float(fields["Mop/s total"]),
        )
    except (KeyError, ValueError):
        return None
    return found if math.isfinite(time_s) and time_s >= 0 else None


def programs(apps: Sequence[str], classes: Sequence[str]) -> list[NpbProgram]:
    """All of these benchmarks in all of these classes.

    Raises:
        ConfigError: one is none of NPB's.
    """
    return [NpbProgram.parse(f"{app}.{problem_class}") for app in apps for problem_class in classes]
