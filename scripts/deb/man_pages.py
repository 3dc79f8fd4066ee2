"""Man pages of all commands, from their help: python -m scripts.deb.man_pages DIRECTORY"""

import inspect
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from fairlead import __version__
from fairlead.cli.main import COMMANDS
from scripts.reference.commands import Entry, every, root


def main() -> None:
    """Write a page NAME.1 for each command."""
    directory = Path(sys.argv[1])
    for entry in every(root()):
        (directory / f"{_name(entry)}.1").write_text(page(entry), encoding="utf-8")


def page(entry: Entry) -> str:
    """A command's page, in man(7)."""
    summary, *blocks = inspect.cleandoc(entry.command.help or "").split("\n\n")
    usage = f"{entry.context.command_path} {' '.join(entry.command.collect_usage_pieces(entry.context))}"
    lines = [
        f'.TH {_name(entry).upper()} 1 "" "fairlead {__version__}" "fairlead"',
        ".SH NAME",
        f"{_text(_name(entry))} \\- {_text(' '.join(summary.split()))}",
        ".SH SYNOPSIS",
        f".B {_text(usage)}",
        ".SH DESCRIPTION" if blocks else "",
        *(line for block in blocks for line in _block(block)),
        *_definitions("COMMANDS", ((_text(each.words[-1]), _short(each)) for each in entry.below())),
        *_definitions("OPTIONS", _options(entry)),
        ".SH SEE ALSO",
        ", ".join(f"\\fB{_text(name)}\\fR(1)" for name in _see_also(entry)),
    ]
    return "\n".join(filter(None, lines)) + "\n"


def _name(entry: Entry) -> str:
    return "-".join(("fairlead", *entry.words))


def _short(entry: Entry) -> str:
    return _text(entry.command.get_short_help_str(limit=200))


def _block(block: str) -> Iterator[str]:
    """A paragraph; one that begins with click's \\b keeps its lines."""
    if not block.startswith("\b"):
        yield ".PP"
        yield _text(" ".join(block.split()))
        return
    yield from (".PP", ".nf", *(_text(line) for line in block.splitlines()[1:]), ".fi")


def _options(entry: Entry) -> Iterator[tuple[str, str]]:
    for each in entry.command.get_params(entry.context):
        if isinstance(each, click.Option) and (record := each.get_help_record(entry.context)):
            yield _text(record[0]), _text(" ".join(record[1].split()))


def _definitions(title: str, items: Iterator[tuple[str, str]]) -> Iterator[str]:
    found = list(items)
    if found:
        yield f".SH {title}"
    for name, meaning in found:
        yield from (".TP", f"\\fB{name}\\fR", meaning)


def _see_also(entry: Entry) -> list[str]:
    if entry.words:
        return ["-".join(("fairlead", *entry.words[:-1]))]
    return [f"fairlead-{name}" for names in COMMANDS.values() for name in names]


def _text(text: str) -> str:
    """As roff takes it: no line of it is a request, and hyphens are those that people type."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped


if __name__ == "__main__":
    main()
