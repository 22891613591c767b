"""Another model call looks at the uncommitted changes and says whether to go on or to fix."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Literal, cast

from luvus_service.luxe.domain.ports import Provider, ProviderFailure, ToolSchema
from luvus_service.luxe.domain.project_ports import FileRefused, Uncommitted
from luvus_service.luxe.domain.session_events import Finding, ReviewFinished, ReviewStarted
from luvus_service.luxe.domain.tool_ports import Tool
from luvus_service.luxe.domain.transcript import last_user
from luvus_service.luxe.domain.values import ErrorInfo, Model, ModelRef, TextPart
from luvus_service.luxe.engine.answer import Answer
from luvus_service.luxe.engine.ids import new_id
from luvus_service.luxe.engine.session import Session
from luvus_service.luxe.engine.side_talk import NobodyToAsk, Side, SideTalk
from luvus_service.luxe.engine.turns import Turns
from luvus_service.rpc.refusals import Refused

CHANGE_BYTES = 200_000
LIMIT_S = 600.0
MODEL_CALLS = 30
"""In one review; the last one must be the verdict."""
FINDINGS = 32
TITLE_CHARS, BODY_CHARS = 200, 4_000
_SEVERITIES: Mapping[str, Literal["high", "medium", "low"]] = {
    "high": "high",
    "medium": "medium",
    "low": "low",
}

_INSTRUCTION = """\
You review the uncommitted changes of another agent; you can read the project. Look for mistakes \
that matter: wrong behaviour, lost data, missing cases, what was asked and not done. Answer by \
calling `review_verdict` once: `continue` when the work may go on, `fix` with findings when it \
may not."""

VERDICT = ToolSchema(
    "review_verdict",
    "Give the verdict of the review.",
    {
        "type": "object",
        "properties": {
            "verdict": {"enum": ["continue", "fix"]},
            "summary": {"type": "string"},
            "findings": {
                "type": "array",
                "maxItems": FINDINGS,
                "items": {
                    "type": "object",
                    "properties": {
                        "severity": {"enum": ["high", "medium", "low"]},
                        "path": {"type": "string"},
                        "line": {"type": "integer"},
                        "end_line": {"type": "integer"},
                        "title": {"type": "string"},
                        "body": {"type": "string"},
                    },
                    "required": ["severity", "title", "body"],
                },
            },
        },
        "required": ["verdict"],
    },
)


class SecondOpinion:
    """Asks for second opinions in one session."""

    def __init__(self, session: Session, turns: Turns) -> None:
        self._session = session
        self._turns = turns

    async def run(self, focus: str | None) -> None:
        """Ask, show the answer, and let findings start the next turn."""
        session = self._session
        try:
            change = await session.world.project.uncommitted(CHANGE_BYTES)
        except FileRefused as fault:
            session.reject("request_review", f"request_review: {fault}", "not_found", None)
            return
        if change is None:
            session.reject(
                "request_review",
                "request_review: there is no uncommitted change",
                "not_found",
                None,
            )
            return
        finished = await self._review(change, focus)
        session.emit(finished)
        session.gauge.show_usage()
        if finished.turn_starts:
            session.after_aside = lambda: self._fix(finished.findings)

    async def _review(self, change: Uncommitted, focus: str | None) -> ReviewFinished:
        session = self._session
        clock = session.world.clock
        began = clock.monotonic()
        chosen = self._reviewer()
        model = ModelRef(chosen[1].provider, chosen[1].model)
        request_id = new_id("opinion")
        talk = self._talk(chosen, request_id)
        session.state.act("reviewing")
        session.emit(
            ReviewStarted(
                model, request_id, focus, change.files, change.additions, change.deletions
            )
        )
        verdict: Literal["continue", "fix", "unavailable"] = "unavailable"
        findings: tuple[Finding, ...] = ()
        summary: str | None = None
        error: ErrorInfo | None = None
        try:
            async with asyncio.timeout(LIMIT_S):
                answer = await self._answered(talk, change, focus)
            verdict, findings, summary = read_verdict(answer)
        except ProviderFailure as failure:
            error = failure.info
        except TimeoutError:
            error = ErrorInfo("timeout", "no usable answer within ten minutes")
        except asyncio.CancelledError:
            # The answer is still due; whoever cancelled waits for nothing else.
            error = ErrorInfo("cancelled", "the review was cancelled")
        return ReviewFinished(
            verdict,
            findings,
            request_id,
            model,
            summary,
            error,
            round((clock.monotonic() - began) * 1000),
            talk.usage,
            verdict == "fix",
        )

    def _reviewer(self) -> tuple[Provider, Model]:
        """Return the configured model, or the session's own where that one cannot be called."""
        session = self._session
        own, usual = session.request()
        wanted = session.choices.review_model
        model = session.models.find(wanted) if wanted is not None else None
        provider = session.models.provider(model.provider) if model is not None else None
        if model is None or provider is None or provider.missing_credential() is not None:
            return own, usual.model
        return provider, model

    def _talk(self, chosen: tuple[Provider, Model], request_id: str) -> SideTalk:
        session = self._session

        def tools() -> tuple[Tool, ...]:
            found = session.world.toolbox.tools()
            return tuple(t for t in found if t.reads_only and t.kind in {"read", "search"})

        side = Side(
            _INSTRUCTION,
            "second_opinion",
            tools,
            extra=(VERDICT,),
            model=chosen,
            prompts=NobodyToAsk(),
            act=lambda _activity: None,
        )
        return SideTalk(session, session.bench(request_id, ""), side)

    async def _answered(self, talk: SideTalk, change: Uncommitted, focus: str | None) -> Answer:
        entries = self._session.conversation.entries
        index = last_user(entries)
        asked = entries[index].message.text() if index is not None else ""
        wanted = f"Pay attention to: {focus}\n\n" if focus else ""
        talk.say(f"{wanted}What was asked last:\n{asked}\n\nThe changes:\n{change.text}")
        for _ in range(MODEL_CALLS - 1):
            answer = await talk.answer()
            calls = answer.calls()
            if not calls or any(called.part.name == VERDICT.name for called in calls):
                return answer
            await talk.run(calls)
        return await talk.answer(force=VERDICT.name)

    def _fix(self, findings: tuple[Finding, ...]) -> None:
        lines = ["A second opinion on your changes asks for these fixes:"]
        for finding in findings:
            place = f"{finding.path}:{finding.line}" if finding.path else "in general"
            lines.append(f"- [{finding.severity}] {place}: {finding.title}\n  {finding.body}")
        try:
            self._turns.submit("\n".join(lines), (), "second_opinion", "second_opinion")
        except Refused as refused:
            self._session.notice("warning", "review_not_sent", refused.reason)


