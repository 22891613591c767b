from __future__ import annotations

import ast
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from luvus_service.codegen.python_types import definition, docstring, expression, identifier


@pytest.mark.parametrize(
    ("schema", "received", "given_"),
    [
        ({"type": "string"}, "str", "str"),
        ({"type": "integer", "minimum": 0}, "int", "int"),
        ({"type": "number"}, "float", "float"),
        ({"type": "boolean"}, "bool", "bool"),
        ({}, "Any", "Any"),
        ({"type": ["string", "null"]}, "str | None", "str | None"),
        ({"anyOf": [{"type": "null"}, {"type": "string"}]}, "str | None", "str | None"),
        ({"anyOf": [{}, {"type": "string"}]}, "Any", "Any"),
        ({"enum": ["a", 1, None]}, 'Literal["a", 1, None]', 'Literal["a", 1, None]'),
        ({"const": "ok"}, 'Literal["ok"]', 'Literal["ok"]'),
        ({"const": 1.5}, "Any", "Any"),
        ({"$ref": "#/$defs/Row"}, "t.Row", "t.Row"),
        ({"type": "array", "items": {"type": "string"}}, "list[str]", "Sequence[str]"),
        ({"type": "array"}, "list[Any]", "Sequence[Any]"),
        (
            {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}]},
            "list[str | int]",
            "Sequence[str | int]",
        ),
        ({"type": "object"}, "dict[str, Any]", "Mapping[str, Any]"),
        (
            {"type": "object", "additionalProperties": {"type": "integer"}},
            "dict[str, int]",
            "Mapping[str, int]",
        ),
    ],
)
def test_a_schema_becomes_the_type_of_what_is_received_or_given(
    schema: dict[str, Any], received: str, given_: str
) -> None:
    assert expression(schema, "received", "t.") == received
    assert expression(schema, "given", "t.") == given_


def test_an_object_becomes_a_typed_dictionary_with_its_texts() -> None:
    schema = {
        "type": "object",
        "description": "A box.",
        "required": ["id"],
        "properties": {
            "id": {"type": "string", "description": "Its number."},
            "note": {"type": "string"},
        },
    }

    assert definition("Box", schema) == (
        'class Box(TypedDict):\n    """A box."""\n\n    id: str\n    """Its number."""\n\n'
        "    note: NotRequired[str]\n"
    )


def test_a_field_named_like_a_keyword_takes_the_functional_form() -> None:
    schema = {
        "type": "object",
        "required": ["from"],
        "properties": {"from": {"type": "string"}, "to": {"enum": ["a"]}},
    }

    assert definition("Move", schema) == (
        'Move = TypedDict(\n    "Move",\n    {\n        "from": "str",\n'
        '        "to": NotRequired[\'Literal["a"]\'],\n    },\n)\n'
    )


def test_anything_else_gets_an_alias() -> None:
    assert definition("Side", {"enum": ["a"]}) == "Side: TypeAlias = 'Literal[\"a\"]'\n"
    assert definition("Free", {"type": "object"}) == 'Free: TypeAlias = "dict[str, Any]"\n'


def test_an_object_without_fields_is_an_empty_dictionary_type() -> None:
    schema = {"type": "object", "additionalProperties": False, "properties": {}}

    assert definition("Nothing", schema) == "class Nothing(TypedDict):\n    pass\n"


@pytest.mark.parametrize(
    ("wire", "name"),
    [("from", "from_"), ("self", "self_"), ("note.add", "note_add"), ("a-b", "a_b"), ("x", "x")],
)
def test_a_wire_name_becomes_a_name_that_python_accepts(wire: str, name: str) -> None:
    assert identifier(wire) == name


@given(st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Zl", "Zp")), max_size=300))
def test_any_text_survives_as_a_docstring(text: str) -> None:
    source = f"def f():\n{docstring(text, '    ')}"

    found = ast.get_docstring(ast.parse(source).body[0])  # type: ignore[arg-type] # it is a def

    assert found is not None
    assert found.split() == (text.split() or ["No", "description."])


@given(st.text(max_size=20))
def test_any_choice_survives_as_a_literal(value: str) -> None:
    text = expression({"const": value}, "received")

    assert ast.literal_eval(text.removeprefix("Literal[").removesuffix("]")) == value


def test_a_long_text_is_wrapped_and_its_paragraphs_are_kept() -> None:
    text = docstring("word " * 30 + "\n\nSecond.\n\n- a list\n- stays", "    ")

    assert max(map(len, text.splitlines())) <= 100
    assert text.endswith('\n\n    Second.\n\n    - a list\n    - stays\n    """\n')
