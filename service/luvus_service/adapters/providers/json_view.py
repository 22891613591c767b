"""Tolerant reading of JSON that a stranger wrote: what is missing or of another type is empty."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, cast

import orjson

from luvus_service.adapters.odd_json import plain_line


class View:
    """A JSON value, seen as an object."""

    __slots__ = ("raw",)

    def __init__(self, raw: object) -> None:
        self.raw: object = raw

    def get(self, name: str) -> object:
        """Return a field as it is, None when there is none."""
        raw = self.raw
        if isinstance(raw, dict):
            return cast("dict[str, object]", raw).get(name)
        return None

    def text(self, name: str) -> str:
        """Return a string, or an empty one."""
        value = self.get(name)
        return value if isinstance(value, str) else ""

    def count(self, name: str) -> int | None:
        """Return a number that counts something, or None."""
        value = self.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        return int(value) if 0 <= value < 2**53 else None

    def at(self, name: str) -> View:
        """Return a field as a view."""
        return View(self.get(name))

    def items(self, name: str) -> Iterator[View]:
        """Yield the elements of a list."""
        value = self.get(name)
        if isinstance(value, list):
            for item in cast("list[object]", value):
                yield View(item)

    def strings(self, name: str) -> tuple[str, ...]:
        """Return the strings of a list."""
        return tuple(v for view in self.items(name) if isinstance(v := view.raw, str))

    @property
    def is_object(self) -> bool:
        """Whether it is an object at all."""
        return isinstance(self.raw, dict)


def decoded(data: bytes) -> View:
    """Read JSON.

    Raises:
        ValueError: It is none.
    """
    try:
        return View(orjson.loads(data))
    except ValueError:
        # Half a surrogate pair is legal in JSON text and refused by the fast decoder.
        try:
            return View(json.loads(data))
        except RecursionError as error:
            raise ValueError("nested too deeply") from error


def encoded(value: Any) -> bytes:
    """Write JSON; lone surrogates are mended and integers of any size are kept.

    Raises:
        ValueError: It is nested too deeply.
    """
    try:
        return orjson.dumps(value)
    except TypeError:
        try:
            return plain_line(value)[:-1]
        except RecursionError as error:
            raise ValueError("nested too deeply") from error
