"""The files that a profile is written to."""

from dataclasses import dataclass
from pathlib import Path

from fairlead import files
from fairlead.errors import ConfigError, FairleadError
from fairlead.profile.json_form import Summary


@dataclass(frozen=True)
class ProfileOutput:
    """Where a profile goes; None: nowhere.

    Attributes:
        json, html: files.
        figures: directory of the page's figures.
    """

    json: Path | None = None
    html: Path | None = None
    figures: Path | None = None

    def __post_init__(self) -> None:
        if self.figures is not None and self.html is None:
            raise ConfigError("--figures: these are the figures of the page", hint="name the page with --html")

    def write(self, found: Summary) -> list[Path]:
        """Write what was asked for; returns the files.

        Raises:
            FairleadError: one cannot be written; the others are.
        """
        written: list[Path] = []
        problems: list[FairleadError] = []
        for part in (self._write_json, self._write_page):
            try:
                written += part(found)
            except FairleadError as error:
                problems.append(error)
        if problems and written:
            problems.append(FairleadError(f"written all the same: {', '.join(map(str, written))}"))
        if len(problems) > 1:
            raise FairleadError("\n".join(map(str, problems)))
        if problems:
            raise problems[0]
        return written

    def _write_json(self, found: Summary) -> list[Path]:
        return [files.write(self.json, found.to_json())] if self.json is not None else []

    def _write_page(self, found: Summary) -> list[Path]:
        if self.html is None:
            return []
        from fairlead.report.profile import profile_report  # draws, and is slow to load

        return profile_report.write(found, self.html, figures=self.figures)
