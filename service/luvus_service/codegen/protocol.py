"""The protocol as one document: what `luvus uhp schema` prints and the command line reads."""

from __future__ import annotations

from typing import Any

from luvus_service.codegen.commands import ways
from luvus_service.codegen.failures import COMMON, catalogue_errors, own_errors
from luvus_service.codegen.jsonschema import (
    DIALECT,
    ROOT,
    Schema,
    document,
    events_document,
    guarded,
    stamped,
)
from luvus_service.rpc.declare import Example, MethodSpec
from luvus_service.rpc.errors import MESSAGE_LIMIT
from luvus_service.rpc.registry import Catalogue

NAME = "luvus-uhp"
MAJOR = 1
MINOR = 0

_ID: Schema = {"type": "string", "minLength": 1, "maxLength": 128, "pattern": "^[A-Za-z0-9._:-]+$"}


def protocol(catalogue: Catalogue) -> dict[str, Any]:
    """Return the whole contract as JSON: methods, errors, events and the envelope."""
    examples = [example for group in catalogue.families for example in group.examples]
    return {
        "$schema": DIALECT,
        "$id": ROOT + "protocol.schema.json",
        "title": "Luvus Universal Harness Protocol",
        "protocol": {"name": NAME, "major": MAJOR, "minor": MINOR},
        "families": {
            group.name: {"title": group.title, "description": group.description}
            for group in sorted(catalogue.families, key=lambda group: group.name)
        },
        "methods": {
            name: _method(spec, [e for e in examples if e.method == name])
            for name, spec in sorted(catalogue.methods.items())
        },
        "errors": {
            code: {"kind": error.kind.value, "summary": error.summary}
            for code, error in catalogue_errors(catalogue).items()
        },
        "common_errors": sorted(error.code for error in COMMON),
        "event_catalog": events_document(catalogue.events),
        "event_schema": _event_frame(),
        "request_schema": _request(sorted(catalogue.methods)),
        "response_schema": _response(),
    }


def commands(document: dict[str, Any]) -> dict[str, Any]:
    """Return the part of the document that the command line reads at every start."""
    kept = ("summary", "description", "stream", "examples", "command")
    return {
        "methods": {
            name: {key: method[key] for key in kept} for name, method in document["methods"].items()
        }
    }


def _method(spec: MethodSpec, examples: list[Example]) -> dict[str, Any]:
    params = document(spec.params, "validation", _params_id(spec.name))
    result = document(spec.result, "serialization", f"methods/{spec.name}.result.schema.json")
    return {
        "summary": spec.summary,
        "description": spec.description,
        "scope": spec.scope.value,
        "access": spec.access.value,
        "idempotent": spec.idempotent,
        "stream": spec.stream,
        "lenient": spec.lenient,
        "revision": spec.revision,
        "alias_of": spec.alias_of,
        "errors": [error.code for error in own_errors(spec)],
        "params": guarded(params, spec),
        "result": stamped(result, spec),
        "frames": [
            document(frame, "serialization", f"methods/{spec.name}.frame-{number}.schema.json")
            for number, frame in enumerate(spec.frames, 1)
        ],
        "examples": [{"params": e.params, "result": e.result, "note": e.note} for e in examples],
        "command": _command(spec),
    }


def _command(spec: MethodSpec) -> dict[str, Any] | None:
    found = [way.described() for way in ways(spec)]
    if len(found) > 1:
        return {**found[0], "others": found[1:]}
    return found[0] if found else None


def _event_frame() -> Schema:
    return {
        "$schema": DIALECT,
        "$id": ROOT + "event.schema.json",
        "title": "An event of the stream",
        "type": "object",
        "required": ["event", "sequence", "data"],
        "properties": {
            "event": {"type": "string", "minLength": 1},
            "sequence": {"type": "integer", "minimum": 0},
            "data": {"type": "object"},
        },
    }


def _request(methods: list[str]) -> Schema:
    """Return the shape of a request; what its parameters are is said by reference to a method's."""
    return {
        "$schema": DIALECT,
        "$id": ROOT + "request.schema.json",
        "title": "A request",
        "description": "The parameters are those of the method; register each `params` by its $id.",
        "type": "object",
        "additionalProperties": False,
        "required": ["id", "method", "params"],
        "properties": {
            "id": _ID,
            "auth": {"type": "string", "minLength": 1, "maxLength": 256, "pattern": "^[!-~]+$"},
            "method": {"type": "string", "enum": methods},
            "params": {"type": "object"},
        },
        "allOf": [
            {
                "if": {"properties": {"method": {"const": name}}, "required": ["method"]},
                "then": {"properties": {"params": {"$ref": _params_id(name, absolute=True)}}},
            }
            for name in methods
        ],
    }


def _params_id(method: str, *, absolute: bool = False) -> str:
    name = f"methods/{method}.params.schema.json"
    return ROOT + name if absolute else name


def _response() -> Schema:
    return {
        "$schema": DIALECT,
        "$id": ROOT + "response.schema.json",
        "title": "A response",
        "type": "object",
        "additionalProperties": False,
        "required": ["id"],
        "properties": {"id": _ID, "result": {"type": "object"}, "error": error_schema()},
        "oneOf": [{"required": ["result"]}, {"required": ["error"]}],
    }


def error_schema() -> Schema:
    """Return the shape of an error object; some codes add keys of their own."""
    return {
        "type": "object",
        "required": ["code", "message"],
        "properties": {
            "code": {"type": "string"},
            "message": {"type": "string", "maxLength": MESSAGE_LIMIT},
        },
    }
