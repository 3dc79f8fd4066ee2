"""The --reroute option: host pairs that are rerouted by hand."""

import click


def parse_reroutes(
    _context: click.Context, _parameter: click.Parameter, values: tuple[str, ...]
) -> list[tuple[str, str, str]]:
    """SOURCE:DESTINATION:RELAY as names, each. Raises click.BadParameter where one is not of that form."""
    reroutes = []
    for value in values:
        names = value.split(":")
        if len(names) != 3 or not all(names):
            raise click.BadParameter(f"{value!r} is not SOURCE:DESTINATION:RELAY")
        reroutes.append((names[0], names[1], names[2]))
    return reroutes
