"""What a wheel promises: its platform, its size, and that its programs need nothing but glibc, no newer than promised.

python -m scripts.wheel.check GLIBC PROCESSOR WHEEL
"""

import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

SIZE_LIMIT_B = 25_000_000
NEEDED = re.compile(r"\(NEEDED\).*\[(.+)\]")
SEARCHED = re.compile(r"\((?:RPATH|RUNPATH)\).*\[(.+)\]")
GLIBC = re.compile(r"GLIBC_(\d+)\.(\d+)")
PART_OF_GLIBC = re.compile(r"(libc|libm|libdl|libpthread|librt|ld-linux-x86-64|ld-linux-aarch64)\.so\.\d+")
MACHINE = re.compile(r"Machine: +(.+)")
MACHINES = {"x86_64": "Advanced Micro Devices X86-64", "aarch64": "AArch64"}  # as readelf calls them
MPI = {"openmpi": "libmpi.so.40", "mpich": "libmpi.so.12", "debian": "libmpich.so.12"}
MUST_HOLD = (
    *(f"bin/fairlead-{name}" for name in ("agent", "guardian", "enter", "streams", "delay", "noise", "timer")),
    *(f"lib/libfairlead{name}.so" for name in ("", "-openmpi", "-mpich", "-standard", "-idle")),
    *(
        f"mpi/{flavour}/bin/{name}"
        for flavour in ("openmpi", "mpich")
        for name in ("cg", "nbody", "random-traffic", "mpi-latency")
    ),
    "mpi/debian/libmpi.so.12",
)


def main() -> int:
    """Print what was found; exit code 1 if a promise is not kept."""
    glibc, processor, wheel = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    problems = list(findings(glibc, processor, wheel))
    for problem in problems:
        print(f"wheel: {problem}", file=sys.stderr)
    if not problems:
        print(f"wheel: {wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, runs with glibc {glibc} and newer")
    return 1 if problems else 0


def findings(glibc: str, processor: str, wheel: Path) -> Iterator[str]:
    """Promises that are not kept."""
    if not wheel.name.endswith(f"-py3-none-manylinux_{glibc.replace('.', '_')}_{processor}.whl"):
        yield f"{wheel.name}: the name says another platform than glibc {glibc} on {processor}"
    if wheel.stat().st_size > SIZE_LIMIT_B:
        yield f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, more than {SIZE_LIMIT_B / 1e6:.0f}"
    with tempfile.TemporaryDirectory() as directory, zipfile.ZipFile(wheel) as archive:
        archive.extractall(directory)
        native = Path(directory, "fairlead", "_native")
        for name in MUST_HOLD:
            if not (native / name).is_file():
                yield f"{name} is missing"
        programs = (file for kind in ("bin", "lib", "mpi") for file in native.glob(f"{kind}/**/*") if file.is_file())
        for file in sorted(programs):
            for what in _of_program(file, native, glibc, processor):
                yield f"{file.relative_to(native)} {what}"


def _of_program(file: Path, native: Path, glibc: str, processor: str) -> Iterator[str]:
    what = ["--file-header", "--dynamic", "--version-info"]
    said = subprocess.run(["readelf", "--wide", *what, file], capture_output=True, text=True, check=True).stdout
    machine = MACHINE.search(said)
    if machine is None or machine[1] != MACHINES[processor]:
        yield f"is not for {processor}"
    newest = max((tuple(map(int, found)) for found in GLIBC.findall(said)), default=(0, 0))
    if newest > tuple(map(int, glibc.split("."))):
        yield f"needs glibc {newest[0]}.{newest[1]}"
    for found in SEARCHED.findall(said):
        if not found.startswith("$ORIGIN/"):
            yield f"searches {found} for libraries"
    flavour = file.relative_to(native).parts[1] if file.relative_to(native).parts[0] == "mpi" else None
    needed = set(NEEDED.findall(said))
    if flavour is not None and MPI[flavour] not in needed:
        yield f"does not need {MPI[flavour]}"
    for library in sorted(needed - ({MPI[flavour]} if flavour else set())):
        if not PART_OF_GLIBC.fullmatch(library):
            yield f"needs {library}"


if __name__ == "__main__":
    sys.exit(main())
