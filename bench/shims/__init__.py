"""Small C libraries that benchmarks load into other programs, built when they are first needed."""

import subprocess
from pathlib import Path

from fairlead.errors import MissingToolError

SOURCES = Path(__file__).parent
BUILT = Path(__file__).parents[2] / "build" / "bench"


def build(name: str, compiler: str = "cc") -> Path:
    """Path of the library made of ``NAME.c``; built again when the source is newer.

    Raises:
        MissingToolError: the compiler is missing or refuses the source.
    """
    source, library = SOURCES / f"{name}.c", BUILT / f"lib{name}.so"
    if library.exists() and library.stat().st_mtime >= source.stat().st_mtime:
        return library
    BUILT.mkdir(parents=True, exist_ok=True)
    command = [compiler, "-shared", "-fPIC", "-O2", "-Wall", "-Werror", "-o", str(library), str(source)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise MissingToolError(f"{compiler} is not installed", hint="run `make setup`") from error
    if done.returncode != 0:
        raise MissingToolError(f"{compiler} cannot build {source}: {done.stderr.strip()}", hint="run `make setup`")
    return library
