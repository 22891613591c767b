"""TypeScript types for JSON Schemas: interfaces for objects, literals for choices."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import cast

from luvus_service.codegen.jsonschema import Schema

_SIMPLE = {
    "string": "string",
    "integer": "number",
    "number": "number",
    "boolean": "boolean",
    "null": "null",
}
_PLAIN = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")


def definition(name: str, schema: Schema) -> str:
    """Return the statement that gives a definition its name."""
    comment = documented(schema.get("description"), "")
    if not is_record(schema):
        return f"{comment}export type {name} = {expression(schema)};\n"
    return f"{comment}export interface {name} {record(schema)}\n"


def record(schema: Schema) -> str:
    """Return the body of an interface."""
    required = set(schema.get("required", []))
    properties: Mapping[str, Schema] = schema.get("properties", {})
    lines = "".join(
        f"{documented(field.get('description'), '  ')}  {key(name)}"
        f"{'' if name in required else '?'}: {expression(field)};\n"
        for name, field in properties.items()
    )
    return f"{{\n{lines}}}" if lines else "{}"


def expression(schema: Schema) -> str:
    """Return the type expression of a schema."""
    unique = list(dict.fromkeys(_alternatives(schema)))
    return "unknown" if "unknown" in unique else " | ".join(unique)


def is_record(schema: Schema) -> bool:
    """Say whether a schema is an object of known fields."""
    return schema.get("type") == "object" and (
        bool(schema.get("properties")) or schema.get("additionalProperties") is False
    )


def key(name: str) -> str:
    """Return a property's name as it is written in a type."""
    return name if _PLAIN.fullmatch(name) else json.dumps(name)


def documented(text: object, indent: str) -> str:
    """Return a comment with this text; nothing for none."""
    if not isinstance(text, str) or not text.strip():
        return ""
    lines = text.strip().replace("*/", "*\\/").splitlines()
    if len(lines) == 1:
        return f"{indent}/** {lines[0]} */\n"
    body = "".join(f"{indent} * {line}".rstrip() + "\n" for line in lines)
    return f"{indent}/**\n{body}{indent} */\n"


def _alternatives(schema: Schema) -> list[str]:
    if "$ref" in schema:
        return [str(schema["$ref"]).rsplit("/", 1)[-1]]
    for branching in ("anyOf", "oneOf"):
        if branching in schema:
            return [kind for branch in schema[branching] for kind in _alternatives(branch)]
    if "const" in schema or "enum" in schema:
        values = schema.get("enum", [schema.get("const")])
        return [json.dumps(value, ensure_ascii=False) for value in values]
    kind = schema.get("type")
    if isinstance(kind, list):
        kinds = cast("list[str]", kind)
        return [_typed({**schema, "type": one}) for one in kinds]
    return [_typed(schema)]


def _typed(schema: Schema) -> str:
    match schema.get("type"):
        case "array":
            return _array(schema)
        case "object":
            if is_record(schema):
                return record(schema)
            inner = schema.get("additionalProperties")
            value = expression(cast("Schema", inner)) if isinstance(inner, dict) else "unknown"
            return f"Record<string, {value}>"
        case str(kind):
            return _SIMPLE[kind]
        case _:
            return "unknown"


def _array(schema: Schema) -> str:
    listed: list[Schema] = schema.get("prefixItems", [])
    items: Schema = schema.get("items") or ({"anyOf": listed} if listed else {})
    inner = expression(items)
    return f"readonly ({inner})[]" if "|" in inner else f"readonly {inner}[]"
