"""Makes the sources of both sides of the protocol: `python -m protocol.generate [DIRECTORY]`."""

import sys
from pathlib import Path

from protocol import cpp_agent, cpp_core, python
from protocol.table import Table, load_table

ROOT = Path(__file__).parents[1]


def files(table: Table) -> dict[str, str]:
    """Every generated file, by its path in the tree."""
    return {**cpp_core.files(table), **cpp_agent.files(table), **python.files(table)}


def main(directory: Path) -> None:
    """Write them below a directory."""
    for name, text in files(load_table()).items():
        path = directory / name
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue  # a new time would have it compiled again
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT)
