"""The `todo` tool: the agent's own list, replaced as a whole each time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from luvus_service.adapters.tools.arguments import Arguments, Prepared, schema, string
from luvus_service.luxe.domain.limits import TODOS
from luvus_service.luxe.domain.tool_ports import (
    InputRefused,
    Outcome,
    PreparedCall,
    Preview,
    Progress,
    Workbench,
)
from luvus_service.luxe.domain.values import Input, Mode, Todo, ToolKind

CONTENT_CHARS = 500
STATUSES = ("pending", "in_progress", "completed", "cancelled")
PRIORITIES = ("high", "medium", "low")
_SIGNS = {"pending": "[ ]", "in_progress": "[~]", "completed": "[x]", "cancelled": "[-]"}


class TodoTool:
    """Keeps the list of what is to be done."""

    name = "todo"
    description = (
        f"Replace the list of what is to be done, at most {TODOS} entries, one of them"
        " in_progress. Use it for work of several steps and keep it up to date."
    )
    parameters: Mapping[str, Any] = schema(
        ("todos",),
        todos={
            "type": "array",
            "maxItems": TODOS,
            "items": {
                "type": "object",
                "properties": {
                    "id": string("Stays the same as long as the entry does."),
                    "content": string("What is to be done."),
                    "status": {"type": "string", "enum": list(STATUSES)},
                    "priority": {"type": "string", "enum": list(PRIORITIES)},
                },
                "required": ["content", "status"],
            },
        },
    )
    kind: ToolKind = "other"
    reads_only = False
    modes: frozenset[Mode] = frozenset({"build", "plan"})

    async def prepare(self, given: Input, bench: Workbench) -> PreparedCall:
        """Check the list."""
        listed = Arguments(given).objects("todos", TODOS)
        if listed is None:
            raise InputRefused("`todos` is missing: give the whole list")
        todos = [_todo(Arguments(item), str(number)) for number, item in enumerate(listed, 1)]
        if sum(todo.status == "in_progress" for todo in todos) > 1:
            raise InputRefused("`todos` has more than one entry in_progress; one is worked on")
        if len({todo.id for todo in todos}) < len(todos):
            raise InputRefused("`todos` has two entries of the same id")
        done = sum(todo.status == "completed" for todo in todos)

        async def work(_progress: Progress) -> Outcome:
            bench.set_todos(todos)
            lines = [f"{_SIGNS[todo.status]} {todo.content}" for todo in todos]
            return Outcome("\n".join(lines) or "[the list is empty]")

        return Prepared(Preview(f"Update the list: {done} of {len(todos)} done"), work)


def _todo(item: Arguments, number: str) -> Todo:
    content = item.text("content", "text", "title", limit=4 * CONTENT_CHARS).strip()
    if not content or len(content) > CONTENT_CHARS:
        raise InputRefused(f"`content` must have 1 to {CONTENT_CHARS} characters")
    status = item.choice("status", STATUSES, "pending")
    priority = item.choice("priority", PRIORITIES, "") or None
    name = item.value("id")
    found = number if name is None else str(name)[:64]
    return Todo(found, content, cast("Any", status), cast("Any", priority))
