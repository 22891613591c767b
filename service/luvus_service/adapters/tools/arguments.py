"""Reads a call's arguments, the peers' names for them included, and refuses in sentences.

A model that gets an argument wrong is told which, with the value and what is expected.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from luvus_service.luxe.domain.tool_ports import InputRefused, Outcome, Preview, Progress
from luvus_service.luxe.domain.values import Input

TEXT_BYTES = 5 * 1024 * 1024
"""Of one text argument."""
PATH_CHARS = 4_096
SHOWN_CHARS = 80

PATH_NAMES = ("path", "file_path", "filePath", "filename", "file")


@dataclass(frozen=True, slots=True)
class Prepared:
    """A call whose work is a function of its progress."""

    preview: Preview
    work: Callable[[Progress], Awaitable[Outcome]]

    async def run(self, progress: Progress) -> Outcome:
        """Do it."""
        return await self.work(progress)


def failed(reason: str) -> Outcome:
    """Return the outcome of a call that could not be done."""
    return Outcome(reason, "failed", reason=reason)


class Arguments:
    """The arguments of one call."""

    def __init__(self, given: Input) -> None:
        self._given = given

    def text(self, *names: str, limit: int = TEXT_BYTES) -> str:
        """Return a text that must be there; the first name is the one told to the model."""
        found = self.optional_text(*names, limit=limit)
        if found is None:
            raise InputRefused(f"`{names[0]}` is missing: give a string")
        return found

    def optional_text(self, *names: str, limit: int = TEXT_BYTES) -> str | None:
        """Return a text, or None."""
        value = self.value(*names)
        if value is None:
            return None
        if not isinstance(value, str):
            raise InputRefused(f"`{names[0]}` must be a string, not {shown(value)}")
        try:
            size = len(value.encode("utf-8"))
        except UnicodeEncodeError:
            raise InputRefused(f"`{names[0]}` holds half a character (a lone surrogate)") from None
        if size > limit:
            raise InputRefused(f"`{names[0]}` has {size} bytes; at most {limit} are taken")
        return value

    def path(self, *names: str) -> str:
        """Return a path that must be there."""
        found = self.optional_path(*(names or PATH_NAMES))
        if found is None:
            raise InputRefused(f"`{(names or PATH_NAMES)[0]}` is missing: give a path")
        return found

    def optional_path(self, *names: str) -> str | None:
        """Return a path, or None."""
        names = names or PATH_NAMES
        found = self.optional_text(*names)
        if found is None or not found:
            return None
        if "\0" in found or len(found) > PATH_CHARS:
            raise InputRefused(f"`{names[0]}` is no path: {shown(found)}")
        return found

    def number(self, *names: str, default: int, least: int = 1, most: int) -> int:
        """Return a whole number within bounds, or its default; texts of digits are taken."""
        value = self.value(*names)
        if value is None:
            return default
        if isinstance(value, str) and value.strip().isdecimal() and len(value) < 12:
            value = int(value)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool):
            raise InputRefused(f"`{names[0]}` must be a whole number, not {shown(value)}")
        if not least <= value <= most:
            raise InputRefused(f"`{names[0]}` must be {least} to {most}, not {value}")
        return value

    def flag(self, *names: str) -> bool:
        """Return a switch; absent is False."""
        value = self.value(*names)
        if value in (None, False, "false", "False"):
            return False
        if value in (True, "true", "True"):
            return True
        raise InputRefused(f"`{names[0]}` must be true or false, not {shown(value)}")

    def choice(self, name: str, options: Sequence[str], default: str) -> str:
        """Return one of some words."""
        value = self.value(name)
        if value is None:
            return default
        if value not in options:
            raise InputRefused(f"`{name}` must be one of {', '.join(options)}, not {shown(value)}")
        return str(value)

    def objects(self, name: str, most: int) -> list[Mapping[str, Any]] | None:
        """Return a list of objects, or None."""
        value = self.value(name)
        if value is None:
            return None
        if not isinstance(value, list):
            raise InputRefused(f"`{name}` must be a list of objects, not {shown(value)}")
        items = cast("list[object]", value)
        if len(items) > most:
            raise InputRefused(f"`{name}` has {len(items)} entries; at most {most} are taken")
        for item in items:
            if not isinstance(item, Mapping):
                raise InputRefused(f"`{name}` must hold objects, not {shown(item)}")
        return cast("list[Mapping[str, Any]]", items)

    def value(self, *names: str) -> Any:
        """Return what stands under the first of the names that is given."""
        for name in names:
            if self._given.get(name) is not None:
                return self._given[name]
        return None


def shown(value: object) -> str:
    """Return a value as a refusal shows it."""
    text = repr(value)
    return text if len(text) <= SHOWN_CHARS else text[:SHOWN_CHARS] + "…"


def schema(required: Sequence[str] = (), **properties: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the JSON Schema of an object with these properties."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }


def string(description: str) -> Mapping[str, Any]:
    """Return the schema of a text."""
    return {"type": "string", "description": description}


def integer(description: str, least: int = 1, most: int | None = None) -> Mapping[str, Any]:
    """Return the schema of a whole number."""
    bounds = {"minimum": least} | ({} if most is None else {"maximum": most})
    return {"type": "integer", "description": description, **bounds}


def boolean(description: str) -> Mapping[str, Any]:
    """Return the schema of a switch."""
    return {"type": "boolean", "description": description}
