"""Text of the documentation is read in editors and terminals too: its lines are short."""

from pathlib import Path

import pytest
from scripts import links

LONGEST = 100  # characters; tables, code and what programs print are as long as they are


def long_lines(path: Path) -> list[str]:
    """Numbers and texts of the lines of text that are too long."""
    return [
        f"{number}: {line}"
        for number, line in enumerate(links.lines(path), start=1)
        if len(line) > LONGEST and not line.lstrip().startswith("|")
    ]


@pytest.mark.parametrize("path", links.documents(), ids=lambda path: str(path.relative_to(links.ROOT)))
def test_lines_of_text_are_short(path: Path) -> None:
    assert long_lines(path) == []


def test_a_long_line_would_be_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    long = "word " * 21
    page.write_text(f"# Title\n\n| {long} |\n\n```\n{long}\n```\n\n{long}\n")
    assert long_lines(page) == [f"9: {long}"]
