"""What a model refuses about a file, in the words of who wrote the file."""

import difflib
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, get_args

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from fairlead import config_former_names

Location = tuple[str | int, ...]

# Kinds of pydantic's errors, and what is said of them. Braces hold the error's own figures.
_WORDS = {
    "missing": "is missing",
    "string_type": "must be a string, in quotes",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "list_type": "must be a list, in [ ]",
    "tuple_type": "must be a list, in [ ]",
    "dict_type": "must be a table",
    "model_type": "must be a table",
    "model_attributes_type": "must be a table",
    "path_type": "must be a path, in quotes",
    "literal_error": "must be one of {expected}",
    "union_tag_invalid": "{discriminator} must be one of {expected_tags}, not '{tag}'",
    "union_tag_not_found": "{discriminator} is missing",
    "greater_than": "must be greater than {gt:g}",
    "greater_than_equal": "must be at least {ge:g}",
    "less_than": "must be less than {lt:g}",
    "less_than_equal": "must be at most {le:g}",
    "string_too_short": "must have at least {min_length} characters",
    "string_too_long": "must have at most {max_length} characters",
    "too_short": "must have at least {min_length} entries, and has {actual_length}",
    "too_long": "must have at most {max_length} entries",
    "finite_number": "must be a finite number",
}


MOST_INTEGER = 2**63 - 1
"""Of TOML and of the store."""
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")  # a text of several lines has line ends, and may have tabs
_NO_TABLE = ("literal_error", "string_type", "int_type", "float_type", "bool_type", "list_type", "tuple_type")


def unusable(data: Any, at: Location = ()) -> Iterator[tuple[Location, str]]:
    """What TOML allows and no key can mean: where it stands, and what is wrong."""
    if isinstance(data, dict | list):
        for part, value in data.items() if isinstance(data, dict) else enumerate(data):
            yield from unusable(value, (*at, part))
    elif isinstance(data, str) and (found := _CONTROL.search(data)):
        yield at, f"must not have a control character (U+{ord(found[0]):04X})"
    elif isinstance(data, float) and not math.isfinite(data):
        yield at, "must be a finite number"
    elif isinstance(data, int) and not -MOST_INTEGER <= data <= MOST_INTEGER:
        yield at, f"must be at most {MOST_INTEGER}" if data > 0 else f"must be at least {-MOST_INTEGER}"


def truths_for_numbers(data: Any, made: Any, at: Location = ()) -> Iterator[tuple[Location, str]]:
    """Where ``data`` says true or false and the model that was ``made`` of it has a number: pydantic takes 1 or 0."""
    if isinstance(data, bool):
        if isinstance(made, int | float) and not isinstance(made, bool):
            yield at, "must be a number, not true or false"
        return
    for part, value in data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ():
        yield from truths_for_numbers(value, _part(made, part), (*at, part))


def _part(made: Any, part: str | int) -> Any:
    """What a model, mapping or sequence has of this name or place; None where it is made of something else."""
    if isinstance(made, BaseModel):
        names = [name for name, field in type(made).model_fields.items() if part in (name, field.alias)]
        return getattr(made, names[0]) if names else None
    if isinstance(made, Mapping):
        return made.get(part)
    is_there = isinstance(made, Sequence) and not isinstance(made, str) and isinstance(part, int) and part < len(made)
    return made[part] if is_there else None


def describe(details: ErrorDetails, model: Any) -> str:
    """What is wrong with the value, or the key, that an error is about.

    Args:
        model: what the whole was checked against: a model, or a union of such.
    """
    kind, context = details["type"], details.get("ctx", {})
    if kind == "extra_forbidden":
        return _unknown(str(details["loc"][-1]), _keys(model, details["loc"][:-1]))
    if kind in ("too_short", "string_too_short") and context["min_length"] == 1:
        return "must not be empty"
    if kind in _WORDS:
        return _WORDS[kind].format(**context)
    return details["msg"].removeprefix("Value error, ").replace("Input should be", "must be")


