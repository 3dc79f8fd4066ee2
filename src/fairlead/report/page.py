"""HTML pages: one file each that opens from the file system without any network."""

from pathlib import Path
from typing import Any

import jinja2

from fairlead import __version__, files
from fairlead.report import palette

MOST_ROWS = 1000
"""Of a table that a page has; its CSV has all. A page of some megabytes opens at once, one of twenty does not."""


def render(template: str, **values: Any) -> str:
    """The page made from ``templates/<template>``. A name that the template uses and nobody gave is an error."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).with_name("templates")),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["most_rows"] = MOST_ROWS
    return environment.get_template(template).render(palette=palette.css(), version=__version__, **values)


def write(path: Path, content: str, *, option: str = "--output") -> Path:
    """Write a page or what goes with it; ``option`` is the one that names the file.

    Raises:
        FairleadError: it cannot be written.
    """
    return files.write(path, content, hint=f"name another with {option}")
