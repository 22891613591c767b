"""Judges values by JSON Schemas, with one implementation for all tests."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from jsonschema import Draft202012Validator  # type: ignore[import-untyped] # it ships no types
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012


def check_schema(schema: dict[str, Any]) -> None:
    """Fail when a schema is no schema."""
    Draft202012Validator.check_schema(schema)


def misfits(
    schema: dict[str, Any], value: object, known: Iterable[dict[str, Any]] = ()
) -> list[str]:
    """Return what is wrong with a value; `known` are documents found by their `$id`."""
    registry: Registry[Any] = Registry().with_resources(
        (document["$id"], Resource.from_contents(document, default_specification=DRAFT202012))
        for document in known
    )
    found = Draft202012Validator(schema, registry=registry).iter_errors(value)
    return [f"{fault.message} at {fault.json_path}" for fault in found]