def named(location: Location, message: str, data: Any) -> tuple[Location, str]:
    """Where a mistake stands that a check of a whole table found, and the rest of what is said of it.

    Such a check begins its message with the key at fault, as the file has it: "run.command: ...", "cases.0.labs: ...".

    Args:
        location: of the table.
        data: the whole file.
    """
    table = data
    for part in location:
        known = table if isinstance(table, dict) else dict(enumerate(table)) if isinstance(table, list) else {}
        table = known.get(part)
    key = _leading_key(message, table)
    return ((*location, *key), message.removeprefix(".".join(map(str, key)) + ": ")) if key else (location, message)


def _leading_key(message: str, table: Any) -> Location:
    """The longest key of a table that stands before the first colon of a message, with dots; empty: none does."""
    entries = table if isinstance(table, dict) else dict(enumerate(table)) if isinstance(table, list) else {}
    for part in sorted(entries, key=lambda each: len(str(each)), reverse=True):
        rest = message.removeprefix(str(part))
        if rest == message:
            continue
        if rest.startswith("."):
            if below := _leading_key(rest[1:], entries[part]):
                return (part, *below)
        elif rest.startswith(": "):
            return (part,)
    return ()


def without_consequences(errors: Iterable[ErrorDetails], data: Any) -> list[ErrorDetails]:
    """Errors without those that only follow.

    A list is not too short because the entries that it has are wrong. Where a value may be a word or a table, a table
    with a mistake inside is not told that it is no word. A key is not missing that stands there under a former name.

    Args:
        data: the whole file.
    """
    found = list(errors)
    places = [each["loc"] for each in found]
    former = {each["loc"] for each in found if each["type"] == "extra_forbidden"}

    def follows(each: ErrorDetails) -> bool:
        at, depth = each["loc"], len(each["loc"])
        if each["type"] == "missing":
            return any((*at[:-1], name) in former for name in config_former_names.former_keys(str(at[-1])))
        if each["type"] == "too_short":
            return any(len(other) > depth and other[:depth] == at for other in places)
        if each["type"] not in _NO_TABLE or not isinstance(each["input"], dict) or _is_key(at, data):
            return False
        return any(len(other) > depth and other[: depth - 1] == at[:-1] and other != at for other in places)

    return [each for each in found if not follows(each)]


def _is_key(location: Location, data: Any) -> bool:
    """Whether the last part is a key of the file, and not pydantic's name for one alternative of a value."""
    for part in location[:-1]:
        known = data if isinstance(data, dict) else dict(enumerate(data)) if isinstance(data, list) else {}
        data = known.get(part, data)
    return isinstance(data, dict) and location[-1] in data


def _unknown(key: str, known: list[str]) -> str:
    if (present := config_former_names.present_key(key, known)) is not None:
        return config_former_names.told(key, present)
    near = difflib.get_close_matches(key, known, n=1)
    if near:
        return f"unknown key `{key}` (did you mean `{near[0]}`?)"
    return f"unknown key `{key}`; known are {', '.join(known)}" if known else f"unknown key `{key}`"


def _keys(annotation: Any, location: Location) -> list[str]:
    """Keys that a table at that place may have."""
    models = list(_models(annotation))
    for part in location:
        tagged = [each for each in models if _has_tag(each, str(part))] if len(models) > 1 else []
        fields = [field for each in models if (field := _fields(each).get(str(part))) is not None]
        if tagged:
            models = tagged
        elif fields:  # else it is the place in a list, or the name of an entry of a table
            models = [each for field in fields for each in _models(field)]
    return list(dict.fromkeys(key for each in models for key in _fields(each)))


def _fields(model: type[BaseModel]) -> dict[str, Any]:
    """What a file writes in a table of that model, by key."""
    return {field.alias or name: field.annotation for name, field in model.model_fields.items()}


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    """Models in an annotation, also of the entries of lists and tables and of unions."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    else:
        for part in get_args(annotation):
            yield from _models(part)


def _has_tag(model: type[BaseModel], tag: str) -> bool:
    return any(tag in get_args(annotation) for annotation in _fields(model).values())
