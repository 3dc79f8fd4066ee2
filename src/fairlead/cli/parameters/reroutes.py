"""The --reroute option: host pairs that are rerouted by hand."""

import click

FORMS = "SOURCE:DESTINATION:RELAY or SOURCE:DESTINATION:way:NUMBER"
HELP = (
    "Reroute a host pair over RELAY, or with way:NUMBER in its place by that equal-cost path, for the whole run. "
    "Repeatable."
)


def parse_reroutes(
    _context: click.Context, _parameter: click.Parameter, values: tuple[str, ...]
) -> list[tuple[str, str, str | int]]:
    """Source and destination as names, with a relay's name or the number of an equal-cost path, each.

    Raises:
        click.BadParameter: one is not of these forms.
    """
    return [_parse(value) for value in values]


def _parse(value: str) -> tuple[str, str, str | int]:
    match value.split(":"):
        case [source, destination, relay] if source and destination and relay:
            return source, destination, relay
        case [source, destination, "way", number] if source and destination and number.isdecimal():
            return source, destination, int(number)
    raise click.BadParameter(f"{value!r} is not {FORMS}")
