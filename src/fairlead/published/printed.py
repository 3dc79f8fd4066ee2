"""Whether a computed number is the published one: rounded or cut to the digits that were printed, or within a bound."""

from collections.abc import Sequence
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal, InvalidOperation

from fairlead.analysis.evaluations import quantities
from fairlead.published.computation import Computation, MistakeError

_MOST_DIGITS = 320
"""Of a number that a double can hold."""
_EXACT = Context(prec=4 * _MOST_DIGITS)


def number(published: object) -> Decimal:
    """A published number; as a text it keeps the zeros at its end.

    Raises:
        MistakeError: it is none.
    """
    if isinstance(published, int | float | str) and not isinstance(published, bool):
        try:
            found = Decimal(published) if isinstance(published, str) else Decimal(repr(published)).normalize()
        except InvalidOperation:
            found = Decimal("nan")
        if found.is_finite() and abs(found.adjusted()) < _MOST_DIGITS:
            return found
    shown = "nothing" if published is None else repr(published)
    raise MistakeError(("published",), f"must be a number for this figure, not {shown}")


def all_of(published: object, count: int, what: str) -> list[Decimal]:
    """A list of published numbers.

    Raises:
        MistakeError: it is none, or has another length.
    """
    if not isinstance(published, list) or len(published) != count:
        raise MistakeError(("published",), f"must be a list of {count} numbers: {what}")
    return [number(each) for each in published]


def unit_size(computation: Computation, own: str) -> tuple[float, str]:
    """Size of the published unit in a number's own unit, and how it is said after a definition.

    Raises:
        MistakeError: the figure is not printed in such a unit.
    """
    known = quantities.units(own)
    wanted = computation.unit or own
    if wanted not in known:
        reason = f"{wanted!r} is not a unit of the figure {computation.figure}; known are {', '.join(known)}"
        raise MistakeError(("computation", "unit"), reason)
    return known[wanted], f", in {wanted}" if wanted != "1" else ""


def how_printed(published: Decimal, value: float, computation: Computation) -> str:
    """How ``value`` was made the published number: "rounded", "cut", or "" if it was not."""
    step = _step(published, value, computation)
    exact = exact_number(value)
    wanted = published.quantize(step, ROUND_HALF_UP, _EXACT)
    if wanted in (exact.quantize(step, how, _EXACT) for how in (ROUND_HALF_UP, ROUND_HALF_EVEN)):
        return "rounded"
    return "cut" if wanted == exact.quantize(step, ROUND_DOWN, _EXACT) else ""


def holds(published: Sequence[Decimal], value: float, computation: Computation) -> str:
    """By which rule the relation of a number to the published ones holds: a word; empty if it does not.

    "At most", "at least" and "between" also hold for what is rounded to the printed digits; "below" and "above" are
    of the unrounded number.
    """
    relation, first, exact = computation.relation, published[0], exact_number(value)
    if relation == "is":
        return how_printed(first, value, computation)
    if relation == "about":
        return "within" if abs(exact - first) <= Decimal(repr(computation.within)) else ""
    if relation in ("below", "above"):
        return "unrounded" if (exact < first if relation == "below" else exact > first) else ""
    low = first if relation in ("at least", "between") else None
    high = published[-1] if relation in ("at most", "between") else None
    if (low is None or exact >= low) and (high is None or exact <= high):
        return "unrounded"
    ends = [end for end, out in ((low, low is not None and exact < low), (high, high is not None and exact > high))
            if out and end is not None]  # fmt: skip
    return "rounded" if all(how_printed(end, value, computation) for end in ends) else ""


def _step(published: Decimal, value: float, computation: Computation) -> Decimal:
    if computation.digits is not None:
        shown = exact_number(value)
        return Decimal(1).scaleb(shown.adjusted() - computation.digits + 1) if shown else Decimal(1)
    decimals = computation.decimals if computation.decimals is not None else shown_decimals(published)
    return Decimal(1).scaleb(-decimals)


def exact_number(value: float) -> Decimal:
    """A computed number without the rounding of sums: what is 25 must not be 25.000000000000004."""
    return Decimal(f"{value:.13g}")


def shown_decimals(published: Decimal) -> int:
    """Decimals that a number shows: 491 has none, 74.3 has one."""
    exponent = published.as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0
