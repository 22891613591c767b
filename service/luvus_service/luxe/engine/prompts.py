"""The open prompts: permissions and questions that a client answers, each exactly once.

A prompt never times out. Whoever waits for one is told how it was settled; the first answer wins.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from luvus_service.luxe.domain.events import (
    Answered,
    Option,
    PermissionRequested,
    PermissionResolved,
    QuestionAsked,
    QuestionResolved,
)
from luvus_service.luxe.domain.limits import ANSWER_CHARS, PROMPTS_OPEN
from luvus_service.luxe.domain.permission_units import Unit
from luvus_service.luxe.domain.permissions import Decision, Grant
from luvus_service.luxe.domain.tool_ports import Preview
from luvus_service.luxe.domain.values import Question
from luvus_service.luxe.engine.ids import new_id
from luvus_service.rpc.refusals import Refused

Reply: TypeAlias = Literal["once", "always", "always_persist", "reject"]
SettledBy: TypeAlias = Literal["client", "auto_approve", "rule", "cancel", "close"]
DIFF_CHARS = 50_000
RESOURCES = 64
QUESTION_CHARS = 140
"""Of what a prompt names; the whole command or path is beside it."""


@dataclass(frozen=True, slots=True)
class Consent:
    """How a permission prompt was settled."""

    allowed: bool
    message: str | None = None
    """What the user told the agent with a rejection."""


@dataclass(frozen=True, slots=True)
class Asking:
    """A call that needs consent."""

    call_id: str
    turn_id: str
    tool: str
    preview: Preview
    units: tuple[Unit, ...]
    decision: Decision


@dataclass(slots=True)
class _Permission:
    shown: PermissionRequested
    asking: Asking
    settled: asyncio.Future[Consent]


@dataclass(slots=True)
class _Question:
    shown: QuestionAsked
    question: Question
    settled: asyncio.Future[tuple[str, ...] | None]


class Prompts:
    """Everything that waits for the client."""

    def __init__(
        self,
        emit: Callable[[object], None],
        changed: Callable[[], None],
        now: Callable[[], str],
        grant: Callable[[Sequence[Grant], bool], None],
    ) -> None:
        """`changed` is called after the lists changed; `grant` adds rules, stored ones too."""
        self._emit = emit
        self._changed = changed
        self._now = now
        self._grant = grant
        self._permissions: dict[str, _Permission] = {}
        self._questions: dict[str, _Question] = {}
        self._places = asyncio.Semaphore(PROMPTS_OPEN)
        self.closing = False
        """Whether prompts that end unanswered do so because the session closes."""

    @property
    def permissions(self) -> tuple[str, ...]:
        """The ids of the open permission prompts."""
        return tuple(self._permissions)

    @property
    def questions(self) -> tuple[str, ...]:
        """The ids of the open questions."""
        return tuple(self._questions)

    def open(self) -> tuple[PermissionRequested | QuestionAsked, ...]:
        """Return every open prompt as it was shown."""
        asked = [waiting.shown for waiting in self._permissions.values()]
        return (*asked, *(waiting.shown for waiting in self._questions.values()))

    async def permit(self, asking: Asking) -> Consent:
        """Ask for consent and wait for the answer."""
        async with self._places:
            prompt_id = new_id("perm")
            shown = _requested(prompt_id, asking, self._now())
            waiting = _Permission(shown, asking, asyncio.get_running_loop().create_future())
            self._permissions[prompt_id] = waiting
            self._emit(shown)
            self._changed()
            try:
                return await waiting.settled
            finally:
                if self._permissions.pop(prompt_id, None) is not None:
                    self._emit(PermissionResolved(prompt_id, "cancelled", self._ended_by()))
                    self._changed()

    def respond(self, prompt_id: str, reply: Reply, message: str | None) -> None:
        """Settle a permission prompt as the client says.

        Raises:
            Refused: There is no such open prompt, or `always` was not offered.
        """
        waiting = self._permissions.get(prompt_id)
        if waiting is None:
            raise Refused("not_found", f"no open prompt `{prompt_id}`")
        grants = waiting.asking.decision.grants
        if reply.startswith("always"):
            if not grants:
                raise Refused(
                    "invalid_field", "field `reply` must be once or reject for this prompt"
                )
            self._grant(grants, reply == "always_persist")
        else:
            grants = ()
        self._settle(prompt_id, reply, "client", message, tuple(g.pattern for g in grants))
        self._changed()

    def approve(self, allowed: Callable[[Asking], bool], by: SettledBy) -> None:
        """Settle every open permission prompt that may now run."""
        found = [key for key, item in self._permissions.items() if allowed(item.asking)]
        for prompt_id in found:
            self._settle(prompt_id, "once", by)
        if found:
            self._changed()

    async def ask(
        self, question: Question, call_id: str, turn_id: str, place: tuple[int, int]
    ) -> tuple[str, ...] | None:
        """Ask one question and wait; None when the user declined."""
        async with self._places:
            prompt_id = new_id("ask")
            shown = QuestionAsked(
                prompt_id,
                call_id,
                turn_id,
                question.header[:30],
                question.question,
                tuple(Option(label, text) for label, text in question.options),
                question.multiple,
                question.free_text,
                place[0],
                place[1],
                self._now(),
            )
            waiting = _Question(shown, question, asyncio.get_running_loop().create_future())
            self._questions[prompt_id] = waiting
            self._emit(shown)
            self._changed()
            try:
                return await waiting.settled
            finally:
                if self._questions.pop(prompt_id, None) is not None:
                    self._emit(QuestionResolved(prompt_id, "cancelled", self._ended_by()))
                    self._changed()

    def answer(self, prompt_id: str, answers: tuple[str, ...] | None) -> None:
        """Settle a question; None declines it.

        Raises:
            Refused: There is no such open question, or the answers do not fit it.
        """
        waiting = self._questions.get(prompt_id)
        if waiting is None:
            raise Refused("not_found", f"no open prompt `{prompt_id}`")
        if answers is not None:
            _check_answers(waiting.question, answers)
        del self._questions[prompt_id]
        given = Answered(answers) if answers is not None else None
        self._emit(QuestionResolved(prompt_id, given or "cancelled", "client"))
        if not waiting.settled.done():
            waiting.settled.set_result(answers)
        self._changed()

    def _ended_by(self) -> Literal["cancel", "close"]:
        return "close" if self.closing else "cancel"

    def _settle(
        self,
        prompt_id: str,
        reply: Reply,
        by: SettledBy,
        message: str | None = None,
        patterns: tuple[str, ...] = (),
    ) -> None:
        waiting = self._permissions.pop(prompt_id)
        self._emit(PermissionResolved(prompt_id, reply, by, patterns))
        if not waiting.settled.done():
            waiting.settled.set_result(Consent(reply != "reject", message))


def _check_answers(question: Question, answers: tuple[str, ...]) -> None:
    if not question.multiple and len(answers) != 1:
        raise Refused("invalid_field", "field `reply` must hold exactly one answer")
    if any(not answer or len(answer) > ANSWER_CHARS for answer in answers):
        raise Refused(
            "invalid_field", f"field `reply` must hold answers of 1 to {ANSWER_CHARS} characters"
        )
    labels = {label for label, _ in question.options}
    if not question.free_text and not labels.issuperset(answers):
        raise Refused("invalid_field", "field `reply` must hold offered options only")


def question_of(preview: Preview, action: str) -> str:
    """Return what a permission prompt asks, as one whole sentence."""
    command = preview.command
    what = _short(preview.title if command is None else command).rstrip(" ?")
    what = what if command is None else f"Run `{what}`"
    match action:
        case "external_directory":
            return f"{what}, which is outside the project?"
        case "github_write":
            return f"{what}, which changes something on GitHub?"
        case "doom_loop":
            return f"{what}, the same as just before?"
        case "mcp":
            return f"Call {what}?"
        case _:
            return f"{what}?"


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= QUESTION_CHARS else text[: QUESTION_CHARS - 1] + "…"


def _requested(prompt_id: str, asking: Asking, now: str) -> PermissionRequested:
    preview, decision = asking.preview, asking.decision
    always = tuple(grant.pattern for grant in decision.grants)
    replies = ("once", "always", "always_persist", "reject") if always else ("once", "reject")
    return PermissionRequested(
        id=prompt_id,
        always_patterns=always,
        call_id=asking.call_id,
        turn_id=asking.turn_id,
        tool=asking.tool,
        action=decision.action,
        title=question_of(preview, decision.action),
        description=preview.description,
        reason=decision.reason,
        resources=decision.resources[:RESOURCES],
        command=preview.command,
        cwd=preview.cwd,
        path=preview.path,
        diff=preview.diff[:DIFF_CHARS] if preview.diff is not None else None,
        replies=replies,
        persist_target="project" if always else None,
        created_at=now,
    )
