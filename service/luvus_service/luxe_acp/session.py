"""One session as an editor sees it: its frames as updates, its prompts as requests."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import suppress
from typing import Any, Protocol

from acp import RequestError, helpers, schema

from luvus_service.luxe_acp.asking import (
    form,
    form_reply,
    permission,
    permission_reply,
    question,
    question_reply,
)
from luvus_service.luxe_acp.ports import AgentSession, Refusal
from luvus_service.luxe_acp.updates import Update, plan, replayed, stop_reason, updates

_log = logging.getLogger(__name__)

MODES = {"build": "Build", "plan": "Plan"}
STATE_S = 2.0
"""How long a new state may take to come."""
LEVELS = ("off", "minimal", "low", "medium", "high", "xhigh", "ultra")


class Editor(Protocol):
    """The far side, as much of it as is used."""

    async def request_permission(
        self,
        session_id: str,
        tool_call: schema.ToolCallUpdate,
        options: list[schema.PermissionOption],
    ) -> schema.RequestPermissionResponse:
        """Let the user choose."""
        ...

    async def create_elicitation(
        self, message: str, mode: schema.ElicitationFormSessionMode
    ) -> object:
        """Let the user fill in a form."""
        ...

    async def session_update(self, session_id: str, update: Update) -> None:
        """Show something."""
        ...


class EditorSession:
    """Carries one session to one editor."""

    def __init__(self, agent: AgentSession, editor: Editor, *, forms: bool) -> None:
        """`forms` says whether the editor can show forms."""
        self.agent = agent
        self._forms = forms
        self._spoken: str | None = None
        """A question that stands in the conversation; the next prompt answers it."""
        self.id = agent.session_id
        self._editor = editor
        self._prompting = False
        self._turn: asyncio.Future[Mapping[str, Any]] | None = None
        self._requests: dict[str, asyncio.Task[None]] = {}
        self._state: Mapping[str, Any] = {}
        self._todos: Any = []
        self._ready = asyncio.Event()
        self._stated = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self._replay = False
        self._reader: asyncio.Task[None] | None = None

    async def begin(self, *, replay: bool) -> None:
        """Start to carry frames; with `replay` the stored transcript is shown first."""
        self._replay = replay
        self._reader = asyncio.get_running_loop().create_task(self._read(), name=f"acp {self.id}")
        self.agent.begin()
        await self._ready.wait()

    async def close(self) -> None:
        """Close the session."""
        await self.agent.close()
        if self._reader is not None:
            await asyncio.wait({self._reader})

    async def prompt(self, content: Mapping[str, Any]) -> schema.PromptResponse:
        """Run a turn, or answer the question of one, and return how it ended.

        Raises:
            RequestError: It was refused or failed.
        """
        if self._prompting:
            raise RequestError(-32600, "a turn is running in this session")
        self._prompting = True
        try:
            ended = await self._ended(content)
        finally:
            self._prompting = False
            self._turn = None
        reason = stop_reason(ended["reason"])
        if reason is None:
            error: Mapping[str, Any] = ended.get("error") or dict[str, Any]()
            raise RequestError(
                -32000 if error.get("code") == "auth" else -32603,
                error.get("message") or "the turn failed",
                error,
            )
        return schema.PromptResponse(stop_reason=reason)

    async def _ended(self, content: Mapping[str, Any]) -> Mapping[str, Any]:
        if not await self._answered(content["text"]):
            # One that was cancelled may still be at its end, which is not the new one's.
            await self._idle.wait()
            self._turn = asyncio.get_running_loop().create_future()
            await self.act("submit_user_message", content)
        assert self._turn is not None
        return await self._turn

    async def _answered(self, text: str) -> bool:
        """Answer the question that stands in the conversation; False when there is none."""
        if self._spoken is None:
            return False
        self._turn = asyncio.get_running_loop().create_future()
        reply = {"id": self._spoken, "reply": {"answered": [text]}}
        try:
            await self.agent.perform("answer_question", reply)
        except Refusal as refusal:
            if refusal.code != "not_found":
                raise RequestError(-32602, str(refusal), {"code": refusal.code}) from refusal
            self._turn = None
            return False
        return True

    async def act(self, kind: str, content: Any = None) -> None:
        """Do an action.

        Raises:
            RequestError: It was refused.
        """
        try:
            await self.agent.perform(kind, content)
        except Refusal as refusal:
            raise RequestError(-32602, str(refusal), {"code": refusal.code}) from refusal

    async def choose(self, kind: str, content: Any) -> None:
        """Do an action that changes the state, and return when the new state is known.

        Raises:
            RequestError: It was refused.
        """
        self._stated.clear()
        await self.act(kind, content)
        with suppress(TimeoutError):
            async with asyncio.timeout(STATE_S):
                await self._stated.wait()

    async def cancel(self) -> None:
        """Stop the turn, if there is one."""
        self._spoken = None
        try:
            await self.agent.perform("cancel")
        except Refusal as refusal:
            if refusal.code != "idle":
                _log.warning("cancel was refused: %s", refusal)

    def offers(self, model: str) -> bool:
        """Say whether a model is one of the choices."""
        return any(model == f"{c.provider}/{c.model}" for c in self.agent.choices())

    def modes(self) -> schema.SessionModeState:
        """Return the modes and the present one."""
        return schema.SessionModeState(
            current_mode_id=self._state.get("mode", "build"),
            available_modes=[schema.SessionMode(id=k, name=name) for k, name in MODES.items()],
        )

    def options(self) -> list[schema.SessionConfigOptionSelect | schema.SessionConfigOptionBoolean]:
        """Return the model and the thinking level as choices."""
        model = self._state.get("model")
        models = [
            schema.SessionConfigSelectOption(value=f"{c.provider}/{c.model}", name=c.name)
            for c in self.agent.choices()
        ]
        found: list[schema.SessionConfigOptionSelect | schema.SessionConfigOptionBoolean] = []
        if model is not None:
            present = f"{model['provider']}/{model['model']}"
            found.append(_select("model", "Model", "model", present, models))
            levels = [
                schema.SessionConfigSelectOption(value=level, name=level)
                for level in model.get("thinking_levels") or ()
            ]
            thinking = self._state.get("thinking", "off")
            if levels:
                found.append(_select("thinking", "Thinking", "thought_level", thinking, levels))
        return found

    async def _read(self) -> None:
        try:
            async for line in self.agent.lines():
                frame = json.loads(line)
                try:
                    await self._take(frame["kind"], frame.get("content") or {})
                except (LookupError, TypeError, ValueError):
                    # What cannot be drawn must not end what can.
                    _log.exception("a frame %s was left out", frame["kind"])
        except (ConnectionError, RequestError) as fault:
            _log.info("the editor is gone: %s", fault)
        finally:
            self._ready.set()
            self._idle.set()
            for request in self._requests.values():
                request.cancel()
            self._end({"reason": "cancelled"})

    def _end(self, how: Mapping[str, Any]) -> None:
        if self._turn is not None and not self._turn.done():
            self._turn.set_result(how)

    async def _take(self, kind: str, body: Mapping[str, Any]) -> None:
        if kind == "state_changed":
            await self._state_changed(body)
        elif kind == "session_loaded" and self._replay:
            self._replay = False
            await self._show(replayed(body["messages"]))
        elif kind == "session_usage":
            # The last of the first frames that always come.
            self._ready.set()
        elif kind == "workspace_updated" and body["todos"] != self._todos:
            self._todos = body["todos"]
            await self._show([plan(self._todos)])
        elif kind == "permission_requested":
            self._start(body["id"], self._ask_permission(body))
        elif kind == "question_asked":
            self._start(body["id"], self._ask_question(body))
        elif kind in {"permission_resolved", "question_resolved"}:
            if body["id"] == self._spoken:
                self._spoken = None
            request = self._requests.pop(body["id"], None)
            if request is not None and body["by"] != "client":
                request.cancel()
        elif kind == "turn_ended":
            self._idle.set()
            self._end(body)
        elif kind == "turn_started":
            self._idle.clear()
        else:
            await self._show(updates(kind, body))

    async def _state_changed(self, body: Mapping[str, Any]) -> None:
        before, self._state = self._state, body
        self._stated.set()
        if before and before["mode"] != body["mode"]:
            await self._show([helpers.update_current_mode(body["mode"])])

    async def _show(self, shown: Sequence[Update]) -> None:
        for update in shown:
            await self._editor.session_update(self.id, update)

    def _start(self, prompt_id: str, work: Coroutine[Any, Any, None]) -> None:
        self._requests[prompt_id] = asyncio.get_running_loop().create_task(work, name=prompt_id)

    async def _ask_permission(self, body: Mapping[str, Any]) -> None:
        call, options = permission(body)
        try:
            answer = await self._editor.request_permission(self.id, call, options)
            reply = permission_reply(answer)
        except (ConnectionError, RequestError) as fault:
            _log.warning("the editor did not answer: %s", fault)
            reply = "reject"
        await self._answer("respond_permission", {"id": body["id"], "reply": reply})

    async def _ask_question(self, body: Mapping[str, Any]) -> None:
        if not self._forms and not body["options"]:
            await self._speak(body)
            return
        reply: Any = "cancelled"
        try:
            if self._forms:
                mode = form(self.id, body)
                reply = form_reply(
                    await self._editor.create_elicitation(message=body["question"], mode=mode)
                )
            else:
                call, options = question(body)
                answer = await self._editor.request_permission(self.id, call, options)
                reply = question_reply(body, answer)
        except (ConnectionError, RequestError, ValueError) as fault:
            _log.warning("the editor did not answer: %s", fault)
        await self._answer("answer_question", {"id": body["id"], "reply": reply})

    async def _speak(self, body: Mapping[str, Any]) -> None:
        """Put a question that is answered in words only into the conversation.

        The prompt ends, so that the user can write; the turn goes on with the next one.
        """
        await self._show([helpers.update_agent_message_text(f"\n\n{body['question']}")])
        self._spoken = body["id"]
        self._end({"reason": "end_turn"})

    async def _answer(self, kind: str, content: Mapping[str, Any]) -> None:
        try:
            await self.agent.perform(kind, content)
        except Refusal as refusal:
            # Somebody else settled it first: a cancelled turn, a closing session.
            _log.info("%s: %s", kind, refusal)


def _select(
    key: str,
    name: str,
    category: Any,
    value: str,
    options: list[schema.SessionConfigSelectOption],
) -> schema.SessionConfigOptionSelect:
    return schema.SessionConfigOptionSelect(
        id=key, name=name, category=category, type="select", current_value=value, options=options
    )
