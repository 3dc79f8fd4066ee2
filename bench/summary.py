"""results/bench/summary.json: a list of figures, replaced one by one as they are measured."""

import json
import os
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.figures import Figure
from fairlead.errors import ConfigError

Row = dict[str, Any]


class Summary:
    """The figures measured so far, of this run and of earlier ones.

    Raises:
        ConfigError: the file is there and is not a list of figures.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows: list[Row] = _read(path) if path.exists() else []

    def put(self, group: str, figure: Figure, *, quick: bool) -> None:
        """Add a figure, in place of an earlier one of the same name, and write the file."""
        row = {**figure.row(), "group": group, "quick": quick, "measured_s": time.time()}
        names = [each["name"] for each in self.rows]
        if figure.name in names:
            self.rows[names.index(figure.name)] = row
        else:
            self.rows.append(row)
        self._write()

    def drop_others(self, group: str, keep: set[str]) -> None:
        """Forget figures of a group that it does not give any more."""
        self.rows = [row for row in self.rows if row["group"] != group or row["name"] in keep]
        self._write()

    def show(self, console: Console) -> None:
        """A table of all figures."""
        table = Table("figure", "value", "95 % interval", "target", "met", "n", "note")
        for row in self.rows:
            met = {True: "yes", False: "[red]NO[/red]", None: ""}[row["met"]]
            target = f"{row['sense']} {row['target']:g}" if row["target"] is not None else ""
            note = ("quick; " if row["quick"] else "") + row["note"]
            table.add_row(row["name"], _value(row), _interval(row), target, met, str(row["n"]), note)
        console.print(table)

    def _write(self) -> None:
        # Written beside and renamed: a kill leaves either the old list or the new one.
        beside = self.path.with_suffix(".tmp")
        with beside.open("w", encoding="utf-8") as file:
            json.dump(self.rows, file, indent=1, allow_nan=False)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        beside.replace(self.path)


def _read(path: Path) -> list[Row]:
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ConfigError(f"{path}: not JSON: {error}", hint="remove it; raw samples lie beside it") from error
    if not isinstance(rows, list) or not all(isinstance(row, dict) and "group" in row for row in rows):
        raise ConfigError(f"{path}: not a list of figures", hint="remove it; raw samples lie beside it")
    return rows


def _value(row: Row) -> str:
    if row["value"] is None:
        return "not measured"
    return f"{row['value']:.4g}" + (f" {row['unit']}" if row["unit"] != "1" else "")


def _interval(row: Row) -> str:
    if row["interval"] is None:
        return ""
    low, high = ("" if end is None else f"{end:.4g}" for end in row["interval"])
    return f"{low} … {high}"
