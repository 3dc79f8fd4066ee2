"""The --move option: host pairs that are rerouted by hand."""

import click


def parse_moves(
    _context: click.Context, _parameter: click.Parameter, values: tuple[str, ...]
) -> list[tuple[str, str, str]]:
    """SOURCE:DESTINATION:RELAY as names, each. Raises click.BadParameter where one is not of that form."""
    moves = []
    for value in values:
        names = value.split(":")
        if len(names) != 3 or not all(names):
            raise click.BadParameter(f"{value!r} is not SOURCE:DESTINATION:RELAY")
        moves.append((names[0], names[1], names[2]))
    return moves
