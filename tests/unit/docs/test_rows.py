"""docs/rows.md has every row of the sources; tests/lab/experiments/test_rows.py runs its commands."""

import re
from pathlib import Path

from fairlead.prices.book import load_prices

PAGE = (Path(__file__).parents[3] / "docs/rows.md").read_text(encoding="utf-8")
SOURCE_ROWS = [f"{letter}{k}" for letter, last in (("D", 12), ("E", 8), ("N", 8)) for k in range(1, last + 1)]


def test_every_row_has_a_command_and_what_it_gives_here() -> None:
    cells = {row[0]: row for row in (line.strip("| ").split(" | ") for line in PAGE.splitlines() if line[:2] == "| ")}
    assert [row for row in SOURCE_ROWS if row not in cells] == []
    for row in SOURCE_ROWS:
        _, _, command, _, here = cells[row]
        assert re.match(r"`fairlead [^`]+`", command), row
        assert here.strip(), row


def test_the_lab_of_the_rows_has_a_price() -> None:
    """Else the row of prices shows none."""
    assert "--prices examples/prices.toml" in PAGE
    assert load_prices(Path(__file__).parents[3] / "examples/prices.toml").price("mesh8") is not None