def read_verdict(
    answer: Answer,
) -> tuple[Literal["continue", "fix"], tuple[Finding, ...], str | None]:
    """Return what the reviewer said; a free text is taken as `continue` with a summary."""
    for called in answer.calls():
        if called.part.name == VERDICT.name and called.fault is None:
            given = called.part.input
            findings = tuple(
                found
                for item in _items(given.get("findings"))
                if (found := _finding(item)) is not None
            )[:FINDINGS]
            summary = given.get("summary")
            fix = given.get("verdict") == "fix" and bool(findings)
            return (
                "fix" if fix else "continue",
                findings,
                summary if isinstance(summary, str) else None,
            )
    parts, _ = answer.parts(calls=False)
    text = "".join(part.text for part in parts if isinstance(part, TextPart)).strip()
    return "continue", (), text or None


def _items(value: Any) -> list[Any]:
    return list(cast("tuple[Any, ...]", value)) if isinstance(value, list) else []


def _finding(item: Any) -> Finding | None:
    if not isinstance(item, dict):
        return None
    given = cast("dict[str, object]", item)
    title, body = given.get("title"), given.get("body")
    severity = _SEVERITIES.get(str(given.get("severity")), "medium")
    if not isinstance(title, str) or not title:
        return None
    path = given.get("path")
    return Finding(
        id=new_id("opinion_finding"),
        severity=severity,
        path=path if isinstance(path, str) else None,
        line=_line(given.get("line")),
        end_line=_line(given.get("end_line")),
        title=title[:TITLE_CHARS],
        body=body[:BODY_CHARS] if isinstance(body, str) else "",
    )


def _line(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
