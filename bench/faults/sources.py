"""Which sources are tested: results of others of the same version are older ones."""

import hashlib
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
TESTED = ("src", "native", "protocol", "bench/faults")
DIGITS = 12


def revision(root: Path = ROOT) -> str:
    """The last commit that changed what is tested, so that one of documents alone makes nothing older.

    With a digest behind it where the files differ from the commit; the digest alone where git does not know them.
    """
    commit = _git(root, "log", "-1", f"--abbrev={DIGITS}", "--format=%h")
    if not commit:
        return digest(root)
    return f"{commit}+{digest(root)}" if _git(root, "status", "--porcelain") else commit


def digest(root: Path) -> str:
    """Of the files' names and contents."""
    found = hashlib.sha256()
    for folder in TESTED:
        for path in sorted((root / folder).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                content = hashlib.sha256(path.read_bytes()).hexdigest()
                found.update(f"{path.relative_to(root)} {content}\n".encode())
    return found.hexdigest()[:DIGITS]


def _git(root: Path, *words: str) -> str:
    """What git says of the tested files; nothing where they are in no repository, or there is no git."""
    try:
        done = subprocess.run(["git", "-C", str(root), *words, "--", *TESTED], capture_output=True, text=True)
    except FileNotFoundError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
