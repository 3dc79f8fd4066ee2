"""A directory with a program and its input, and hosts that are directories here."""

import os
from pathlib import Path

import pytest

SSH = '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\necho "$2" >>{directory}/calls\nHOME={home} exec sh -c "$3"\n'
MPIRUN = """#!/bin/sh
[ "$1" != --version ] || { echo "mpirun (Open MPI) 4.1.4"; exit; }
printf '%s\\n' "$@" >"$0.words"
"""


def make_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory that commands are called in from then on. ``ssh`` and ``mpirun`` are scripts in ``bin``.

    ``calls`` has the hosts that ssh was called for, ``bin/mpirun.words`` the words of the last mpirun.
    """
    for name in ("bin", "site", "home"):
        (tmp_path / name).mkdir()
    put(tmp_path / "bin/ssh", SSH.format(directory=tmp_path, home=tmp_path / "home"))
    put(tmp_path / "bin/mpirun", MPIRUN)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    site = tmp_path / "site"
    monkeypatch.chdir(site)
    put(site / "solver", "#!/bin/sh\necho solved\n")
    (site / "in.dat").write_text("1 2 3\n")
    return site


def put(path: Path, text: str) -> None:
    """An executable file."""
    path.write_text(text)
    path.chmod(0o755)
