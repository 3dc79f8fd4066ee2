"""JSON files that fairlead writes for machines: contracts, each with a version.

The version is MAJOR.MINOR. A new key raises MINOR; readers ignore keys that they do not know. A key that goes, or
changes its meaning, type or unit, raises MAJOR and resets MINOR. ``NAME.schema.json`` beside the models is the JSON
Schema of the present version; a test of each holds it against them.
"""

import json
from pathlib import Path
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from fairlead.errors import ConfigError

Finite = Annotated[float, Field(allow_inf_nan=False)]


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
            ConfigError: it cannot be read, is none of this name, or of a version with other keys.
        """
        name, version = (str(cls.model_fields[key].default) for key in ("schema_name", "schema_version"))
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
        except (ValueError, RecursionError) as error:
            raise ConfigError(f"{path}: is not JSON: {error}") from error
        if not isinstance(data, dict) or data.get("schema") != name:
            raise ConfigError(f"{path}: is not a {name} file")
        of_file = f"{path}: has version {data.get('schema_version')} of {name}; this fairlead reads {version}"
        if str(data.get("schema_version")).split(".")[0] != version.split(".")[0]:
            raise ConfigError(of_file)
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            mistakes = [f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors()]
            raise ConfigError(
                f"{of_file}: {mistakes[0]}", hint="create it again with this version of fairlead"
            ) from error
