"""One setting of the agents."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Setting:
    """A number that agents decide by.

    Attributes:
        default: a whole number where the setting is one.
        limits: least and greatest value.
        at_most: another setting, which it may not exceed; None: none.
    """

    default: int | float
    limits: tuple[int | float, int | float]
    at_most: str | None = None
