"""JSON files that fairlead writes for machines: contracts, each with a version.

The version is MAJOR.MINOR. A new key raises MINOR; readers ignore keys that they do not know. A key that goes, or
changes its meaning, type or unit, raises MAJOR and resets MINOR. ``NAME.schema.json`` beside the models is the JSON
Schema of the present version; a test of each holds it against them.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, NoReturn, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from fairlead import config_mistakes, located_json
from fairlead.errors import ConfigError
from fairlead.located_json import Location

Finite = Annotated[float, Field(allow_inf_nan=False)]
_AGAIN = "create it again with this version of fairlead"


class Part(BaseModel):
    """Anything inside such a file. What a reader ignores a writer must not write: that is in the schema."""

    model_config = ConfigDict(extra="ignore", frozen=True, json_schema_extra={"additionalProperties": False})


class Document(Part):
    """A whole file; subclasses give its name and version as defaults."""

    schema_name: str = Field(alias="schema")
    schema_version: str

    def to_json(self) -> str:
        """The file's text."""
        return json.dumps(self.model_dump(mode="json", by_alias=True), indent=2, allow_nan=False) + "\n"

    @classmethod
    def schema_text(cls) -> str:
        """Text of ``NAME.schema.json``."""
        schema = cls.model_json_schema(by_alias=True, mode="serialization")
        schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
        return json.dumps(schema, indent=2) + "\n"

    @classmethod
    def read(cls, path: Path) -> Self:
        """A file that fairlead wrote.

        Raises:
            ConfigError: it cannot be read, is none of this name, of a version with other keys, or contradicts itself;
                with file, line and key.
        """
        name, version = (str(cls.model_fields[key].default) for key in ("schema_name", "schema_version"))
        text = _text(path)
        data = _parsed(text, path)
        if not isinstance(data, dict) or data.get("schema") != name:
            raise ConfigError(f"{path}: is not a {name} file", hint=_what_it_is(data, name))
        versions = f"has version {data.get('schema_version')} of {name}; this fairlead reads {version}"
        if str(data.get("schema_version")).split(".")[0] != version.split(".")[0]:
            raise ConfigError(f"{path}: {versions}", hint=_AGAIN)

        def complaint(location: Location, reason: str) -> ConfigError:
            try:
                line = located_json.parse(text).line_of(location)
            except located_json.NoJsonError as error:  # nested more deeply than it follows
                line = error.line
            return ConfigError(f"{path}:{line}: {_key(location)}: {reason}", hint=f"{_AGAIN}: the file {versions}")

        try:
            made = cls.model_validate_json(text, strict=True)
        except ValidationError as error:
            first = error.errors()[0]
            raise complaint(first["loc"], config_mistakes.describe(first, cls)) from error
        for location, reason in made.contradictions():
            raise complaint(location, reason)
        return made

    def contradictions(self) -> Iterator[tuple[Location, str]]:
        """Values that do not fit each other, each by itself as its type says: the keys that lead to one, and why."""
        return iter(())


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: is not UTF-8 text: {error}", hint=_AGAIN) from error


def _parsed(text: str, path: Path) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_once, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise _no_json(text, path) from error


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice")
    return found


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")


def _no_json(text: str, path: Path) -> ConfigError:
    """What is wrong with a text that `_parsed` does not take, and in which line."""
    try:
        twice = located_json.parse(text)
    except located_json.NoJsonError as error:
        return ConfigError(f"{path}:{error.line}: is not JSON: {error.reason}", hint=_AGAIN)
    (key, *_) = twice.doubled
    return ConfigError(f"{path}:{twice.line_of(key)}: {_key(key)}: stands twice in the same object", hint=_AGAIN)


def _key(location: Location) -> str:
    return located_json.key_words(location) or "file"


def _what_it_is(data: Any, name: str) -> str:
    other = data.get("schema") if isinstance(data, dict) else None
    return f"it is a {other} file" if isinstance(other, str) else f"such a file is an object whose `schema` is {name!r}"
