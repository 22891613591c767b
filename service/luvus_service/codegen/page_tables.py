"""The tables of the reference pages: fields with their types, and the command line's spelling."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import cast

from luvus_service.codegen.commands import Argument, ways
from luvus_service.codegen.jsonschema import Bundle, Schema, resolve
from luvus_service.rpc.declare import MethodSpec

_DEPTH = 3
"""Levels of nested objects that a table opens."""
_BOUNDS = (
    ("minimum", "at least {}"),
    ("exclusiveMinimum", "more than {}"),
    ("maximum", "at most {}"),
    ("exclusiveMaximum", "less than {}"),
    ("minLength", "at least {} characters"),
    ("maxLength", "at most {} characters"),
    ("minItems", "at least {} items"),
    ("maxItems", "at most {} items"),
)


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table; nothing for no rows."""
    if not rows:
        return ""
    lines = [heads, ["---"] * len(heads), *([_cell(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def fields_table(schema: Schema, schemas: Bundle, *, defaults: bool = False) -> str:
    """Return the table of an object's fields, those of nested objects included."""
    rows = list(_rows(schema, schemas, "", defaults, ()))
    heads = ["Name", "Type", "Default", "Meaning"] if defaults else ["Name", "Type", "Meaning"]
    return table(heads, rows)


def command_lines(spec: MethodSpec) -> list[str]:
    """Return how the command line spells a method, each way with all its arguments."""
    return [
        " ".join(["luvus", *way.words, *(_spelled(argument) for argument in way.arguments)])
        for way in ways(spec)
    ]


def type_text(schema: Schema, schemas: Bundle) -> str:
    """Return a type in words a reader of JSON knows."""
    schema = resolve(schema, schemas.definitions)
    for branching in ("anyOf", "oneOf"):
        if branching in schema:
            kinds = [type_text(branch, schemas) for branch in schema[branching]]
            return " or ".join(dict.fromkeys(kinds))
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    if "enum" in schema:
        return " or ".join(f"`{json.dumps(value)}`" for value in schema["enum"])
    if schema.get("type") == "array":
        return f"array of {type_text(schema.get('items', {}), schemas)}"
    if isinstance(schema.get("type"), list):
        return " or ".join(cast("list[str]", schema["type"]))
    return str(schema.get("type", "any"))


def _rows(
    schema: Schema, schemas: Bundle, prefix: str, defaults: bool, seen: tuple[int, ...]
) -> Iterator[list[str]]:
    required = set(schema.get("required", []))
    fields: dict[str, Schema] = schema.get("properties", {})
    for name, field in fields.items():
        cells = [f"`{prefix}{name}`", type_text(field, schemas)]
        if defaults:
            cells.append("required" if name in required else _default(field))
        meaning = _meaning(field, schemas)
        if not defaults and name not in required:
            meaning = f"{meaning} May be missing.".strip()
        yield [*cells, meaning]
        nested, suffix = _nested(field, schemas)
        if nested is not None and id(nested) not in seen and len(seen) < _DEPTH:
            place = f"{prefix}{name}{suffix}."
            yield from _rows(nested, schemas, place, defaults, (*seen, id(nested)))


def _nested(field: Schema, schemas: Bundle) -> tuple[Schema | None, str]:
    schema = resolve(field, schemas.definitions)
    branches = [resolve(b, schemas.definitions) for b in _branches(schema)]
    objects = [b for b in branches if b.get("type") in {"object", "array"}]
    if len(objects) == 1:
        schema = objects[0]
    if schema.get("type") == "array":
        inner, suffix = _nested(schema.get("items", {}), schemas)
        return inner, "[]" + suffix
    return (schema, "") if schema.get("properties") else (None, "")


def _branches(schema: Schema) -> list[Schema]:
    found: list[Schema] = schema.get("anyOf") or schema.get("oneOf") or []
    return found


def _default(field: Schema) -> str:
    return f"`{json.dumps(field['default'], ensure_ascii=False)}`" if "default" in field else ""


def _meaning(field: Schema, schemas: Bundle) -> str:
    described: str = field.get("description", "")
    bounds = ", ".join(_bounds(field, schemas))
    if not bounds:
        return described
    return f"{described} {bounds[0].upper()}{bounds[1:]}.".strip()


def _bounds(field: Schema, schemas: Bundle) -> Iterator[str]:
    schema = resolve(field, schemas.definitions)
    yield from (text.format(schema[key]) for key, text in _BOUNDS if key in schema)
    for branch in _branches(schema):
        yield from _bounds(branch, schemas)


def _spelled(argument: Argument) -> str:
    if argument.kind == "value_flags":
        flags = [flag for flag, _ in argument.values or ()]
        named = [f"{name} {argument.field.upper()}" for name in argument.names]
        text = " | ".join([*flags, *named])
    elif argument.kind in {"flag", "negative"}:
        text = argument.names[0]
    elif argument.kind == "option":
        text = f"{argument.names[0]} {_value(argument)}"
    else:
        text = argument.metavar or argument.field.upper()
    if argument.repeat or argument.kind == "rest":
        text += "…"
    required = argument.required and argument.env is None
    return text if required else f"[{text}]"


def _value(argument: Argument) -> str:
    if argument.choices:
        return "|".join(str(choice) for choice in argument.choices)
    return argument.metavar or "VALUE"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
