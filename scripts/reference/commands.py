"""docs/reference/commands: a page for each command, in the order of a man page."""

import inspect
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import click

from fairlead.cli.main import COMMANDS, command
from scripts.reference import markdown

FOLDER = "reference/commands"
SOURCE = "the command's help"
GUIDES = {
    "lab": ("lab", "Labs"),
    "doctor": ("clusters", "Clusters"),
    "characterize": ("characterize", "Characterization"),
    "measure": ("measure", "Measurements"),
    "profile": ("profile", "Profiles"),
    "predict": ("characterize", "Characterization"),
    "placement": ("placement", "Placement"),
    "run": ("run", "Managed runs"),
    "supervise": ("slurm", "Slurm"),
    "status": ("run", "Managed runs"),
    "clean": ("run", "Managed runs"),
    "guardian": ("install", "Installation"),
    "workload": ("programs", "Programs"),
    "demo": ("compare", "Comparisons"),
    "compare": ("compare", "Comparisons"),
    "evaluate": ("evaluate", "Evaluations"),
    "simulate": ("simulate", "Simulation"),
    "net": ("bonds", "Bonds"),
    "cloud": ("migration", "Migration"),
}
"""By the first word of a command: the guide that uses it, in docs/guides, and its title."""
STATUS = (
    ("0", "done"),
    ("1", "something failed, or a check did not hold"),
    ("2", "wrong input: command line, file, or a name that does not exist"),
    ("128 + signal", "interrupted by a signal"),
)
STATUS_OF_PROGRAM = (
    ("the program's", "the program ran"),
    ("1", "fairlead failed"),
    ("2", "wrong input: command line, file, or a name that does not exist"),
    ("127", "the program was not found"),
    ("128 + signal", "ended by a signal"),
)
_DEFAULT = re.compile(r"\s*\[default: (?P<value>[^\]]*)\]\.?")


@dataclass(frozen=True)
class Entry:
    """A command and where it stands: ``words`` are those that call it, without ``fairlead``."""

    command: click.Command
    context: click.Context
    words: tuple[str, ...]

    @property
    def name(self) -> str:
        """As it is spoken of."""
        return " ".join(("fairlead", *self.words))

    @property
    def file(self) -> str:
        """Name of its page."""
        return f"{'-'.join(self.words)}.md" if self.words else "index.md"

    def below(self) -> Iterator["Entry"]:
        """Its subcommands."""
        if isinstance(self.command, click.Group):
            for name in self.command.list_commands(self.context):
                found = self.command.get_command(self.context, name)
                assert found is not None
                yield Entry(found, click.Context(found, self.context, info_name=name), (*self.words, name))


@dataclass(frozen=True)
class Help:
    """The parts of a command's help text, as Markdown."""

    summary: str
    description: Sequence[str]
    examples: Sequence[str]
    status: str


def pages() -> dict[str, str]:
    """Text of each page, by its path below docs."""
    return {f"{FOLDER}/{entry.file}": _page(entry) for entry in every(root())}


def root() -> Entry:
    """`fairlead` itself."""
    return Entry(command, click.Context(command, info_name="fairlead"), ())


def every(entry: Entry) -> Iterator[Entry]:
    """A command, and all below it."""
    yield entry
    for each in entry.below():
        yield from every(each)


def _page(entry: Entry) -> str:
    text = read_help(entry.command.help or "")
    pieces = " ".join(entry.command.collect_usage_pieces(entry.context))
    return markdown.page(
        SOURCE,
        f"# {entry.name}",
        f"## NAME\n\n{markdown.paragraph(f'`{entry.name}`: {text.summary}')}",
        "## SYNOPSIS\n\n" + markdown.code([f"{entry.context.command_path} {pieces}"]),
        _section("DESCRIPTION", *text.description),
        _section("COMMANDS", *(_sections() if not entry.words else [_commands(list(entry.below()))])),
        _section("OPTIONS", _options(entry)),
        _section("EXAMPLES", *text.examples),
        _section("EXIT STATUS", text.status, _status(entry)),
        _section("SEE ALSO", ", ".join(_see_also(entry))),
    )


def _section(title: str, *parts: str) -> str:
    found = [part for part in parts if part]
    return "\n\n".join([f"## {title}", *found]) if found else ""


