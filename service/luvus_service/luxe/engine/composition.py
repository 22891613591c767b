"""What fills the context window, by category; the categories add up exactly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from luvus_service.luxe.domain.limits import BYTES_PER_TOKEN
from luvus_service.luxe.domain.session_events import (
    CompositionCategory,
    CompositionItem,
    ContextComposition,
)
from luvus_service.luxe.domain.transcript import kept_before_model
from luvus_service.luxe.domain.values import (
    ImagePart,
    Message,
    ModelRef,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolResultPart,
)
from luvus_service.luxe.engine.context import IMAGE_TOKENS, reserve

if TYPE_CHECKING:
    from luvus_service.luxe.engine.session import Session

LABELS: Mapping[str, str] = {
    "system_prompt": "System prompt",
    "instructions": "Instructions",
    "skills": "Skills",
    "tools": "Tools",
    "mcp_tools": "MCP tools",
    "user_messages": "Your messages",
    "assistant_messages": "Answers",
    "thinking": "Thinking",
    "tool_results": "Tool results",
    "images": "Pictures",
    "compaction_summary": "Summary",
    "steering": "Steering",
    "other": "Other",
}
ITEMS = 50
"""Of one category, the largest."""
_TOOLS = {"mcp": "mcp_tools", "skill": "skills"}


def composed(session: Session) -> ContextComposition:
    """Return what fills the window of a session now."""
    model = session.state.model
    window = model.context_window if model is not None else 0
    total = session.gauge.used()
    items: dict[str, list[CompositionItem]] = {name: [] for name in LABELS}
    sizes = dict.fromkeys(LABELS, 0)

    def count(name: str, size: int, label: str, path: str | None = None) -> None:
        sizes[name] += size
        if size:
            items[name].append(CompositionItem(label[:80], round(size / BYTES_PER_TOKEN), path))

    if model is not None:
        _, request = session.request()
        known = {item.text: item.path for item in session.world.instructions()}
        for text in request.system:
            path = next((p for body, p in known.items() if body and body in text), None)
            count("instructions" if path else "system_prompt", _size(text), text[:60], path)
        for tool in request.tools:
            size = _size(tool.name + tool.description + repr(tool.parameters))
            count(_TOOLS.get(tool.name.partition("__")[0], "tools"), size, tool.name)
    folded = session.conversation.folded
    if folded.compacted is not None:
        count("compaction_summary", _size(folded.compacted.summary), "Summary")
    for entry in kept_before_model(folded.entries, folded.compacted):
        for name, size, label in _parts(entry.message):
            count(name, size, label)
    reserved = reserve(model) if model is not None else 0
    return ContextComposition(
        total_tokens=total,
        context_window=window,
        free_tokens=max(0, window - total),
        reserved_tokens=reserved,
        model=ModelRef(model.provider, model.model) if model is not None else None,
        source=session.gauge.source,
        categories=_categories(sizes, items, total),
    )


def shares(sizes: Mapping[str, int], total: int) -> dict[str, int]:
    """Return whole numbers in proportion to the sizes that add up to `total`.

    The largest takes what rounding leaves.
    """
    whole = sum(sizes.values())
    if not whole:
        return {"other": total} if total else {}
    found = {name: size * total // whole for name, size in sizes.items()}
    largest = max(sizes, key=lambda name: sizes[name])
    found[largest] += total - sum(found.values())
    return found


def _categories(
    sizes: Mapping[str, int], items: Mapping[str, list[CompositionItem]], total: int
) -> tuple[CompositionCategory, ...]:
    return tuple(
        CompositionCategory(
            name,
            LABELS[name],
            tokens,
            round(100 * tokens / total, 1) if total else 0.0,
            tuple(sorted(items[name], key=lambda item: -item.tokens)[:ITEMS]),
        )
        for name, tokens in shares(sizes, total).items()
        if tokens
    )


def _parts(message: Message) -> list[tuple[str, int, str]]:
    found: list[tuple[str, int, str]] = []
    name = {"user": "user_messages", "assistant": "assistant_messages"}.get(message.role, "other")
    if message.origin == "steering":
        name = "steering"
    for part in message.parts:
        if isinstance(part, TextPart):
            found.append((name, _size(part.text), part.text))
        elif isinstance(part, ThinkingPart):
            found.append(("thinking", _size(part.text), "Thinking"))
        elif isinstance(part, ImagePart):
            found.append(("images", round(IMAGE_TOKENS * BYTES_PER_TOKEN), part.name or part.mime))
        elif isinstance(part, ToolCallPart):
            found.append((name, _size(part.name + repr(part.input)), part.name))
        elif isinstance(part, ToolResultPart):
            found.append(("tool_results", _size(part.output), part.name))
    return found


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))
