"""What all figures share: style, rendering to inline SVG, and files on request."""

import hashlib
import html
import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogFormatter, LogFormatterMathtext, LogLocator, NullLocator

from fairlead import files
from fairlead.display import words
from fairlead.display.tables import Table
from fairlead.report import palette

WIDTH_IN = 9.0
"""Width of a figure at 100 % of the page, in inches; type is 10 pt there."""

_DPI = 150
_NO_NAME = re.compile(r"[^A-Za-z0-9_.-]+")

_STYLE: Any = {  # Any: matplotlib's stubs list every key as a literal
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 8,
    "axes.labelsize": 10,
    "axes.labelcolor": palette.MUTED.light,
    "axes.edgecolor": palette.MUTED.light,
    "axes.linewidth": 0.8,
    "axes.facecolor": palette.SURFACE.light,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.unicode_minus": True,
    "figure.facecolor": palette.SURFACE.light,
    "grid.color": palette.GRID.light,
    "grid.linewidth": 0.8,
    "legend.frameon": False,
    "legend.fontsize": 9.5,
    "text.color": palette.INK.light,
    "text.parse_math": False,  # names and levels are a user's: a dollar sign in them is one
    "xtick.color": palette.MUTED.light,
    "ytick.color": palette.MUTED.light,
    "xtick.labelcolor": palette.MUTED.light,
    "ytick.labelcolor": palette.INK.light,
    "xtick.labelsize": 9.5,
    "ytick.labelsize": 9.5,
    "svg.fonttype": "none",
}


@dataclass(frozen=True)
class Drawing:
    """A finished figure of a report.

    Attributes:
        name: file name without ending, unique in its report, and id on the page. Of other characters than letters,
            digits and _ . - (a program may be called anything) dashes are made, and a number that keeps it unique.
        title, caption: plain text.
        figure: the matplotlib figure.
        table: the numbers that it shows.
        whole_csv: makes the CSV of all numbers where the table has sums of them; None: the table's.
        foremost: the rows of all numbers that are looked for first, where the table has sums of them; None: the table
            has these too.
        members: of a table whose rows are from one name to another: by name, what it stands for. A reader can search
            the rows for these. None: for no such table.
    """

    name: str
    title: str
    caption: str
    figure: Figure
    table: Table
    whole_csv: Callable[[], str] | None = None
    foremost: Table | None = None
    members: Mapping[str, Sequence[str]] | None = None

    def __post_init__(self) -> None:
        if _NO_NAME.search(self.name):
            number = hashlib.sha256(self.name.encode()).hexdigest()[:8]
            object.__setattr__(self, "name", f"{_NO_NAME.sub('-', self.name)}-{number}")

    def svg(self) -> str:
        """Themed SVG to put into HTML: no XML header, width by the page, ids that no other figure uses."""
        text = palette.themed(self._plain_svg.decode())
        text = text[text.index("<svg") :]
        text = re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.S)
        text = re.sub(r'( id="|url\(#|href="#)', rf"\1{self.name}--", text)
        label = html.escape(
            f"{self.title}. The table below the figure holds its numbers.".replace('"', "'"), quote=False
        )
        return re.sub(
            r'<svg ([^>]*?)width="([\d.]+)pt" height="[\d.]+pt"',
            lambda match: f'<svg role="img" aria-label="{label}" style="max-width:{match.group(2)}pt" {match.group(1)}',
            text,
            count=1,
        )

    def save(self, directory: Path) -> list[Path]:
        """Write NAME.svg, NAME.png (light) and NAME.csv, of all numbers.

        Raises:
            FairleadError: the directory cannot be written.
        """
        numbers = self.table.csv() if self.whole_csv is None else self.whole_csv()
        forms: dict[str, str | bytes] = {"svg": self._plain_svg, "png": self._render("png"), "csv": numbers}
        return [files.write(directory / f"{self.name}.{ending}", content) for ending, content in forms.items()]

    @cached_property
    def _plain_svg(self) -> bytes:
        return self._render("svg")

    def _render(self, file_format: str) -> bytes:
        buffer = io.BytesIO()
        metadata = {"Date": None} if file_format == "svg" else {"Software": None}
        _label_powers_plainly(self.figure)
        with mpl.rc_context({**_STYLE, "svg.hashsalt": self.name}):
            if file_format == "svg":
                # As savefig does, which draws it once more before, for the layout, and takes a third longer.
                self.figure.set_dpi(_DPI)
                FigureCanvasSVG(self.figure).print_svg(buffer, metadata=metadata)
            else:
                self.figure.savefig(buffer, format=file_format, dpi=_DPI, metadata=metadata)
        return buffer.getvalue()


@contextmanager
def styled() -> Iterator[None]:
    """Within it, figures get the reports' look."""
    with mpl.rc_context(_STYLE):
        yield


def axes_of(rows: int, height_in: float, **options: Any) -> tuple[Figure, list[Any]]:
    """A figure of the page's width with ``rows`` axes under each other. No display is needed or opened."""
    figure = Figure(figsize=(WIDTH_IN, height_in), layout="constrained")
    axes = figure.subplots(rows, 1, squeeze=False, **options)
    return figure, list(axes[:, 0])


def _label_powers_plainly(figure: Figure) -> None:
    """Logarithmic axes without labels of their own have formulas, as 10 to the power of 2, which are no text here."""
    for axis in (each for axes in figure.get_axes() for each in (axes.xaxis, axes.yaxis)):
        if isinstance(axis.get_major_formatter(), LogFormatterMathtext):
            axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        if isinstance(axis.get_minor_formatter(), LogFormatterMathtext):
            axis.set_minor_formatter(_AsMajor(axis.get_major_formatter()))


class _AsMajor(LogFormatter):
    """Labels where hardly a power is in view, written as the major ones."""

    def __init__(self, written: Any) -> None:
        super().__init__(labelOnlyBase=False)
        self._written = written

    def __call__(self, x: float, pos: int | None = None) -> str:
        return str(self._written(x, pos)) if super().__call__(x, pos) else ""


def legend_below(figure: Figure, handles: Sequence[Any], columns: int = 5) -> None:
    """One legend under all axes, of at most so many columns: never over data. None where there is nothing to name."""
    if handles:
        figure.legend(
            handles=list(handles), loc="outside lower center", ncols=min(len(handles), columns), handletextpad=0.5
        )


def log_times(axis: Any, subdivisions: tuple[float, ...] = (1.0, 2.0, 5.0)) -> None:
    """Ticks of a logarithmic axis of seconds, labelled with their unit."""
    axis.set_major_locator(LogLocator(subs=subdivisions))
    axis.set_major_formatter(FuncFormatter(lambda value, _: words.duration(value, 1)))
    axis.set_minor_locator(NullLocator())
