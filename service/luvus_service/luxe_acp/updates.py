"""Turns frames into what an editor shows; pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias, cast

from acp import helpers, schema

Body: TypeAlias = Mapping[str, Any]
Update: TypeAlias = (
    schema.UserMessageChunk
    | schema.AgentMessageChunk
    | schema.AgentThoughtChunk
    | schema.ToolCallStart
    | schema.ToolCallProgress
    | schema.AgentPlanUpdate
    | schema.CurrentModeUpdate
    | schema.UsageUpdate
    | schema.SessionInfoUpdate
)
Content: TypeAlias = (
    schema.ContentToolCallContent | schema.FileEditToolCallContent | schema.TerminalToolCallContent
)

SHOWN_CHARS: Final = 50_000
"""Of a call's output."""
_KINDS: Final[Mapping[str, schema.ToolKind]] = {
    "read": "read",
    "edit": "edit",
    "execute": "execute",
    "search": "search",
    "fetch": "fetch",
    "plan": "think",
    "task": "think",
}
_STOPS: Final[Mapping[str, schema.StopReason]] = {
    "end_turn": "end_turn",
    "cancelled": "cancelled",
    "max_tokens": "max_tokens",
    "context_overflow": "max_tokens",
    "max_steps": "max_turn_requests",
    "refusal": "refusal",
}
_TODO: Final[Mapping[str, schema.PlanEntryStatus]] = {
    "pending": "pending",
    "in_progress": "in_progress",
    "completed": "completed",
}


def stop_reason(reason: str) -> schema.StopReason | None:
    """Return how a turn ended, None for one that failed."""
    return _STOPS.get(reason)


def tool_kind(kind: str) -> schema.ToolKind:
    """Return how a call is drawn."""
    return _KINDS.get(kind, "other")


def updates(kind: str, body: Body) -> list[Update]:
    """Return what an editor is told of a frame; nothing for most."""
    if kind == "token_delta":
        return [helpers.update_agent_message_text(body["delta"])]
    if kind == "thinking_delta":
        return [helpers.update_agent_thought_text(body["delta"])]
    if kind == "tool_started":
        return [started(body)]
    if kind == "tool_activity_updated" and body["state"] == "running":
        return [_progress(body["call_id"], status="in_progress")]
    if kind == "tool_completed":
        output = contents(body["output"], body.get("diff"), first(body.get("paths")))
        return [_progress(body["call_id"], content=output)]
    if kind == "tool_ended":
        done = body["status"] == "completed"
        shown = None if done or not body.get("reason") else contents(body["reason"], None, None)
        status: schema.ToolCallStatus = "completed" if done else "failed"
        return [_progress(body["call_id"], status=status, content=shown)]
    if kind == "context_usage":
        used, size = body["used_tokens"], body["context_window"]
        return [schema.UsageUpdate(session_update="usage_update", used=used, size=size)]
    return []


def started(body: Body) -> schema.ToolCallStart:
    """Return the beginning of a call."""
    return schema.ToolCallStart(
        session_update="tool_call",
        tool_call_id=body["call_id"],
        title=body["title"] or body["name"],
        kind=tool_kind(body["kind"]),
        status="pending",
        locations=[schema.ToolCallLocation(path=path) for path in body["paths"]] or None,
        raw_input=body["input"],
    )


def _progress(
    call_id: str,
    *,
    status: schema.ToolCallStatus | None = None,
    content: list[Content] | None = None,
) -> schema.ToolCallProgress:
    return schema.ToolCallProgress(
        session_update="tool_call_update", tool_call_id=call_id, status=status, content=content
    )


def contents(text: str, diff: str | None, path: str | None) -> list[Content]:
    """Return a call's output as an editor draws it, a change as a change."""
    if diff:
        return [_change(diff, path)]
    if not text:
        return []
    return [helpers.tool_content(helpers.text_block(text[:SHOWN_CHARS]))]


def _change(diff: str, path: str | None) -> Content:
    old, new, named = sides(diff)
    return schema.FileEditToolCallContent(
        type="diff", path=path or named or "", old_text=old or None, new_text=new
    )


def sides(diff: str) -> tuple[str, str, str | None]:
    """Return the old text, the new text and the path of a unified diff, as far as it shows them."""
    old: list[str] = []
    new: list[str] = []
    path: str | None = None
    inside = False
    for line in diff.splitlines():
        if line.startswith("@@"):
            inside = True
        elif not inside:
            if line.startswith("+++ "):
                path = line[4:].removeprefix("b/")
        elif line.startswith("-"):
            old.append(line[1:])
        elif line.startswith("+"):
            new.append(line[1:])
        elif line.startswith(" ") or not line:
            old.append(line[1:])
            new.append(line[1:])
    return _text(old), _text(new), path


def _text(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def first(paths: object) -> str | None:
    """Return the first of some paths."""
    found = list(cast("Iterable[str]", paths)) if isinstance(paths, list | tuple) else []
    return found[0] if found else None


def plan(todos: Iterable[Body]) -> schema.AgentPlanUpdate:
    """Return the agent's list of todos; cancelled ones are not shown."""
    return helpers.update_plan(
        schema.PlanEntry(
            content=todo["content"],
            priority=todo.get("priority") or "medium",
            status=_TODO[todo["status"]],
        )
        for todo in todos
        if todo["status"] in _TODO
    )


def replayed(messages: Iterable[Body]) -> list[Update]:
    """Return a stored transcript as it would have been shown."""
    shown: list[Update] = []
    for message in messages:
        for part in message["parts"]:
            shown += _part(message["role"], part)
    return shown


def _part(role: str, part: Body) -> list[Update]:
    sort = part["type"]
    if sort == "text":
        if role == "user":
            return [helpers.update_user_message_text(part["text"])]
        return [helpers.update_agent_message_text(part["text"])] if role == "assistant" else []
    if sort == "thinking" and part["text"]:
        return [helpers.update_agent_thought_text(part["text"])]
    if sort == "tool_call":
        return [
            schema.ToolCallStart(
                session_update="tool_call",
                tool_call_id=part["call_id"],
                title=part["name"],
                kind="other",
                status="pending",
                raw_input=part["input"],
            )
        ]
    if sort == "tool_result":
        status: schema.ToolCallStatus = "completed" if part["status"] == "completed" else "failed"
        return [
            _progress(part["call_id"], status=status, content=contents(part["output"], None, None))
        ]
    return []
