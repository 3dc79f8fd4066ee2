"""A hook of mkdocs: pages of the reference in the navigation, and links that lead out of docs as plain text.

An entry of ``nav`` that ends with a slash stands for the pages of that folder: the index first, and pages of
subcommands below their command.
"""

import re
from itertools import groupby
from pathlib import Path
from typing import Any

_LINK = re.compile(r"\[((?:[^\[\]\n]|\n(?!\n)|\[[^\[\]]*\])*)\]\(([^()\s#:]+)(?:#[^()\s]*)?\)")
_FENCE = re.compile(r"(^```.*?^```)", re.MULTILINE | re.DOTALL)
_WRITTEN = re.compile(r"^<!-- Made by .*? -->\n+")


def on_config(config: Any) -> Any:
    """Fills the navigation."""
    config.nav = _filled(config.nav, Path(config.docs_dir))
    return config


def _filled(entry: Any, docs: Path) -> Any:
    if isinstance(entry, dict):
        return {title: _filled(below, docs) for title, below in entry.items()}
    if isinstance(entry, list):
        return [_filled(each, docs) for each in entry]
    return _folder(entry, docs) if entry.endswith("/") else entry


def _folder(folder: str, docs: Path) -> list[Any]:
    """Its pages by title; a section for each command that has subcommands."""
    names = sorted(path.stem for path in (docs / folder).glob("*.md") if path.stem != "index")
    entries: list[Any] = [f"{folder}index.md"]
    for first, group in groupby(names, key=lambda name: _command(name, names)):
        pages = [{_title(docs / folder / f"{name}.md"): f"{folder}{name}.md"} for name in group]
        entries.append({first: pages} if len(pages) > 1 else pages[0])
    return entries


def _title(path: Path) -> str:
    heading = re.search(r"^# (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    assert heading is not None
    return heading[1].removeprefix("fairlead ")


def _command(name: str, names: list[str]) -> str:
    """The command that a subcommand belongs to; a page's own name where it is none."""
    first = name.split("-")[0]
    return first if first in names else name


def on_page_markdown(markdown: str, page: Any, config: Any, **_: Any) -> str:
    """A page as the site has it."""
    docs = Path(config.docs_dir).resolve()
    here = (docs / page.file.src_uri).parent

    def link(found: re.Match[str]) -> str:
        return found[0] if (here / found[2]).resolve().is_relative_to(docs) else found[1]

    parts = _FENCE.split(_WRITTEN.sub("", markdown))
    return "".join(part if part.startswith("```") else _LINK.sub(link, part) for part in parts)
