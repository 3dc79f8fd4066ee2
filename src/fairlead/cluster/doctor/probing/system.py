"""Files and programs of this host."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

NO_PROGRAM = 127


def content_of(path: str | Path) -> str | None:
    """Content of a file, or None where there is none or it is not for us."""
    try:
        return Path(path).read_text(errors="replace").strip()
    except OSError:
        return None


def number(path: str | Path) -> int | None:
    """A file that holds one whole number, or None."""
    try:
        return int(content_of(path) or "")
    except ValueError:
        return None


def output_of(argv: list[str], timeout_s: float = 10) -> tuple[int, str]:
    """Exit code and everything printed. 127 and the reason where it could not be run, as a shell has it."""
    environment = dict(os.environ, LC_ALL="C")
    try:
        done = subprocess.run(
            argv,
            stdin=subprocess.DEVNULL,  # ours is the doctor's
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=timeout_s,
            env=environment,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return NO_PROGRAM, str(error)
    return done.returncode, done.stdout.decode(errors="replace").strip()


def find(name: str) -> str | None:
    """Path of a program; the system's directories too, which an ordinary user's PATH lacks."""
    return shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")


def text_of(*argv: str) -> str | None:
    """What a program prints, or None if it is missing or fails."""
    path = find(argv[0])
    if path is None:
        return None
    code, text = output_of([path, *argv[1:]])
    return text if code == 0 else None


def lines_of(*argv: str) -> list[str] | None:
    """`text_of`, as lines."""
    text = text_of(*argv)
    return None if text is None else text.splitlines()


class Facts:
    """Facts by name. One that cannot be found out is left at its default, with the reason: the probe goes on."""

    def __init__(self) -> None:
        self.known: dict[str, Any] = {}
        self.failures: dict[str, str] = {}

    def add(self, name: str, question: Callable[[], Any], default: Any = None) -> None:
        """Ask ``question`` and keep its answer."""
        try:
            self.known[name] = question()
        except Exception as error:  # noqa: BLE001 (a host may be odd in any way, and the other facts still count)
            self.known[name] = default
            self.failures[name] = f"{type(error).__name__}: {error}"
