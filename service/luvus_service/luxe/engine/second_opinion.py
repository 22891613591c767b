"""Another model call looks at the uncommitted changes and says whether to go on or to fix."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Literal, cast

from luvus_service.luxe.domain.ports import (
    MessageGiven,
    ModelRequest,
    ProviderFailure,
    TextGiven,
    ToolSchema,
)
from luvus_service.luxe.domain.project_ports import FileRefused, Uncommitted
from luvus_service.luxe.domain.session_events import Finding, ReviewFinished, ReviewStarted
from luvus_service.luxe.domain.transcript import last_user
from luvus_service.luxe.domain.usage import priced
from luvus_service.luxe.domain.values import CallUsage, ErrorInfo, ModelRef, TextPart
from luvus_service.luxe.engine.answer import Answer
from luvus_service.luxe.engine.aside_call import AsideCalls
from luvus_service.luxe.engine.ids import new_id
from luvus_service.luxe.engine.session import Session
from luvus_service.luxe.engine.turns import Turns
from luvus_service.rpc.refusals import Refused

CHANGE_BYTES = 200_000
LIMIT_S = 600.0
FINDINGS = 32
TITLE_CHARS, BODY_CHARS = 200, 4_000
_SEVERITIES: Mapping[str, Literal["high", "medium", "low"]] = {
    "high": "high",
    "medium": "medium",
    "low": "low",
}

_INSTRUCTION = """\
You review the uncommitted changes of another agent. Look for mistakes that matter: wrong \
behaviour, lost data, missing cases, what was asked and not done. Answer by calling \
`review_verdict` once: `continue` when the work may go on, `fix` with findings when it may not."""

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
        _, usual = session.request()
        model = ModelRef(usual.model.provider, usual.model.model)
        request_id = new_id("opinion")
        session.state.act("reviewing")
        session.emit(
            ReviewStarted(
                model, request_id, focus, change.files, change.additions, change.deletions
            )
        )
        verdict: Literal["continue", "fix", "unavailable"] = "unavailable"
        findings: tuple[Finding, ...] = ()
        summary: str | None = None
        usage: CallUsage | None = None
        error: ErrorInfo | None = None
        try:
            async with asyncio.timeout(LIMIT_S):
                answer, usage = await self._call(usual, change, focus)
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
            usage,
            verdict == "fix",
        )

    async def _call(
        self, usual: ModelRequest, change: Uncommitted, focus: str | None
    ) -> tuple[Answer, CallUsage | None]:
        session = self._session
        provider = session.models.provider(usual.model.provider)
        assert provider is not None
        index = last_user(session.conversation.entries)
        asked = session.conversation.entries[index].message.text() if index is not None else ""
        wanted = f"Pay attention to: {focus}\n\n" if focus else ""
        text = f"{wanted}What was asked last:\n{asked}\n\nThe changes:\n{change.text}"
        request = ModelRequest(
            model=usual.model,
            system=(_INSTRUCTION, *usual.system[1:]),
            messages=(MessageGiven("user", (TextGiven(text),)),),
            tools=(VERDICT,),
            force_tool=VERDICT.name,
        )
        answer = await AsideCalls(session, "second_opinion").run(provider, request)
        usage = priced(answer.usage, usual.model.pricing) if answer.usage is not None else None
        return answer, usage

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