def read_help(text: str) -> Help:
    """Splits a help text: its first paragraph, the others, examples, and what it says of exit codes."""
    summary, *blocks = inspect.cleandoc(text).split("\n\n")
    description, examples, status = [], [], ""
    for block in blocks:
        literal = block.startswith("\b")
        words = block.removeprefix("\b\n")
        if words.startswith("Example"):
            examples += list(_examples(words))
        elif literal:
            description += list(_literal(words.splitlines()))
        else:
            before, found, after = words.partition("The exit code ")
            description += [markdown.paragraph(before)] if before.strip() else []
            status = markdown.paragraph(found + after) if found else status
    return Help(" ".join(summary.split()), description, examples, status)


def _examples(text: str) -> Iterator[str]:
    first, *rest = text.splitlines()
    if not rest:
        yield markdown.code([first.partition(": ")[2]])
        return
    intro = first.removeprefix("Examples").removeprefix("Example").strip(",: ")
    if intro:
        yield f"{intro[0].upper()}{intro[1:]}:"
    yield from _literal(rest)


def _literal(lines: Sequence[str]) -> Iterator[str]:
    """Lines that stand as they are: indented ones are commands."""
    block: list[str] = []
    for line in lines:
        if line.startswith(" "):
            block.append(line.strip())
            continue
        if block:
            yield markdown.code(block)
            block = []
        yield markdown.paragraph(line)
    if block:
        yield markdown.code(block)


def _sections() -> Iterator[str]:
    for title, commands in COMMANDS.items():
        rows = [(f"[{name}]({name}.md)", each.summary.rstrip(".")) for name, each in commands.items()]
        yield f"### {title}\n\n" + markdown.table(("command", "does"), rows)


def _commands(entries: Sequence[Entry]) -> str:
    rows = []
    for each in entries:
        summary = read_help(each.command.help or "").summary
        rows.append((f"[{each.words[-1]}]({each.file})", markdown.inline(summary).rstrip(".")))
    return markdown.table(("command", "does"), rows)


def _options(entry: Entry) -> str:
    rows = [
        _option(each, entry.context)
        for each in entry.command.get_params(entry.context)
        if isinstance(each, click.Option) and not each.hidden and not {"--help", "--version"} & {*each.opts}
    ]
    return markdown.table(("option", "value", "default", "meaning"), rows)


def _option(option: click.Option, context: click.Context) -> tuple[str, str, str, str]:
    text = option.help or ""
    written = _DEFAULT.search(text)
    default = markdown.inline(written["value"]) if written else ""
    if not written and option.show_default:
        default = f"`{_default(option, option.get_default(context))}`"
    if option.required:
        default = "required"
    meaning = markdown.inline(_DEFAULT.sub("", text)).strip()
    if meaning and not meaning.endswith((".", "?")):
        meaning += "."
    names = ", ".join(f"`{name}`" for name in sorted((*option.opts, *option.secondary_opts), key=len))
    return names, _value(option), default, meaning


def _default(option: click.Option, value: object) -> str:
    if option.is_bool_flag:
        return (option.opts if value else option.secondary_opts)[0]
    return f"{value:g}" if isinstance(value, float) else str(value)


def _value(option: click.Option) -> str:
    """What stands after the option, with its limits."""
    if option.is_flag:
        return ""
    kind = option.type
    if isinstance(kind, click.Choice):
        return ", ".join(f"`{each}`" for each in kind.choices)
    name = option.metavar or " ".join([kind.name.upper().removesuffix(" RANGE")] * option.nargs)
    limits = _limits(kind) if isinstance(kind, click.IntRange | click.FloatRange) else ""
    return f"{name}, {limits}" if limits else name


def _limits(kind: click.IntRange | click.FloatRange) -> str:
    if kind.min is not None and kind.max is not None and not (kind.min_open or kind.max_open):
        return f"{kind.min:g} to {kind.max:g}"
    least = "" if kind.min is None else f"{'above' if kind.min_open else 'at least'} {kind.min:g}"
    most = "" if kind.max is None else f"{'below' if kind.max_open else 'at most'} {kind.max:g}"
    return ", ".join(filter(None, (least, most)))


def _status(entry: Entry) -> str:
    runs_program = any(each.type is click.UNPROCESSED for each in entry.command.params)
    return markdown.table(("status", "meaning"), STATUS_OF_PROGRAM if runs_program else STATUS)


def _see_also(entry: Entry) -> Iterator[str]:
    if not entry.words:
        return
    parent = entry.words[:-1]
    yield f"[{' '.join(('fairlead', *parent))}]({'-'.join(parent) or 'index'}.md)"
    if guide := GUIDES.get(entry.words[0]):
        yield f"[{guide[1]}](../../guides/{guide[0]}.md)"
