"""The Python types of agent sessions: a class of actions, and a type for each event.

The classes only name things; what carries an action to a server is given to them.
"""

from __future__ import annotations

from luvus_service.codegen.agent_api import AgentApi, AgentSchemas, agent_schemas
from luvus_service.codegen.jsonschema import LOCAL, Schema
from luvus_service.codegen.python_client import module_head, types_module, uses
from luvus_service.codegen.python_types import docstring, expression, identifier
from luvus_service.rpc.frames import ActionSpec

_TYPES = "Every value of an agent session's frames, as plain dictionaries."


def python_agents(api: AgentApi) -> dict[str, str]:
    """Return the text of each file of the generated package by its name."""
    schemas = agent_schemas(api, LOCAL)
    events = [_event(kind, *found) for kind, found in schemas.events.items()]
    names = " | ".join(_class(kind) for kind in schemas.events)
    blocks = [
        *events,
        f'Event: TypeAlias = "{names}"\n"""One event of a session."""\n',
        _actions(schemas, asynchronous=False),
        _actions(schemas, asynchronous=True),
    ]
    body = "\n\n".join(blocks)
    text = module_head("The actions and events of an agent session.") + _imports(body)
    return {
        "luxe_types.py": types_module(schemas.definitions, _TYPES),
        "luxe.py": text + body,
    }


def _imports(body: str) -> str:
    abstract = [
        name for name in ("Awaitable", "Callable", "Mapping", "Sequence") if uses(body, name)
    ]
    typing = [name for name in ("Any", "Literal", "TypeAlias", "TypedDict") if uses(body, name)]
    return (
        f"from collections.abc import {', '.join(abstract)}\n"
        f"from typing import {', '.join(typing)}\n\n"
        "from luvus_client.generated import luxe_types as types\n\n\n"
    )


def _event(kind: str, summary: str, schema: Schema) -> str:
    return (
        f"class {_class(kind)}(TypedDict):\n{docstring(summary, '    ')}\n"
        f'    kind: Literal["{kind}"]\n'
        f"    content: {expression(schema, 'received', 'types.')}\n"
    )


def _class(kind: str) -> str:
    return "".join(word.capitalize() for word in kind.split("_")) + "Event"


def _actions(schemas: AgentSchemas, *, asynchronous: bool) -> str:
    kind = "Async" if asynchronous else "Sync"
    returned = "Awaitable[None]" if asynchronous else "None"
    methods = "".join(
        f"\n{_action(spec, schema, asynchronous)}" for spec, schema in schemas.actions.values()
    )
    text = "Every action of a session as a method; each returns when it is done."
    return (
        f"class {kind}Actions:\n{docstring(text, '    ')}\n"
        f"    def __init__(self, act: Callable[[str, object], {returned}]) -> None:\n"
        f"        self._perform = act\n{methods}"
    )


def _action(spec: ActionSpec, schema: Schema | None, asynchronous: bool) -> str:
    verb, wait = ("async def", "await ") if asynchronous else ("def", "")
    taken = ""
    if schema is not None:
        kind = expression(schema, "given", "types.")
        taken = f", content: {kind}{' = None' if kind.endswith('| None') else ''}"
    content = "None" if schema is None else "content"
    return (
        f"    {verb} {identifier(spec.kind)}(self{taken}) -> None:\n"
        f"{docstring(spec.summary, '        ')}"
        f'        {wait}self._perform("{spec.kind}", {content})\n'
    )
