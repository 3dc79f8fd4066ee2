"""The type of commands, for the decorators that give them options."""

from collections.abc import Callable
from typing import Any, TypeVar

CommandT = TypeVar("CommandT", bound=Callable[..., Any])
"""A command's function, or the command that a decorator has made of it: a decorator returns what it was given."""
