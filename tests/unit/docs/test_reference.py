"""The generated pages of docs/reference are those that the code gives."""

import re
from functools import cache

from scripts.reference import __main__ as reference
from scripts.reference import attributes, commands, files, markdown
from scripts.reference.annotations import Annotation

from fairlead.cluster.cluster_file import ClusterFile, HostEntry
from fairlead.lab.congestion.description import Delay
from fairlead.lab.description import LinkDescription

pages_of_files, pages_of_commands = cache(files.pages), cache(commands.pages)


def test_the_pages_are_current() -> None:
    assert reference.stale() == [], "run `make reference`"


def test_every_key_has_a_meaning() -> None:
    pages = pages_of_files()
    assert len(pages) == len(files.FILES) + 1
    rows = [row for page in pages.values() for row in page.splitlines() if row.startswith("| `")]
    assert len(rows) > 150
    assert [row for row in rows if not row.split(" | ")[-1].removesuffix("|").strip()] == []


def test_every_option_has_a_meaning() -> None:
    pages = pages_of_commands()
    assert {"reference/commands/run.md", "reference/commands/lab-congest-streams.md"} <= pages.keys()
    rows = [row for page in pages.values() for row in page.splitlines() if row.startswith("| `-")]
    assert len(rows) > 250
    assert [row for row in rows if not row.split(" | ")[-1].removesuffix("|").strip()] == []


def test_no_page_has_a_table_without_columns_or_rows() -> None:
    pages = pages_of_commands() | pages_of_files()
    lines = {name: page.splitlines() for name, page in pages.items()}
    empty = [
        name for name, page in lines.items() if "|" in page or any(re.fullmatch(r"\|[ |]*\|", line) for line in page)
    ]
    assert empty == []
    assert "## OPTIONS" not in pages["reference/commands/net.md"]
    assert markdown.table(("option", "meaning"), []) == ""
    assert markdown.table(("option", "value"), [("`-q`", "")]) == "| option |\n|---|\n| `-q` |"


def test_help_becomes_the_parts_of_a_man_page() -> None:
    text = commands.read_help(
        """Do a thing
        well.

        See docs/guides/run.md and --fast. The exit code is 1 if it failed.

        \b
        Examples, from here:
          fairlead do x
          fairlead do y
        """
    )
    assert text.summary == "Do a thing well."
    assert text.description == ["See [run](../../guides/run.md) and `--fast`."]
    assert text.examples == ["From here:", "```\nfairlead do x\nfairlead do y\n```"]
    assert text.status == "The exit code is 1 if it failed."


def test_types_in_words() -> None:
    def words(model: type, key: str) -> str:
        return Annotation.of_field(model.model_fields[key]).describe({HostEntry: "#hosts"})

    assert words(LinkDescription, "nics") == "whole number, 1 to 8"
    assert words(LinkDescription, "queue") == "size or time"
    assert words(HostEntry, "role") == "`compute`, `relay` or `other`"
    assert words(HostEntry, "address") == "text, an IPv4 or IPv6 address"
    assert words(ClusterFile, "hosts") == "list of [tables](#hosts), not empty"
    assert words(Delay, "link") == "list of 2 texts"


def test_defaults_as_a_file_has_them() -> None:
    def written(model: type, key: str) -> str:
        field = model.model_fields[key]
        return Annotation.of_field(field).written(field.default)

    assert written(LinkDescription, "burst") == "`16KiB`"
    assert written(LinkDescription, "bond") == ""
    assert written(Delay, "delay") == "`5ms`"
    assert written(Delay, "both_directions") == "`true`"


def test_meanings_are_inherited() -> None:
    assert attributes.of_fields(LinkDescription)["nics"] == "Number of NICs; more than one need a ``bond``."


def test_anchors_are_those_of_github() -> None:
    assert markdown.anchor("`[servers.vm]`") == "serversvm"
    assert markdown.anchor("`[[congestion]]`: streams") == "congestion-streams"
