from __future__ import annotations

import json

from luvus_service.codegen.files import as_json
from luvus_service.codegen.protocol import commands, protocol
from tests.support.judging import misfits
from tests.unit.service.codegen.sample import CATALOGUE

ROOT = "https://luvus.dev/protocol/uhp/v1/"
SIDES = ("params", "result")


def test_the_document_names_every_method_error_and_event() -> None:
    document = protocol(CATALOGUE)

    assert document["protocol"] == {"name": "luvus-uhp", "major": 1, "minor": 0}
    assert list(document["methods"]) == sorted(CATALOGUE.methods)
    assert list(document["event_catalog"]["properties"]) == ["box.created"]
    assert document["request_schema"]["properties"]["method"]["enum"] == sorted(CATALOGUE.methods)
    assert document["errors"]["sample_missing"] == {
        "kind": "not_found",
        "summary": "No box has this id; list them to see which are there.",
    }
    assert set(document["common_errors"]) <= set(document["errors"])


def test_a_method_says_everything_a_caller_needs() -> None:
    found = protocol(CATALOGUE)["methods"]["box.split"]

    schemas = {name: found.pop(name) for name in ("params", "result")}
    assert found == {
        "summary": "Split a box.",
        "description": "",
        "scope": "workspace",
        "access": "write",
        "idempotent": False,
        "stream": False,
        "lenient": False,
        "revision": True,
        "alias_of": None,
        "errors": ["sample_missing", "invalid_request", "revision_conflict"],
        "frames": [],
        "examples": [
            {
                "params": {"box": "7", "direction": "down", "focus": False},
                "result": {"type": "ok", "box": "8", "revision": 3},
                "note": "Split a box downwards.",
            }
        ],
        "command": found["command"],
    }
    assert found["command"]["words"] == ["box", "split"]
    assert found["command"]["arguments"][1] == {
        "field": "direction",
        "kind": "value_flags",
        "names": [],
        "metavar": None,
        "env": None,
        "required": False,
        "repeat": False,
        "type": "string",
        "choices": None,
        "values": [["--down", "down"]],
        "help": "Where the new half goes.",
        "default": "right",
    }
    example = found["examples"][0]
    assert misfits(schemas["params"], example["params"]) == []
    assert misfits(schemas["result"], example["result"]) == []


def test_an_alias_is_listed_without_a_command_of_its_own() -> None:
    found = protocol(CATALOGUE)["methods"]["box.halve"]

    assert (found["alias_of"], found["command"]) == ("box.split", None)


def test_a_stream_describes_the_frames_that_follow() -> None:
    found = protocol(CATALOGUE)["methods"]["box.watch"]

    assert found["stream"] is True
    assert [sorted(frame["properties"]) for frame in found["frames"]] == [
        ["data", "event", "sequence"]
    ]


def test_schemas_inside_the_document_resolve_by_their_identifiers() -> None:
    document = json.loads(as_json(protocol(CATALOGUE)))
    methods = document["methods"].values()
    schemas = [document["event_catalog"], *(m[side] for m in methods for side in SIDES)]

    def fits(reference: str, value: object) -> bool:
        return misfits({"$ref": ROOT + reference}, value, schemas) == []

    event = "event-catalog.schema.json#/properties/box.created"
    listed = "methods/box.list.result.schema.json"
    assert fits(event, {"box": "7"})
    assert not fits(event, {"box": 7})
    assert fits(listed, {"rows": [], "revision": 1})
    assert not fits(listed, {"rows": [{}], "revision": 1})


def test_the_envelope_schemas_judge_requests_and_responses() -> None:
    document = protocol(CATALOGUE)
    request, response = document["request_schema"], document["response_schema"]
    both: dict[str, object] = {"result": {}, "error": {"code": "", "message": ""}}

    params = [method["params"] for method in document["methods"].values()]

    assert misfits(request, {"id": "1", "method": "box.list", "params": {}}, params) == []
    assert misfits(request, {"id": "1", "method": "box.split", "params": {"x": 1}}, params) != []
    assert misfits(request, {"id": "1", "method": "box.burn", "params": {}}) != []
    assert misfits(request, {"id": "1", "method": "box.list"}) != []
    assert misfits(response, {"id": "1", "result": {}}) == []
    assert misfits(response, {"id": "1", "error": {"code": "x", "message": "y", "z": 1}}) == []
    assert misfits(response, {"id": "1", **both}) != []


def test_the_command_line_reads_a_part_of_the_document() -> None:
    document = protocol(CATALOGUE)

    assert list(commands(document)["methods"]) == list(document["methods"])
    assert sorted(commands(document)["methods"]["box.split"]) == [
        "command",
        "description",
        "examples",
        "stream",
        "summary",
    ]


def test_the_document_is_the_same_however_often_it_is_made() -> None:
    assert as_json(protocol(CATALOGUE)) == as_json(protocol(CATALOGUE))
    assert as_json(protocol(CATALOGUE)).endswith("}\n")
