"""OpenAPI 3.1 of the HTTP routes.

Knows the paths but no status code: the caller says which status stands for which kind of error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel

from luvus_service.codegen.agent_api import AgentApi
from luvus_service.codegen.agent_paths import agent_paths
from luvus_service.codegen.failures import all_errors, catalogue_errors
from luvus_service.codegen.jsonschema import (
    SHARED,
    Bundle,
    Mode,
    Schema,
    bundle,
    catalogue_models,
    guarded,
    reachable,
    stamped,
    takes_guard,
)
from luvus_service.codegen.protocol import error_schema
from luvus_service.rpc.declare import Example, FamilySpec, MethodSpec
from luvus_service.rpc.errors import InvalidRequest, Kind, RpcError
from luvus_service.rpc.registry import Catalogue

PREFIX = "/uhp/v1/"
_ERROR = "#/components/schemas/Error"
_WRONG_VERB = "405"
_DESCRIPTION = (
    "One path for each method of the Universal Harness Protocol. The body of a POST is the "
    "method's parameters, the response is its result or one error object."
)


def openapi(
    catalogue: Catalogue,
    version: str,
    status_of_kind: Mapping[Kind, int],
    *,
    server_sent: Mapping[str, str] = MappingProxyType({}),
    agents: AgentApi | None = None,
) -> dict[str, Any]:
    """Return the document.

    `server_sent` maps a name under the prefix to the stream that a GET serves there as
    server-sent events. `agents` are the routes of agent sessions.
    """
    schemas = bundle(catalogue_models(catalogue), SHARED)
    paths: dict[str, Any] = {}
    for group in catalogue.families:
        for spec in group.methods:
            operation = _Operation(spec, group, schemas, status_of_kind)
            paths[PREFIX + spec.name] = operation.path()
    for name, method in server_sent.items():
        if method in catalogue.methods:
            paths[PREFIX + name] = _server_sent(name, catalogue.methods[method], status_of_kind)
    paths |= _pages()
    agent_definitions: dict[str, Schema] = {}
    if agents is not None:
        described, agent_definitions = agent_paths(agents, _ERROR)
        paths |= described
    paths = dict(sorted(paths.items()))
    definitions = {**schemas.definitions, **agent_definitions}
    used = reachable(paths, {**definitions, "Error": {}}, "#/components/schemas/")
    errors: dict[str, Schema] = {"Error": _error(list(catalogue_errors(catalogue)))}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Luvus", "version": version, "description": _DESCRIPTION},
        "servers": [{"url": "/"}],
        "security": [{}, {"token": []}],
        "tags": [
            {"name": group.name, "description": group.description}
            for group in sorted(catalogue.families, key=lambda group: group.name)
        ]
        + ([{"name": "luxe", "description": "Coding agents."}] if agents else []),
        "paths": paths,
        "components": {
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "A delegated token. Without one the caller is the owner.",
                }
            },
            "schemas": errors | {k: v for k, v in definitions.items() if k in used},
        },
    }


class _Operation:
    """Describes the path of one method."""

    def __init__(
        self,
        spec: MethodSpec,
        group: FamilySpec,
        schemas: Bundle,
        status_of_kind: Mapping[Kind, int],
    ) -> None:
        self._spec = spec
        self._group = group
        self._schemas = schemas
        self._status = status_of_kind

    def path(self) -> dict[str, Any]:
        return {"get": self._stream()} if self._spec.stream else {"post": self._call()}

    def _common(self) -> dict[str, Any]:
        spec = self._spec
        described: dict[str, Any] = {
            "operationId": spec.name,
            "tags": [self._group.name],
            "summary": spec.summary,
        }
        if spec.description:
            described["description"] = spec.description
        if spec.alias_of:
            described["description"] = f"The same as `{spec.alias_of}`."
        return described | {
            "x-luvus-scope": spec.scope.value,
            "x-luvus-access": spec.access.value,
            "x-luvus-idempotent": spec.idempotent,
        }

    def _call(self) -> dict[str, Any]:
        spec = self._spec
        required = any(info.is_required() for info in spec.params.model_fields.values())
        shown = [e for e in self._group.examples if e.method in {spec.name, spec.alias_of}]
        body: dict[str, Any] = {"schema": self._params()}
        answer: dict[str, Any] = {"schema": self._result()}
        if shown:
            body["examples"] = _examples(shown, "params")
            answer["examples"] = _examples(shown, "result")
        return {
            **self._common(),
            "requestBody": {"required": required, "content": {"application/json": body}},
            "responses": {
                "200": {"description": "The result.", "content": {"application/json": answer}},
                **_refusals(all_errors(spec), self._status),
            },
        }

    def _params(self) -> Schema:
        if not takes_guard(self._spec):
            return self._reference(self._spec.params, "validation")
        return guarded(self._schemas.of(self._spec.params, "validation"), self._spec)

    def _result(self) -> Schema:
        if not self._spec.revision:
            return self._reference(self._spec.result, "serialization")
        return stamped(self._schemas.of(self._spec.result, "serialization"), self._spec)

    def _reference(self, model: type[BaseModel], mode: Mode) -> Schema:
        return {"$ref": SHARED.format(model=self._schemas.names[model, mode])}

    def _stream(self) -> dict[str, Any]:
        spec = self._spec
        return {
            **self._common(),
            "x-luvus-stream": {
                "params": self._reference(spec.params, "validation"),
                "acknowledgement": self._reference(spec.result, "serialization"),
                "frames": [self._reference(frame, "serialization") for frame in spec.frames],
            },
            "responses": {
                "101": {
                    "description": "A WebSocket. The first message sent is the parameters, the "
                    "first received is `result` or `error`; frames follow."
                },
                _WRONG_VERB: _refusal([InvalidRequest], "The request asks for no WebSocket."),
            },
        }


def _examples(shown: Sequence[Example], side: str) -> dict[str, Any]:
    return {
        f"example{number}": {
            **({"summary": example.note} if example.note else {}),
            "value": getattr(example, side),
        }
        for number, example in enumerate(shown, 1)
    }


def _refusals(
    errors: Sequence[type[RpcError]], status_of_kind: Mapping[Kind, int]
) -> dict[str, Any]:
    by_status: dict[int, list[type[RpcError]]] = {}
    for error in errors:
        by_status.setdefault(status_of_kind[error.kind], []).append(error)
    return {str(status): _refusal(found) for status, found in sorted(by_status.items())}


def _refusal(errors: Sequence[type[RpcError]], text: str = "") -> dict[str, Any]:
    lines = [f"`{error.code}`: {error.summary}" for error in errors]
    codes = {"properties": {"code": {"enum": sorted(error.code for error in errors)}}}
    schema = {"allOf": [{"$ref": _ERROR}, codes]}
    return {
        "description": text or "\n\n".join(lines),
        "content": {"application/json": {"schema": schema}},
    }


def _error(codes: list[str]) -> Schema:
    schema = error_schema()
    schema["properties"]["code"] = {"type": "string", "enum": codes}
    return schema


def _server_sent(name: str, spec: MethodSpec, status_of_kind: Mapping[Kind, int]) -> dict[str, Any]:
    return {
        "get": {
            "operationId": f"{name}.sent",
            "tags": [name],
            "summary": f"{spec.summary.rstrip('.')} as server-sent events.",
            "description": f"Serves `{spec.name}`. A client that comes back sends the last `id` it "
            "saw as `Last-Event-ID` and goes on from there.",
            "parameters": [
                {
                    "name": "Last-Event-ID",
                    "in": "header",
                    "required": False,
                    "description": "The last sequence number seen.",
                    "schema": {"type": "string", "pattern": "^[0-9]{1,18}$"},
                },
                {
                    "name": "after_sequence",
                    "in": "query",
                    "required": False,
                    "description": "The same for a first visit; the header counts before it.",
                    "schema": {"type": "string", "pattern": "^[0-9]{1,18}$"},
                },
            ],
            "responses": {
                "200": {
                    "description": "Events: `id` is the sequence, `data` the frame.",
                    "content": {"text/event-stream": {"schema": {"type": "string"}}},
                },
                **_refusals(all_errors(spec), status_of_kind),
            },
        }
    }


def _pages() -> dict[str, Any]:
    def page(name: str, summary: str) -> dict[str, Any]:
        content = {"application/json": {"schema": {"type": "object"}}}
        return {
            "get": {
                "operationId": name,
                "summary": summary,
                "responses": {"200": {"description": summary, "content": content}},
            }
        }

    return {
        "/healthz": page("healthz", "Whether the server is up."),
        "/openapi.json": page("openapi", "This document."),
    }
