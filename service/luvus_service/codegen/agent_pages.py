"""The reference page of agent sessions: their routes, and every action and event of a session."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from luvus_service.codegen.agent_api import AgentApi, AgentSchemas, agent_schemas
from luvus_service.codegen.agent_paths import NEEDS, PREFIX, agent_paths
from luvus_service.codegen.jsonschema import LOCAL, Bundle, Schema, resolve
from luvus_service.codegen.page_tables import fields_table, table, type_text
from luvus_service.codegen.pages import MARK
from luvus_service.rpc.frames import ActionSpec

PAGE = "agent-sessions.md"
_VERBS = ("get", "post", "delete")
_PYTHON = """```python
from luvus_client import Luxe

with Luxe() as luxe:
    session = luxe.open({"cwd": "/work/app"})
    with session.events() as events:
        session.submit_user_message({"text": "What is this?"})
        for event in events:
            if event["kind"] == "token_delta":
                print(event["content"]["delta"], end="")
            if event["kind"] == "turn_ended":
                break
```"""
_INTRODUCTION = (
    "Sessions of Luxe that the server holds, on `http.sock` and for logged-in browsers. A session "
    "goes on without viewers, and until it is closed: after a restart of the server it is listed "
    "again under its id, and loaded when somebody looks at it or acts. A turn that was cut is "
    "closed then; nothing is run again by itself."
)
_FRAMES = (
    "A WebSocket carries frames `{kind, content}` both ways: events to the client, actions from "
    "it. It is closed with 1000 when the session was closed, and with 1012 when the server ends; "
    "the next server has the session again."
)
_ACTIONS = (
    f"`POST {PREFIX}sessions/{{session_id}}/<action>` with the content as the body, or as a frame."
)


def agent_pages(api: AgentApi) -> dict[str, str]:
    """Return the text of the page by its file name."""
    schemas = agent_schemas(api, LOCAL)
    definitions = Bundle(dict(schemas.definitions), {})
    wish = resolve(schemas.values["wish"], definitions.definitions)
    blocks = [
        MARK,
        "# Agent sessions",
        _INTRODUCTION,
        _PYTHON,
        "## Routes",
        table(["Route", "What it does", "Scope"], list(_routes(api, schemas))),
        "## What opens a session",
        fields_table(wish, definitions, defaults=True),
        "## A session of the list",
        fields_table(resolve(schemas.values["row"], definitions.definitions), definitions),
        "## Actions",
        _ACTIONS,
        *_actions(schemas, definitions),
        "## Events",
        _FRAMES,
        *_events(schemas, definitions),
    ]
    return {PAGE: "\n\n".join(block for block in blocks if block) + "\n"}


def _routes(api: AgentApi, schemas: AgentSchemas) -> Iterator[list[str]]:
    paths, _ = agent_paths(api, "#/components/schemas/Error")
    for path, item in paths.items():
        if path.rpartition("/")[2] in schemas.actions:
            continue
        for verb in _VERBS:
            operation: dict[str, Any] | None = item.get(verb)
            if operation is not None:
                scope = f"`{operation['x-luvus-scope']}`"
                yield [f"`{verb.upper()} {path}`", operation["summary"], scope]


def _actions(schemas: AgentSchemas, definitions: Bundle) -> Iterator[str]:
    for kind, (spec, content) in schemas.actions.items():
        yield f"### {kind}"
        yield spec.summary
        yield _more(spec)
        yield _content(content, definitions)


def _more(spec: ActionSpec) -> str:
    read_only = "Refused in a read-only session." if spec.changes else ""
    return " ".join(part for part in (spec.description, NEEDS[spec.needs], read_only) if part)


def _events(schemas: AgentSchemas, definitions: Bundle) -> Iterator[str]:
    for kind, (summary, content) in schemas.events.items():
        yield f"### {kind} (event)"
        yield summary
        yield _content(content, definitions)


def _content(content: Schema | None, definitions: Bundle) -> str:
    if content is None:
        return "It has no content."
    found = resolve(content, definitions.definitions)
    objects = [resolve(b, definitions.definitions) for b in found.get("anyOf", [found])]
    fields = next((fields for one in objects if (fields := fields_table(one, definitions))), "")
    return fields or f"Its content: {type_text(found, definitions)}."
