"""Man pages made of the commands' help."""

import click
from scripts.deb.man_pages import page
from scripts.reference.commands import Entry


@click.command()
@click.option("--depth", type=int, default=3, show_default=True, help="How deep, in m.")
@click.argument("place", metavar="[PLACE]")
def dive() -> None:
    """Dive somewhere.

    .hidden is no request of roff's, and neither a\\b nor
    --depth is changed.

    \b
    Examples:
      fairlead dive --depth 5
    """


def test_a_commands_page_has_the_parts_of_a_man_page() -> None:
    lines = page(Entry(dive, click.Context(dive, info_name="dive"), ("dive",))).splitlines()
    assert lines[0].startswith('.TH FAIRLEAD-DIVE 1 "" "fairlead ')
    assert lines[1:] == [
        ".SH NAME",
        "fairlead\\-dive \\- Dive somewhere.",
        ".SH SYNOPSIS",
        ".B dive [OPTIONS] [PLACE]",
        ".SH DESCRIPTION",
        ".PP",
        "\\&.hidden is no request of roff's, and neither a\\eb nor \\-\\-depth is changed.",
        ".PP",
        ".nf",
        "Examples:",
        "  fairlead dive \\-\\-depth 5",
        ".fi",
        ".SH OPTIONS",
        ".TP",
        "\\fB\\-\\-depth INTEGER\\fR",
        "How deep, in m.  [default: 3]".replace("  ", " "),
        ".TP",
        "\\fB\\-\\-help\\fR",
        "Show this message and exit.",
        ".SH SEE ALSO",
        "\\fBfairlead\\fR(1)",
    ]
