"""TypeScript types of schemas, one construct at a time."""

from __future__ import annotations

from typing import Any

import pytest

from luvus_service.codegen.typescript_types import definition, expression


@pytest.mark.parametrize(
    ("schema", "wanted"),
    [
        ({"type": "string"}, "string"),
        ({"type": "integer"}, "number"),
        ({"type": ["string", "null"]}, "string | null"),
        ({"anyOf": [{"type": "string"}, {"type": "string"}, {"type": "null"}]}, "string | null"),
        ({"const": "ok"}, '"ok"'),
        ({"enum": ["a", 1, True, None]}, '"a" | 1 | true | null'),
        ({"$ref": "#/$defs/Pane"}, "Pane"),
        ({"type": "array", "items": {"type": "string"}}, "readonly string[]"),
        ({"type": "array", "items": {"type": ["string", "null"]}}, "readonly (string | null)[]"),
        ({"type": "array"}, "readonly unknown[]"),
        ({"type": "object"}, "Record<string, unknown>"),
        (
            {"type": "object", "additionalProperties": {"type": "integer"}},
            "Record<string, number>",
        ),
        ({}, "unknown"),
    ],
)
def test_a_schema_has_its_type(schema: dict[str, Any], wanted: str) -> None:
    assert expression(schema) == wanted


def test_an_object_is_an_interface_with_its_texts() -> None:
    schema = {
        "type": "object",
        "description": "One pane.",
        "properties": {
            "pane": {"type": "string", "description": "Its id; ends */ no comment."},
            "odd-name": {"type": "integer"},
        },
        "required": ["pane"],
    }

    assert definition("Pane", schema) == (
        "/** One pane. */\n"
        "export interface Pane {\n"
        "  /** Its id; ends *\\/ no comment. */\n"
        "  pane: string;\n"
        '  "odd-name"?: number;\n'
        "}\n"
    )
