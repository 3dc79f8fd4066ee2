"""Runs a script as the first process inside User Mode Linux, on this machine's own files, with its bonding driver.

Needs Debian's package user-mode-linux, installed, or unpacked where FAIRLEAD_UML says.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from . import inside_uml

ROOT = Path(os.environ.get("FAIRLEAD_UML", "/"))
PROGRAM = ROOT / "usr/bin/linux.uml"
MODULES = sorted((ROOT / "usr/lib/uml/modules").glob("*"))
IS_THERE = bool(PROGRAM.is_file() and MODULES)
MARKS = [
    pytest.mark.uml,
    pytest.mark.slow,
    pytest.mark.skipif(not IS_THERE, reason="user-mode-linux is not installed"),
]


def version() -> tuple[int, int]:
    """Of its kernel."""
    major, minor = MODULES[-1].name.split(".")[:2]
    return int(major), int(minor)


def result_of(
    script: Path,
    directory: Path,
    *arguments: str,
    memory: str = "256M",
    python: str = sys.executable,
    within_s: float = 300,
) -> Any:
    """What a script gave to `inside_uml.tell`; its arguments are the modules' directory and ``arguments``."""
    registers = directory / "uml_registers.so"
    source = Path(__file__).with_name("uml_registers.c")
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", registers, source], check=True)
    init = directory / "init"
    words = " ".join([python, str(script), f"{MODULES[-1]}/kernel", *arguments])
    init.write_text(f"#!/bin/sh\nunset LD_PRELOAD\nexport PYTHONDONTWRITEBYTECODE=1 HOME=/\nexec {words}\n")
    init.chmod(0o755)
    done = subprocess.run(
        [
            *(PROGRAM, f"umid=fairlead{os.getpid()}", f"uml_dir={directory}", f"mem={memory}", "rootfstype=hostfs"),
            *("rw", "root=/dev/root", f"init={init}", "con=null", "con0=fd:0,fd:1", "quiet"),
        ],
        env={**os.environ, "LD_PRELOAD": str(registers), "TMPDIR": str(directory)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=within_s,
        check=False,
    )
    said = [line for line in done.stdout.decode(errors="replace").splitlines() if inside_uml.MARK in line]
    assert said, (done.stdout + done.stderr).decode(errors="replace")[-2000:]
    return json.loads(said[0].partition(inside_uml.MARK)[2])
