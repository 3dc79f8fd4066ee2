"""What a plan gets wrong beyond its form, told all at once: each with file, line, rows and the way out."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

from fairlead import config
from fairlead.config_mistakes import Location
from fairlead.errors import ConfigError

RowT = TypeVar("RowT")


@dataclass(frozen=True)
class ConfigFinding:
    """One thing that is wrong.

    Attributes:
        location: the key that says it.
        hint: the way out.
    """

    location: Location
    message: str
    hint: str


@dataclass
class Findings(Generic[RowT]):
    """All of a plan's, with the rows that each concerns.

    Attributes:
        describe_rows: says of rows which they are: "in 2 of 8 rows (program bt)"; empty: nothing need be said.
    """

    path: Path
    describe_rows: Callable[[Sequence[RowT]], str]
    found: dict[ConfigFinding, list[RowT]] = field(default_factory=dict)

    def add(self, row: RowT, location: Location, message: str, hint: str) -> None:
        """Note what is wrong with a row."""
        rows = self.found.setdefault(ConfigFinding(location, message, hint), [])
        if row not in rows:
            rows.append(row)

    def lines(self) -> list[str]:
        """For people, in the order of the file."""
        text = self.path.read_text(encoding="utf-8-sig")
        told = []
        for finding, rows in self.found.items():
            where = f" {words}" if (words := self.describe_rows(rows)) else ""
            message = f"{finding.message}{where}\n  {finding.hint}"
            line = config.line_of(text, finding.location)
            told.append((line, config.told(text, str(self.path), finding.location, message)))
        return [words for _, words in sorted(told, key=lambda each: each[0])]

    def require_none(self) -> None:
        """Raises ConfigError with all of them if there are any."""
        if self.found:
            raise ConfigError("\n".join(self.lines()))
