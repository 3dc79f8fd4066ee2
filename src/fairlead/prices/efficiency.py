"""Cost and cost efficiency, as every report computes them (interconnection thesis, 4.2.1, equation 4.1). Pure.

Prices are of an hour, in a book's currency. Efficiency is what is done in an hour for the price of an hour: what one
unit of the currency buys.
"""

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:  # the price of a time needs no arrays
    from fairlead.statistics.estimates import FloatArray

Rate = TypeVar("Rate", float, "FloatArray")


def cost(per_hour: float, time_s: float) -> float:
    """The price of ``time_s`` seconds at ``per_hour``, in the same currency."""
    return per_hour * time_s / 3600


def bought(per_s: Rate, per_hour: float) -> Rate:
    """How much of what is done ``per_s`` (times a second, or an array of such) one unit of the currency buys."""
    return per_s * 3600 / per_hour
