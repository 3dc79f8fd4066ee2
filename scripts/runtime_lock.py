"""The part of requirements.lock that fairlead itself needs, without what tests and extras do: prints it.

    python -m scripts.runtime_lock [--build]    --build: with what its installation from a source tree needs

Any Python 3.11 runs it: it is there before the packages are.
"""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def main() -> None:
    """Print it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    named = project["project"]["dependencies"]
    if "--build" in sys.argv[1:]:
        named += project["build-system"]["requires"]
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    print(needed(lock, {_name(each) for each in named}), end="")


def needed(lock: str, named: set[str]) -> str:
    """Entries of a lock that pip-compile wrote: of those named, and of what they are there for."""
    entries = {_name(entry): entry for entry in re.split(r"^(?=[\w.-]+==)", lock, flags=re.MULTILINE) if "==" in entry}
    found: set[str] = set()
    more = named & entries.keys()
    while more:
        found |= more
        more = {name for name, entry in entries.items() if name not in found and _for_whom(entry) & found}
    return "".join(entry for name, entry in entries.items() if name in found)


def _for_whom(entry: str) -> set[str]:
    """Names in the comment "via" of an entry."""
    return {_name(each) for each in re.findall(r"^    #(?: via|  ) +([\w.-]+)", entry, flags=re.MULTILINE)}


def _name(requirement: str) -> str:
    match = re.match(r"[\w.-]+", requirement)
    assert match is not None, requirement
    return match[0].lower().replace("_", "-")


if __name__ == "__main__":
    main()
