"""OpenAPI paths of agent sessions: how they are opened, watched, driven and closed."""

from __future__ import annotations

from typing import Any

from luvus_service.codegen.agent_api import AgentApi, AgentSchemas, agent_schemas
from luvus_service.codegen.jsonschema import Schema
from luvus_service.rpc.frames import ActionSpec

PREFIX = "/luxe/v2/"
MARK = "Luxe"
"""Before the names of definitions: the methods have some of the same names."""
_TEMPLATE = "#/components/schemas/" + MARK + "{model}"
_ID = {
    "name": "session_id",
    "in": "path",
    "required": True,
    "description": "The session's id.",
    "schema": {"type": "string", "pattern": "^[0-9a-f-]{1,64}$"},
}
NEEDS = {
    "idle": "Refused while a turn runs.",
    "turn": "Refused while no turn runs.",
    "anything": "",
}


def agent_paths(api: AgentApi, error: str) -> tuple[dict[str, Any], dict[str, Schema]]:
    """Return the paths and the definitions they refer to; `error` points at the error object."""
    paths = _Paths(api, agent_schemas(api, _TEMPLATE), error)
    definitions = {MARK + name: schema for name, schema in paths.schemas.definitions.items()}
    return paths.all(), definitions


class _Paths:
    def __init__(self, api: AgentApi, schemas: AgentSchemas, error: str) -> None:
        self.schemas = schemas
        self._api = api
        self._error = error

    def all(self) -> dict[str, Any]:
        values = self.schemas.values
        one = PREFIX + "sessions/{session_id}"
        actions = {
            f"{one}/{kind}": {"parameters": [_ID], "post": self._action(spec, content)}
            for kind, (spec, content) in self.schemas.actions.items()
        }
        return {
            PREFIX + "sessions": {"get": self._list(), "post": self._open()},
            one: {"parameters": [_ID], "get": self._one(), "delete": self._close()},
            one + "/pictures/{sha256}": {"parameters": [_ID, _sha256()], "get": self._picture()},
            PREFIX + "stored": {"get": self._stored()},
            PREFIX + "models": {
                "get": self._operation(
                    "luxe.models",
                    "List the models that can be selected, asked of their providers.",
                    {"200": _json("The models.", _listing("models", values["model"]))},
                    access="write",
                )
            },
            **actions,
        }

    def _operation(
        self, name: str, summary: str, responses: dict[str, Any], access: str = "read"
    ) -> dict[str, Any]:
        return {
            "operationId": name,
            "tags": ["luxe"],
            "summary": summary,
            # Looking needs the scope `read`; what acts needs every scope.
            "x-luvus-scope": "read" if access == "read" else "all",
            "x-luvus-access": access,
            "responses": {**responses, "default": self._refusal()},
        }

    def _list(self) -> dict[str, Any]:
        listing = _listing("sessions", self.schemas.values["row"])
        return {
            **self._operation(
                "luxe.sessions",
                "List the open sessions; as a WebSocket, whole again after every change.",
                {
                    "101": {"description": "A WebSocket that sends the list now and when it has "
                            "changed, at most ten times a second. What a client sends is ignored."},
                    "200": _json("The sessions, oldest first.", listing),
                },
            ),
            "x-luvus-stream": {"frames": [_framed("sessions", listing)]},
        }  # fmt: skip

    def _open(self) -> dict[str, Any]:
        opened = self._operation(
            "luxe.open",
            "Open a session, new or resumed.",
            {"201": _json("The session's `ready`.", self._frame("ready"))},
            access="write",
        )
        return {**opened, "requestBody": _body(self.schemas.values["wish"], required=True)}

    def _one(self) -> dict[str, Any]:
        shown = self.schemas.values["shown"]
        contents = self.schemas.actions.items()
        return {
            **self._operation(
                "luxe.session",
                "Show a session and what waits for an answer; as a WebSocket, its frames.",
                {
                    "101": {"description": "A WebSocket of frames `{kind, content}` both ways. It "
                            "begins with everything that a late viewer must know, and leaving it "
                            "does not end the session. An action needs every scope, each time. "
                            "The code 1000 says that the session was closed, 1012 that the server "
                            "ends: the next one has the session again, under the same id."},
                    "200": _json("The session, with the events that asked.", shown),
                },
            ),
            "x-luvus-stream": {
                "frames": [self._frame(kind) for kind in self.schemas.events],
                "actions": [_framed(kind, content) for kind, (_, content) in contents],
            },
        }  # fmt: skip

    def _close(self) -> dict[str, Any]:
        summary = "Close a session, stopping its turn."
        return self._operation("luxe.close_session", summary, {"200": _nothing()}, access="write")

    def _picture(self) -> dict[str, Any]:
        kinds = ("image/png", "image/jpeg", "image/gif", "image/webp")
        content = {kind: {"schema": {"type": "string", "format": "binary"}} for kind in kinds}
        response = {"description": "The picture.", "content": content}
        summary = "Return a picture of the transcript."
        return self._operation("luxe.picture", summary, {"200": response})

    def _stored(self) -> dict[str, Any]:
        listing = _listing("sessions", self.schemas.values["stored"])
        folder = {
            "name": "cwd",
            "in": "query",
            "required": True,
            "description": "The folder they were opened in, absolute.",
            "schema": {"type": "string"},
        }
        return {
            **self._operation(
                "luxe.stored",
                "List the newest sessions of a folder that are on the disk.",
                {"200": _json("The sessions, newest first.", listing)},
            ),
            "parameters": [folder],
        }

    def _action(self, spec: ActionSpec, content: Schema | None) -> dict[str, Any]:
        done = self._operation(
            f"luxe.{spec.kind}", spec.summary, {"200": _nothing()}, access="write"
        )
        if text := " ".join(part for part in (spec.description, NEEDS[spec.needs]) if part):
            done["description"] = text
        if content is not None:
            done["requestBody"] = _body(content, required=not _may_be_null(content))
        return done

    def _frame(self, kind: str) -> Schema:
        return _framed(kind, self.schemas.events[kind][1])

    def _refusal(self) -> dict[str, Any]:
        codes = ", ".join(f"`{code}` {status}" for code, status in self._api.statuses.items())
        text = f"A refusal, with the status of its code: {codes}; any other {self._api.otherwise}."
        return _json(text, {"$ref": self._error})


def _json(text: str, schema: Schema) -> dict[str, Any]:
    return {"description": text, "content": {"application/json": {"schema": schema}}}


def _nothing() -> dict[str, Any]:
    return _json("It was done.", {"type": "object"})


def _body(schema: Schema, *, required: bool) -> dict[str, Any]:
    return {"required": required, "content": {"application/json": {"schema": schema}}}


def _listing(name: str, item: Schema) -> Schema:
    return {
        "type": "object",
        "properties": {name: {"type": "array", "items": item}},
        "required": [name],
    }


def _framed(kind: str, content: Schema | None) -> Schema:
    properties: dict[str, Any] = {"kind": {"const": kind}}
    required = ["kind"]
    if content is not None:
        properties["content"] = content
        if not _may_be_null(content):
            required.append("content")
    return {"type": "object", "properties": properties, "required": required}


def _may_be_null(schema: Schema) -> bool:
    return any(branch.get("type") == "null" for branch in schema.get("anyOf", []))


def _sha256() -> dict[str, Any]:
    return {
        "name": "sha256",
        "in": "path",
        "required": True,
        "description": "The digest that the transcript names.",
        "schema": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
    }
