"""Rows of a foreign CSV file, checked as far as that needs no map: every complaint names the line."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fairlead.display import words
from fairlead.errors import ConfigError, reason_of

MOST_LINES = 8
"""Lines that a complaint names one by one."""


@dataclass(frozen=True)
class ForeignRow:
    """A row: texts by column, without spaces around them, and the line (from 1) that it ends on."""

    texts: Mapping[str, str]
    line: int


@dataclass(frozen=True)
class Content:
    """A file: its bytes, its columns and its rows."""

    data: bytes
    columns: tuple[str, ...]
    rows: tuple[ForeignRow, ...]


def read(file: Path) -> Content:
    """Read a file.

    Raises:
        ConfigError: it cannot be read, is no CSV, has a column twice, or a row has another number of columns.
    """
    data = _data(file)
    lines = _records(file, _text(file, data))
    line, header = next(lines, (1, []))
    columns = [name.strip() for name in header]
    if not any(columns):
        raise ConfigError(f"{file}:{line}: holds no row", hint="the first line must name the columns")
    doubled = [name for name in dict.fromkeys(columns) if name and columns.count(name) > 1]
    if doubled:
        places = ", ".join(str(k) for k, name in enumerate(columns, start=1) if name == doubled[0])
        raise ConfigError(
            f"{file}:{line}: the column {doubled[0]!r} is there {columns.count(doubled[0])} times (columns {places})",
            hint="give each column a name of its own in the first line",
        )
    rows = []
    for line, texts in lines:
        if not texts:  # an empty line
            continue
        if len(texts) != len(columns):
            found = words.count(len(texts), "column")
            raise ConfigError(
                f"{file}:{line}: has {found}, the first line {len(columns)}",
                hint="a text with a comma in it must stand in double quotes",
            )
        rows.append(ForeignRow(dict(zip(columns, (each.strip() for each in texts), strict=True)), line))
    if not rows:
        raise ConfigError(f"{file}: holds no row", hint="one row a sample, after the first line")
    return Content(data, tuple(columns), tuple(rows))


def describe(lines: Sequence[int]) -> str:
    """For people: "lines 3, 5 and 12 more"."""
    shown = ", ".join(map(str, lines[:MOST_LINES]))
    more = f" and {len(lines) - MOST_LINES} more" if len(lines) > MOST_LINES else ""
    return f"line {shown}" if len(lines) == 1 else f"lines {shown}{more}"


def _data(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read: {reason_of(error)}") from error


def _text(file: Path, data: bytes) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise ConfigError(f"{file}:{line}: is not UTF-8 text: {error.reason}", hint="save it as UTF-8") from error
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise ConfigError(f"{file}:{line}: a byte of 0: this is no CSV", hint="save it as UTF-8")
    return text


def _records(file: Path, text: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    while True:
        try:
            record = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise ConfigError(
                f"{file}:{reader.line_num}: is not CSV: {error}", hint="look for an open quote"
            ) from error
        yield reader.line_num, record
