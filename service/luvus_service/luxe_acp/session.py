"""One session as an editor sees it: its frames as updates, its prompts as requests."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Coroutine, Mapping, Sequence
from typing import Any, Protocol

from acp import RequestError, helpers, schema

from luvus_service.luxe_acp.asking import (
    permission,
    permission_reply,
    question,
    question_reply,
)
from luvus_service.luxe_acp.ports import AgentSession, Refusal
from luvus_service.luxe_acp.updates import Update, plan, replayed, stop_reason, updates

_log = logging.getLogger(__name__)

MODES = {"build": "Build", "plan": "Plan"}
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

    async def session_update(self, session_id: str, update: Update) -> None:
        """Show something."""
        ...


class EditorSession:
    """Carries one session to one editor."""

    def __init__(self, agent: AgentSession, editor: Editor) -> None:
        self.agent = agent
        self.id = agent.session_id
        self._editor = editor
        self._turn: asyncio.Future[Mapping[str, Any]] | None = None
        self._requests: dict[str, asyncio.Task[None]] = {}
        self._state: Mapping[str, Any] = {}
        self._todos: Any = []
        self._ready = asyncio.Event()
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
        """Run a turn and return how it ended.

        Raises:
            RequestError: It was refused or failed.
        """
        if self._turn is not None:
            raise RequestError(-32600, "a turn is running in this session")
        turn: asyncio.Future[Mapping[str, Any]] = asyncio.get_running_loop().create_future()
        self._turn = turn
        try:
            await self.act("submit_user_message", content)
            ended = await turn
        finally:
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

    async def act(self, kind: str, content: Any = None) -> None:
        """Do an action.

        Raises:
            RequestError: It was refused.
        """
        try:
            await self.agent.perform(kind, content)
        except Refusal as refusal:
            raise RequestError(-32602, str(refusal), {"code": refusal.code}) from refusal

    async def cancel(self) -> None:
        """Stop the turn, if there is one."""
        try:
            await self.agent.perform("cancel")
        except Refusal as refusal:
            if refusal.code != "idle":
                _log.warning("cancel was refused: %s", refusal)

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
                await self._take(frame["kind"], frame.get("content") or {})
        except (ConnectionError, RequestError) as fault:
            _log.info("the editor is gone: %s", fault)
        finally:
            self._ready.set()
            for request in self._requests.values():
                request.cancel()
            if self._turn is not None and not self._turn.done():
                self._turn.set_result({"reason": "cancelled"})

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
            request = self._requests.pop(body["id"], None)
            if request is not None and body["by"] != "client":
                request.cancel()
        elif kind == "turn_ended":
            if self._turn is not None and not self._turn.done():
                self._turn.set_result(body)
        else:
            await self._show(updates(kind, body))

    async def _state_changed(self, body: Mapping[str, Any]) -> None:
        before, self._state = self._state, body
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
        reply: Any = "cancelled"
        if body["options"]:
            call, options = question(body)
            try:
                answer = await self._editor.request_permission(self.id, call, options)
                reply = question_reply(body, answer)
            except (ConnectionError, RequestError) as fault:
                _log.warning("the editor did not answer: %s", fault)
        await self._answer("answer_question", {"id": body["id"], "reply": reply})

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
