"""The TypeScript types of agent sessions: their frames, and what the routes around them carry."""

from __future__ import annotations

from luvus_service.codegen.agent_api import AgentApi, agent_schemas
from luvus_service.codegen.jsonschema import LOCAL, Schema
from luvus_service.codegen.typescript import MARK
from luvus_service.codegen.typescript_types import definition, documented, expression, key

_NAMES = {
    "wish": "Wish",
    "row": "Row",
    "shown": "Shown",
    "stored": "Stored",
    "model": "Selectable",
}


def typescript_agents(api: AgentApi) -> dict[str, str]:
    """Return the text of each file of the generated folder by its name."""
    schemas = agent_schemas(api, LOCAL)
    types = "\n".join(definition(name, schema) for name, schema in schemas.definitions.items())
    actions = "".join(
        f"{documented(spec.summary, '  ')}  {key(kind)}: {_content(schema)};\n"
        for kind, (spec, schema) in schemas.actions.items()
    )
    events = "".join(
        f"{documented(summary, '  ')}  {key(kind)}: {_named(schema)};\n"
        for kind, (summary, schema) in schemas.events.items()
    )
    values = "".join(
        f"export type {_NAMES[name]} = {_named(schema)};\n"
        for name, schema in schemas.values.items()
    )
    return {
        "luxe_types.ts": f"{MARK}\n/** Every value of an agent session's frames. */\n\n{types}",
        "luxe.ts": (
            f'{MARK}\n\nimport type * as t from "./luxe_types.js";\n\n'
            f"/** The content of every action. */\nexport interface Actions {{\n{actions}}}\n\n"
            f"/** The content of every event. */\nexport interface Events {{\n{events}}}\n\n"
            f"{values}"
        ),
    }


def _content(schema: Schema | None) -> str:
    return "undefined" if schema is None else _named(schema)


def _named(schema: Schema) -> str:
    return expression(_prefixed(schema))


def _prefixed(schema: Schema) -> Schema:
    if "$ref" in schema:
        return {"$ref": "#/$defs/t." + str(schema["$ref"]).rsplit("/", 1)[-1]}
    for branching in ("anyOf", "oneOf"):
        if branching in schema:
            return {**schema, branching: [_prefixed(branch) for branch in schema[branching]]}
    return schema
