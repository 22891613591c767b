"""Python types for JSON Schemas: `TypedDict`s for objects, literals for choices."""

from __future__ import annotations

import keyword
import textwrap
from collections.abc import Mapping
from typing import Literal, TypeAlias, cast

from luvus_service.codegen.jsonschema import Schema

Direction: TypeAlias = Literal["given", "received"]
"""What a caller gives may be any sequence; what it receives is a list."""

_SIMPLE = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
_WIDTH = 100
_TAKEN = {"self", "given", "cast"}
"""Names that the generated methods use themselves."""


def expression(schema: Schema, direction: Direction, prefix: str = "") -> str:
    """Return the type expression of a schema; `prefix` stands before names of definitions."""
    return _union(_alternatives(schema, direction, prefix))


def definition(name: str, schema: Schema) -> str:
    """Return the statement that gives a definition its name."""
    if not _is_record(schema):
        return f"{name}: TypeAlias = {_quoted(expression(schema, 'received'))}\n"
    fields = _fields(schema)
    if all(_usable(field) for field in fields):
        return _record(name, schema, fields)
    lines = "".join(f"        {_literal(field)}: {kind},\n" for field, kind in fields.items())
    return f'{name} = TypedDict(\n    "{name}",\n    {{\n{lines}    }},\n)\n'


def docstring(text: str, indent: str) -> str:
    """Return a docstring of this text, wrapped, ending with a line break."""
    text = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"').strip() or "No description."
    if text.endswith('"'):
        text += " "
    if "\n" not in text and len(indent) + len(text) + 6 <= _WIDTH:
        return f'{indent}"""{text}"""\n'
    first, _, rest = text.partition("\n")
    wrapped = textwrap.wrap(first, _WIDTH - len(indent) - 3)
    if len(wrapped) > 1:
        rest = " ".join(wrapped[1:]) + "\n" + rest
    blocks = [_wrapped(block, indent) for block in rest.strip().split("\n\n") if block.strip()]
    body = "\n".join([f'{indent}"""{wrapped[0]}', *(f"\n{block}" for block in blocks)])
    return f'{body}\n{indent}"""\n'


def identifier(name: str) -> str:
    """Return a name that Python accepts for a wire name."""
    name = name.replace(".", "_").replace("-", "_")
    return f"{name}_" if keyword.iskeyword(name) or name in _TAKEN else name


def _wrapped(block: str, indent: str) -> str:
    lines = block.splitlines()
    if any(line.startswith((" ", "-", "*", "|")) for line in lines):
        return "\n".join(f"{indent}{line}".rstrip() for line in lines)
    return textwrap.fill(" ".join(lines), _WIDTH, initial_indent=indent, subsequent_indent=indent)


def _record(name: str, schema: Schema, fields: Mapping[str, str]) -> str:
    described = schema.get("description")
    body = docstring(described, "    ") if isinstance(described, str) else ""
    properties: Mapping[str, Schema] = schema.get("properties", {})
    for field, kind in fields.items():
        body += f"\n    {field}: {kind}\n" if body.endswith('"""\n') else f"    {field}: {kind}\n"
        text = properties[field].get("description")
        if isinstance(text, str):
            body += docstring(text, "    ")
    return f"class {name}(TypedDict):\n{body or '    pass' + chr(10)}"


def _fields(schema: Schema) -> dict[str, str]:
    required = set(schema.get("required", []))
    kinds = {
        field: expression(described, "received")
        for field, described in schema.get("properties", {}).items()
    }
    # In the functional form a name has to be a string until it is defined.
    functional = not all(_usable(field) for field in kinds)
    return {
        field: (_quoted(kind) if functional else kind)
        if field in required
        else f"NotRequired[{_quoted(kind) if functional else kind}]"
        for field, kind in kinds.items()
    }


def _is_record(schema: Schema) -> bool:
    return schema.get("type") == "object" and (
        bool(schema.get("properties")) or schema.get("additionalProperties") is False
    )


def _usable(field: str) -> bool:
    return field.isidentifier() and not keyword.iskeyword(field) and not field.startswith("__")


def _alternatives(schema: Schema, direction: Direction, prefix: str) -> list[str]:
    if "$ref" in schema:
        return [prefix + str(schema["$ref"]).rsplit("/", 1)[-1]]
    for branching in ("anyOf", "oneOf"):
        if branching in schema:
            found = [_alternatives(b, direction, prefix) for b in schema[branching]]
            return [kind for kinds in found for kind in kinds]
    if "const" in schema or "enum" in schema:
        values = schema.get("enum", [schema.get("const")])
        if any(isinstance(value, float | dict | list) for value in values):
            return ["Any"]
        return [f"Literal[{', '.join(_literal(value) for value in values)}]"]
    kind = schema.get("type")
    if isinstance(kind, list):
        kinds = cast("list[str]", kind)
        return [_typed({**schema, "type": one}, direction, prefix) for one in kinds]
    return [_typed(schema, direction, prefix)]


def _typed(schema: Schema, direction: Direction, prefix: str) -> str:
    match schema.get("type"):
        case "array":
            items = schema.get("items") or _any_of(schema.get("prefixItems", []))
            inner = expression(items, direction, prefix) if items else "Any"
            return f"{'Sequence' if direction == 'given' else 'list'}[{inner}]"
        case "object":
            inner = "Any"
            if isinstance(schema.get("additionalProperties"), dict):
                inner = expression(schema["additionalProperties"], direction, prefix)
            return f"{'Mapping' if direction == 'given' else 'dict'}[str, {inner}]"
        case str(kind):
            return _SIMPLE[kind]
        case _:
            return "Any"


def _any_of(items: list[Schema]) -> Schema:
    return {"anyOf": items} if items else {}


def _union(kinds: list[str]) -> str:
    unique = list(dict.fromkeys(kinds))
    if "Any" in unique:
        return "Any"
    if "None" in unique:
        unique = [kind for kind in unique if kind != "None"] + ["None"]
    return " | ".join(unique)


def _literal(value: object) -> str:
    if isinstance(value, str):
        return '"' + repr(f'"{value}')[2:-1].replace('"', '\\"') + '"'
    return repr(value)


def _quoted(kind: str) -> str:
    return "'" + kind + "'" if '"' in kind else f'"{kind}"'
