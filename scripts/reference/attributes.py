"""What the source of a class says of it: its docstring, and the texts below its attributes."""

import ast
import inspect
import textwrap
from itertools import pairwise

from pydantic import BaseModel


def of_class(model: type[BaseModel]) -> str:
    """The docstring's paragraphs, without a line that belongs to code alone."""
    return inspect.getdoc(model) or ""


def of_fields(model: type[BaseModel]) -> dict[str, str]:
    """By field, inherited ones too: the text that stands below it.

    Raises:
        KeyError: a field has none.
    """
    found: dict[str, str] = {}
    for base in reversed(model.__mro__):
        if issubclass(base, BaseModel) and base is not BaseModel:
            found |= _below_attributes(base)
    return {name: found[name] for name in model.model_fields}


def _below_attributes(model: type[BaseModel]) -> dict[str, str]:
    (definition,) = ast.parse(textwrap.dedent(inspect.getsource(model))).body
    assert isinstance(definition, ast.ClassDef)
    found = {}
    for statement, after in pairwise(definition.body):
        match statement, after:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                found[name] = " ".join(text.split())
    return found
