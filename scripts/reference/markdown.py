"""Pieces of the generated pages, as Markdown that reads the same on GitHub and on the site."""

import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence

WIDTH = 100
WRITTEN = "<!-- Made by `python -m scripts.reference` from {source}. Change it there. -->"

_CODE = re.compile(r"(`[^`]*`)")
_OPTION = re.compile(r"(?<![\w`-])(--?[a-z][\w-]*)")
_PAGE = re.compile(r"\bdocs/([\w/-]+)\.md")
_LITERAL = re.compile(r"``([^`]*)``")


def paragraph(text: str) -> str:
    """Running text: options as code, names of pages as links, lines wrapped."""
    return _filled(inline(" ".join(text.split())))


def items(texts: Iterable[str]) -> str:
    """A list of texts that are Markdown already."""
    return "\n".join(_filled(f"- {text}", indent="  ") for text in texts)


def _filled(text: str, indent: str = "") -> str:
    return textwrap.fill(text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def inline(text: str, *, depth: int = 2) -> str:
    """Text within a line.

    Args:
        depth: directories below docs of the page that it stands on.
    """
    parts = _CODE.split(_LITERAL.sub(r"`\1`", text))
    return "".join(part if _CODE.fullmatch(part) else _marked(part, depth) for part in parts)


def _marked(text: str, depth: int) -> str:
    linked = _PAGE.sub(lambda found: f"[{found[1].split('/')[-1]}]({'../' * depth}{found[1]}.md)", text)
    return _OPTION.sub(r"`\1`", linked.replace("<", "&lt;").replace("*", r"\*"))


def code(lines: Iterable[str], language: str = "") -> str:
    """A block of code."""
    return "\n".join([f"```{language}", *lines, "```"])


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table without the columns that are empty in all rows; nothing where there are no rows."""
    kept = list(rows)
    if not kept:
        return ""
    columns = [k for k in range(len(head)) if any(row[k] for row in kept)]
    lines = [f"| {' | '.join(row[k].replace('|', chr(92) + '|') for k in columns)} |" for row in (head, *kept)]
    return "\n".join([lines[0], "|" + "---|" * len(columns), *lines[1:]])


def filled(text: str, table_of: Callable[[str], Iterator[Sequence[str]]]) -> str:
    """A page whose tables stand between ``<!-- table NAME -->`` and ``<!-- end -->``, with new ones.

    Args:
        table_of: the head and the rows of a table, by its name.
    """

    def replaced(found: re.Match[str]) -> str:
        head, *rows = table_of(found[1])
        return f"<!-- table {found[1]} -->\n{table(head, rows)}\n<!-- end -->"

    return re.sub(r"<!-- table ([\w.]+) -->.*?<!-- end -->", replaced, text, flags=re.DOTALL)


def anchor(heading: str) -> str:
    """The anchor of a heading, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def page(source: str, *parts: str) -> str:
    """A whole page; empty parts are left out.

    Args:
        source: what the page is made of, in words.
    """
    return "\n\n".join([WRITTEN.format(source=source), *filter(None, parts)]) + "\n"
