"""Summarises older messages for the model; the stored transcript stays whole.

A failed or cancelled one changes nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from luvus_service.luxe.domain.limits import (
    BYTES_PER_TOKEN,
    COMPACT_AUTO_PER_TURN,
    COMPACT_KEEP_TOKENS,
    COMPACT_MIN_FREED,
)
from luvus_service.luxe.domain.ports import MessageGiven, ModelRequest, ProviderFailure, TextGiven
from luvus_service.luxe.domain.records import Compacted, Entry
from luvus_service.luxe.domain.session_events import CompactionDone, CompactionStarted, Trigger
from luvus_service.luxe.domain.transcript import kept_before_model, last_user
from luvus_service.luxe.domain.values import (
    ErrorInfo,
    TextPart,
    Todo,
    ToolCallPart,
    ToolResultPart,
)
from luvus_service.luxe.engine.aside_call import AsideCalls
from luvus_service.luxe.engine.context import entry_tokens, kept_tokens

if TYPE_CHECKING:
    from luvus_service.luxe.engine.session import Session

RESULT_CHARS = 2_000
"""Of a tool's result in the text that is summarised."""
TEXT_SHARE = 0.8
"""Of the window that the text to summarise may take; older text is left out."""

_INSTRUCTION = """\
Summarise the conversation below so that the work can go on without it. Write: the goal; decisions \
and why; files read and changed; what was tried and how it ended; open tasks; the next steps. Keep \
names, paths, commands and numbers exact. Write nothing else."""


class Compactor:
    """Makes room in the context window of a session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._turn: str | None = None
        self._automatic = 0

    async def when_needed(self, turn_id: str) -> None:
        """Compact before a model call when the window is nearly full."""
        gauge = self._session.gauge
        if not gauge.nearly_full() or not self._may(turn_id):
            return
        await self.run("threshold", None, turn_id)

    async def after_overflow(self, turn_id: str) -> bool:
        """Compact because the provider found the prompt too long; say whether to try again."""
        if not self._may(turn_id):
            return False
        return await self.run("overflow", None, turn_id)

    async def run(self, trigger: Trigger, focus: str | None, turn_id: str | None) -> bool:
        """Compact, show how it went, and return whether it did anything."""
        session = self._session
        before = session.gauge.used()
        session.state.act("compacting")
        session.emit(CompactionStarted(trigger, focus, before))
        done = CompactionDone(False, trigger, focus, None, before, None, 0, None)
        try:
            done = await self._compact(trigger, focus, turn_id, before)
        except ProviderFailure as failure:
            done = CompactionDone(False, trigger, focus, None, before, None, 0, failure.info)
        except asyncio.CancelledError:
            error = ErrorInfo("cancelled", "the compaction was cancelled")
            session.emit(CompactionDone(False, trigger, focus, None, before, None, 0, error))
            raise
        session.emit(done)
        session.gauge.show_usage()
        session.gauge.show(None)
        return done.ok

    def _may(self, turn_id: str) -> bool:
        if self._turn != turn_id:
            self._turn, self._automatic = turn_id, 0
        if not self._session.choices.auto_compact or self._automatic >= COMPACT_AUTO_PER_TURN:
            return False
        self._automatic += 1
        return True

    async def _compact(
        self, trigger: Trigger, focus: str | None, turn_id: str | None, before: int
    ) -> CompactionDone:
        session = self._session
        folded = session.conversation.folded
        visible = kept_before_model(folded.entries, folded.compacted)
        model = session.state.model
        keep = kept_tokens(model) if model is not None else COMPACT_KEEP_TOKENS
        cut, user = kept_from(visible, keep)
        old = [entry for index, entry in enumerate(visible[:cut]) if index != user]
        if len(old) < 2:
            error = ErrorInfo("invalid_request", "there are fewer than two messages to summarise")
            return CompactionDone(False, trigger, focus, None, before, None, 0, error)
        earlier = folded.compacted.summary if folded.compacted is not None else ""
        summary = await self._summary(rendered(old, earlier), focus, turn_id)
        summary += restated(folded.todos, folded.plan)
        freed = sum(map(entry_tokens, old)) + _tokens(earlier) - _tokens(summary)
        after = max(0, before - freed)
        if trigger != "manual" and freed < COMPACT_MIN_FREED * before:
            error = ErrorInfo("context_overflow", "the summary would free too little")
            return CompactionDone(False, trigger, focus, None, before, None, 0, error)
        session.conversation.compacted(
            Compacted(
                summary,
                visible[cut].message.id,
                before,
                after,
                session.now(),
                visible[user].message.id if user is not None else None,
            )
        )
        session.gauge.forget()
        session.world.reread()
        session.told.clear()
        return CompactionDone(True, trigger, focus, summary, before, after, len(old), None)

    async def _summary(self, text: str, focus: str | None, turn_id: str | None) -> str:
        session = self._session
        provider, usual = session.request()
        room = int(usual.model.context_window * TEXT_SHARE * BYTES_PER_TOKEN)
        instruction = _INSTRUCTION + (f" Pay attention to: {focus}." if focus else "")
        request = ModelRequest(
            model=usual.model,
            system=(instruction,),
            messages=(MessageGiven("user", (TextGiven(_tail(text, room)),)),),
            cache_key=usual.cache_key,
        )
        answer = await AsideCalls(session, "compaction", turn_id).run(provider, request)
        parts, _ = answer.parts(calls=False)
        summary = "".join(part.text for part in parts if isinstance(part, TextPart)).strip()
        if not summary:
            raise ProviderFailure("internal", "the model wrote no summary", provider=provider.name)
        return summary


def kept_from(entries: Sequence[Entry], keep: int = COMPACT_KEEP_TOKENS) -> tuple[int, int | None]:
    """Return from where on entries are kept, and which one before is kept as well.

    Kept are the newest up to a number of tokens, the last ones however long they are, never a
    result without its call, and always the last message that a person wrote.
    """
    size = 0
    cut = len(entries)
    for index in range(len(entries) - 1, -1, -1):
        size += entry_tokens(entries[index])
        if size > keep and cut < len(entries):
            break
        if entries[index].message.role != "tool":
            cut = index
    user = last_user(entries)
    if user is None or user >= cut:
        return cut, None
    return (user, None) if user == cut - 1 else (cut, user)


def rendered(entries: Sequence[Entry], earlier: str) -> str:
    """Return messages as text for the model that summarises them."""
    lines = [f"Earlier summary:\n{earlier}"] if earlier else []
    for entry in entries:
        for part in entry.message.parts:
            if isinstance(part, TextPart):
                lines.append(f"{entry.message.role}: {part.text}")
            elif isinstance(part, ToolCallPart):
                lines.append(f"call {part.name}: {dict(part.input)!r}"[:RESULT_CHARS])
            elif isinstance(part, ToolResultPart):
                lines.append(f"result ({part.status}): {part.output[:RESULT_CHARS]}")
    return "\n\n".join(lines)


def restated(todos: Sequence[Todo], plan: str | None) -> str:
    """Return what goes behind a summary; mode and instructions are in every call anyway."""
    said = f"\n\nThe plan is in {plan}." if plan is not None else ""
    if todos:
        said += "\n\nTodos:\n" + "\n".join(f"- [{todo.status}] {todo.content}" for todo in todos)
    return said


def _tail(text: str, size: int) -> str:
    # A character that the cut went through is left out.
    return text.encode("utf-8", "replace")[-size:].decode("utf-8", "replace").lstrip("\ufffd")


def _tokens(text: str) -> int:
    return round(len(text.encode("utf-8", "replace")) / BYTES_PER_TOKEN)
