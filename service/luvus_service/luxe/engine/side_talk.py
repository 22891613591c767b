"""A conversation beside the session's own: its messages are not stored, only what it cost.

Its calls are judged by the session's rules and are not shown one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from luvus_service.luxe.domain.ports import ModelRequest, Provider, ToolSchema
from luvus_service.luxe.domain.records import Entry
from luvus_service.luxe.domain.tool_ports import Tool
from luvus_service.luxe.domain.values import (
    Activity,
    CallPurpose,
    CallUsage,
    Message,
    Model,
    ModelRef,
    Part,
    TextPart,
)
from luvus_service.luxe.engine.answer import Answer, Called
from luvus_service.luxe.engine.aside_call import AsideCalls
from luvus_service.luxe.engine.context import Lens, schemas
from luvus_service.luxe.engine.ids import new_id
from luvus_service.luxe.engine.prompts import Asking, Consent
from luvus_service.luxe.engine.tool_batch import ToolBatch
from luvus_service.luxe.engine.tool_call import Desk, Permits, ToolCall, fingerprint

if TYPE_CHECKING:
    from luvus_service.luxe.engine.session import Session
    from luvus_service.luxe.engine.workbench import Bench


class NobodyToAsk:
    """Rejects whatever would need consent."""

    async def permit(self, asking: Asking) -> Consent:
        """Reject it."""
        return Consent(False, f"nobody can be asked here for {asking.tool}")


@dataclass(frozen=True, slots=True)
class Side:
    """What a conversation beside is for."""

    role: str
    """Its first system text; the session's other ones follow."""
    purpose: CallPurpose
    tools: Callable[[], Sequence[Tool]]
    extra: tuple[ToolSchema, ...] = ()
    """Tools of which only the call counts; they are never run."""
    model: tuple[Provider, Model] | None = None
    """None for the session's own."""
    prompts: Permits | None = None
    """Who is asked for consent; None for the session's client."""
    act: Callable[[Activity], None] | None = None


class SideTalk:
    """One conversation beside; its owner says when the model and its tools are called."""

    def __init__(self, session: Session, bench: Bench, side: Side) -> None:
        """`bench` is the call's that it belongs to."""
        self._session = session
        self._bench = replace(bench, told=set(), delegates=None)
        self._side = side
        self._entries: list[Entry] = []
        self._lens = Lens()
        self._last_print = ""
        self._repeats = 0
        self._calls = AsideCalls(session, side.purpose, bench.turn_id or None)

    @property
    def usage(self) -> CallUsage | None:
        """What all its model calls used; None when no provider counted."""
        return self._calls.usage

    def say(self, text: str) -> None:
        """Add a message of the user's side."""
        self._add("user", (TextPart(text),))

    async def answer(self, *, force: str | None = None) -> Answer:
        """Call the model once; `force` names the one tool that must be called.

        Raises:
            ProviderFailure: It failed.
        """
        provider, request = self._request(force)
        answer = await self._calls.run(provider, request)
        parts, opaque = answer.parts(calls=True)
        if parts:
            self._add("assistant", parts, opaque)
        return answer

    async def run(self, calls: tuple[Called, ...]) -> None:
        """Make the calls of the last answer and add their results."""
        session = self._session
        tools = {tool.name: tool for tool in self._side.tools()}
        desk = Desk(
            session.state,
            self._side.prompts or session.prompts,
            lambda _event: None,
            lambda: session.state.auto_approve and self._side.prompts is None,
            self._side.act or session.state.act,
        )
        made = [
            (
                called,
                ToolCall(called, tools.get(called.part.name), self._bench, desk, ""),
                called.part.name in tools and tools[called.part.name].reads_only,
            )
            for called in calls
        ]
        batch = ToolBatch(made, self._repeated, lambda: False)
        try:
            await batch.run()
        finally:
            # Shared with the call that this talk belongs to, which counts them for its turn.
            for end in batch.results():
                self._bench.changed.update(end.outcome.changed if end.outcome else ())
        if any(not reads for _, _, reads in made):
            session.project_changed()
        self._add("tool", tuple(end.result for end in batch.results()))

    def _request(self, force: str | None) -> tuple[Provider, ModelRequest]:
        provider, usual = self._session.request()
        if self._side.model is not None:
            provider, model = self._side.model
            usual = replace(usual, model=model)
        seen = self._lens.seen(self._entries, None, lambda _sha256: None, images=False)
        request = replace(
            usual,
            system=(self._side.role, *usual.system[1:]),
            messages=seen.messages,
            tools=(*schemas(self._side.tools()), *self._side.extra),
            force_tool=force,
            cache_key=f"{usual.cache_key}:{self._bench.call_id}",
        )
        return provider, request

    def _repeated(self, called: Called) -> bool:
        print_ = fingerprint(called)
        self._repeats = self._repeats + 1 if print_ == self._last_print else 1
        self._last_print = print_
        return self._repeats >= self._session.choices.max_repeats

    def _add(
        self,
        role: Literal["user", "assistant", "tool"],
        parts: tuple[Part, ...],
        opaque: Mapping[str, str] | None = None,
    ) -> None:
        session = self._session
        model = self._side.model[1] if self._side.model is not None else session.state.model
        ref = ModelRef(model.provider, model.model) if model and role == "assistant" else None
        message = Message(
            new_id("msg"), role, parts, session.now(), self._bench.turn_id, ref, origin="engine"
        )
        self._entries.append(Entry(message, opaque or {}))
