#!/usr/bin/env python3
"""Checks the documentation's links: files and anchors of Markdown links, every page and every path that the tree names.

    .venv/bin/python scripts/links.py

Ends with 1 and a line for each broken one. Anchors are those of GitHub, which the site has, too.
"""

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MENTION = re.compile(r"(?<![\w./-])docs/[\w/-]+\.md\b")
PATH = re.compile(r"`((?:src|native|docs|tests|bench|deploy|examples|protocol|scripts)/[\w./-]+)`")
SOURCE = re.compile(r"`([\w./-]+\.(?:py|cpp|hpp|j2))`")
PLACEHOLDER = re.compile(r"\b[A-Z]{2,}\b")  # NAME in a path that stands for many

_FENCE = re.compile(r"^\s*(```|~~~)")
_CODE = re.compile(r"`(?:[^`\n]|\n(?!\n))*`")
_HEADING = re.compile(r"^#{1,6} +(.*?)(?: +#+)?$")
_LINK = re.compile(
    r"\[(?:[^\[\]\n]|\n(?!\n)|\[[^\[\]]*\])*\]\(<?([^()\s>]+)>?(?: +\"[^\"]*\")?\)|^ {0,3}\[[^\]]+\]: +(\S+)",
    re.MULTILINE,
)
_TEXT_OF_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")


def tracked() -> list[Path]:
    """Files of the tree, as git lists them, also those that are new."""
    command = ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [path for name in listed.split("\0") if name and (path := ROOT / name).is_file()]


def documents() -> list[Path]:
    """Pages of the documentation, and the Markdown files beside them."""
    return sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


@cache
def lines(path: Path) -> tuple[str, ...]:
    """A page's lines; those of code blocks are empty."""
    found, inside = [], False
    for line in path.read_text(encoding="utf-8").splitlines():
        fence = _FENCE.match(line) is not None
        inside = inside != fence
        found.append("" if inside or fence else line)
    return tuple(found)


@cache
def anchors(path: Path) -> frozenset[str]:
    """Anchors of a page's headings."""
    found: set[str] = set()
    for line in lines(path):
        if heading := _HEADING.match(line):
            found.add(_anchor(_TEXT_OF_LINK.sub(r"\1", heading[1]), found))
    return frozenset(found)


def _anchor(heading: str, taken: set[str]) -> str:
    name = re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
    numbered = (f"{name}-{number}" for number in range(1, len(taken) + 2))
    return name if name not in taken else next(each for each in numbered if each not in taken)


def broken_links(path: Path) -> Iterator[str]:
    """What is wrong with a page's links, each with file and line."""
    text = _CODE.sub(lambda code: re.sub("[^\n]", "`", code[0]), "\n".join(lines(path)))
    for found in _LINK.finditer(text):
        number = text.count("\n", 0, found.end()) + 1
        if complaint := _complaint(path, found[1] or found[2]):
            yield f"{path.relative_to(ROOT)}:{number}: {complaint}"


def _complaint(path: Path, target: str) -> str:
    if re.match(r"[a-z]+:", target):
        return ""
    name, _, anchor = target.partition("#")
    file = (path.parent / name).resolve() if name else path
    if not file.exists():
        return f"{target}: there is no such file"
    if anchor and (file.suffix != ".md" or anchor not in anchors(file)):
        return f"{target}: there is no such heading"
    return ""


def broken_mentions(path: Path) -> Iterator[str]:
    """Pages, and paths in backticks, that a file of the tree names in its text, and that are not there."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:  # a picture
        return
    for number, line in enumerate(text.splitlines(), start=1):
        where = f"{path.relative_to(ROOT)}:{number}"
        for found in MENTION.findall(line):
            if not (ROOT / found).is_file():
                yield f"{where}: {found}: there is no such page"
        for found in PATH.findall(line):
            if not PLACEHOLDER.search(found) and not MENTION.fullmatch(found) and not (ROOT / found).exists():
                yield f"{where}: {found}: there is no such file or folder"


def broken_names(path: Path, names: Iterable[str]) -> Iterator[str]:
    """Source files that a page names, with or without folders, and that are not among ``names``, paths of the tree."""
    for number, line in enumerate(lines(path), start=1):
        for found in SOURCE.findall(line):
            if not PLACEHOLDER.search(found) and not any(f"/{name}".endswith(f"/{found}") for name in names):
                yield f"{path.relative_to(ROOT)}:{number}: {found}: there is no such file"


def main() -> int:
    """Exit code of the check."""
    names = [str(path.relative_to(ROOT)) for path in tracked()]
    links = [each for path in documents() for each in (*broken_links(path), *broken_names(path, names))]
    mentions = [each for path in tracked() for each in broken_mentions(path)]
    print(*sorted({*links, *mentions}), sep="\n", end="\n" if links or mentions else "")
    return 1 if links or mentions else 0


if __name__ == "__main__":
    sys.exit(main())
