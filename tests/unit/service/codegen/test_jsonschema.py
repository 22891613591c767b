from __future__ import annotations

import json

from luvus_service.codegen.jsonschema import (
    SHARED,
    bundle,
    catalogue_models,
    document,
    events_document,
    guarded,
    stamped,
)
from tests.support.judging import check_schema, misfits
from tests.unit.service.codegen import other_sample
from tests.unit.service.codegen.sample import (
    CATALOGUE,
    BoxList,
    BoxMove,
    BoxMoved,
    BoxSplit,
    BoxType,
    Row,
)


def test_a_schema_stands_alone_with_the_definitions_it_reaches() -> None:
    schema = document(BoxList, "serialization", "x.schema.json")

    assert schema == {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "https://luvus.dev/protocol/uhp/v1/x.schema.json",
        "additionalProperties": False,
        "description": "The boxes.",
        "properties": {"rows": {"items": {"$ref": "#/$defs/Row"}, "type": "array"}},
        "required": ["rows"],
        "type": "object",
        "$defs": {
            "Row": {
                "additionalProperties": False,
                "description": "A box.",
                "properties": {
                    "box": {"type": "string"},
                    "side": {"$ref": "#/$defs/Side"},
                    "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                    "children": {
                        "items": {"$ref": "#/$defs/Row"},
                        "type": "array",
                    },
                },
                "required": ["box", "side", "children"],
                "type": "object",
            },
            "Side": {
                "description": "Where a box stands.",
                "enum": ["left", "right"],
                "type": "string",
            },
        },
    }


def test_models_of_one_name_are_told_apart_by_their_folder_and_file() -> None:
    found = bundle([(BoxMoved, "serialization")])

    assert sorted(found.definitions) == [
        "BoxMoved",
        "CodegenOtherSampleRow",
        "CodegenSampleRow",
        "Side",
    ]
    assert found.names[BoxMoved, "serialization"] == "BoxMoved"
    assert found.definitions["BoxMoved"]["properties"]["row"] == {
        "$ref": "#/$defs/CodegenSampleRow"
    }


def test_references_of_a_bundle_point_where_the_template_says() -> None:
    found = bundle([(BoxList, "serialization")], SHARED)

    assert found.of(BoxList, "serialization")["properties"]["rows"] == {
        "items": {"$ref": "#/components/schemas/Row"},
        "type": "array",
    }


def test_a_copy_of_a_schema_can_be_changed_without_changing_the_bundle() -> None:
    found = bundle([(BoxSplit, "validation")])

    found.of(BoxSplit, "validation")["properties"].clear()

    assert sorted(found.of(BoxSplit, "validation")["properties"]) == [
        "box",
        "direction",
        "focus",
        "ratio",
    ]


def test_a_change_takes_the_guard_and_a_read_does_not() -> None:
    found = bundle([(BoxSplit, "validation")])
    schema = found.of(BoxSplit, "validation")

    change = guarded(schema, CATALOGUE.methods["box.split"])
    read = guarded(schema, CATALOGUE.methods["box.list"])

    assert "if_revision" in change["properties"]
    assert read == schema


def test_a_result_carries_the_revision_where_the_method_says_so() -> None:
    schema = bundle([(Row, "serialization")]).of(Row, "serialization")

    assert stamped(schema, CATALOGUE.methods["box.list"])["required"][-1] == "revision"
    assert stamped(schema, CATALOGUE.methods["box"]) == schema
    assert stamped(schema, CATALOGUE.methods["box.watch"]) == schema


def test_unknown_fields_are_refused_by_the_schema_exactly_where_validation_refuses_them() -> None:
    strict = document(BoxSplit, "validation", "a")
    lenient = document(BoxType, "validation", "b")

    assert strict["additionalProperties"] is False
    assert "additionalProperties" not in lenient


def test_wire_names_are_used_for_fields_that_have_another_name_in_python() -> None:
    assert sorted(document(BoxMove, "validation", "a")["required"]) == ["from", "to"]


def test_an_event_is_resolved_from_the_catalogue_as_one_document() -> None:
    schema = events_document(CATALOGUE.events)

    check_schema(schema)
    assert misfits(schema, {"box.created": {"box": "7"}}) == []
    assert misfits(schema, {"box.created": {"lid": "7"}}) != []


def test_every_schema_of_a_catalogue_is_a_valid_schema_without_titles_of_fields() -> None:
    found = bundle(catalogue_models(CATALOGUE))

    for schema in found.definitions.values():
        check_schema(schema)
    assert '"title"' not in json.dumps(found.definitions)
    assert other_sample.Row.__name__ == "Row"


def test_no_models_make_an_empty_bundle() -> None:
    assert bundle([]).definitions == {}
