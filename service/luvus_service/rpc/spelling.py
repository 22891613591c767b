"""Texts of a certain spelling: a regular expression for schemas, words for whoever breaks it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema


@dataclass(frozen=True, slots=True)
class Spelled:
    """How a string is spelled; goes into `Annotated[str, ...]`, after limits of its length.

    Instead of `Field(pattern=...)`, whose refusal shows people the regular expression.
    """

    pattern: str
    """With `^` and `$`, as a schema says it."""
    words: str
    """What is said of a text that does not fit, such as "must be base64"."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Check after the type and the length, which say more of what is wrong."""
        wanted = re.compile(self.pattern)

        def check(text: str) -> str:
            # Not `match`: there `$` also fits before a last line end.
            if wanted.fullmatch(text) is None:
                raise PydanticCustomError("spelling", "{words}", {"words": self.words})
            return text

        return core_schema.no_info_after_validator_function(check, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Show the regular expression where programs look."""
        found = handler(schema)
        found["pattern"] = self.pattern
        return found


HEX = Spelled("^[0-9a-f]{32}$", "must be 32 hexadecimal digits, the letters small")
