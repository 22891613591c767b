"""One tool call from its arguments to its result: prepared, permitted, run; ended exactly once."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from luvus_service.luxe.domain.events import (
    ToolActivityUpdated,
    ToolCompleted,
    ToolEnded,
    ToolStarted,
)
from luvus_service.luxe.domain.limits import CARD_CHARS, INPUT_VALUE_CHARS, TITLE_CHARS
from luvus_service.luxe.domain.permission_units import NamedUnit, PathUnit, Unit
from luvus_service.luxe.domain.permissions import decide
from luvus_service.luxe.domain.tool_ports import InputRefused, Outcome, PreparedCall, Preview, Tool
from luvus_service.luxe.domain.values import Activity, Input, ToolKind, ToolResultPart, ToolStatus
from luvus_service.luxe.engine.answer import Called
from luvus_service.luxe.engine.ids import timestamp
from luvus_service.luxe.engine.output import ProgressMeter, capped
from luvus_service.luxe.engine.prompts import Asking, Consent
from luvus_service.luxe.engine.state import State
from luvus_service.luxe.engine.workbench import Bench

REJECTED = "The user rejected this call."
SKIPPED = "This call was not made: the user wrote something, which follows."
CANCELLED = "This call was cancelled by the user before it finished."


@dataclass(frozen=True, slots=True)
class Ended:
    """A call's result, the paths it changed, and the pictures it brought."""

    result: ToolResultPart
    outcome: Outcome | None = None


class Permits(Protocol):
    """Whoever is asked for consent."""

    async def permit(self, asking: Asking) -> Consent:
        """Ask and wait for the answer."""
        ...


@dataclass(frozen=True, slots=True)
class Desk:
    """What all calls of a turn share."""

    state: State
    prompts: Permits
    emit: Callable[[object], None]
    auto_approve: Callable[[], bool]
    act: Callable[[Activity], None]
    """Shows what is being done."""


class ToolCall:
    """One call under way."""

    def __init__(
        self, called: Called, tool: Tool | None, bench: Bench, desk: Desk, message_id: str
    ) -> None:
        self.call_id = called.part.call_id
        self.name = called.part.name
        self._called = called
        self._tool = tool
        self._bench = bench
        self._desk = desk
        self._message_id = message_id
        self._kind: ToolKind = tool.kind if tool is not None else "other"
        self._preview = Preview(self.name)
        self._began = bench.clock.monotonic()
        self._run_at: float | None = None
        self._started = False
        self._over = False

    async def run(self, *, repeated: bool) -> Ended:
        """Make the call; `repeated` asks first because it does what was just done.

        Cancelled, it ends what it started and leaves `tool_ended` to `stop`.
        """
        try:
            prepared = await self._prepare()
        except InputRefused as refusal:
            self.begin()
            return self._end("failed", str(refusal))
        self._preview = prepared.preview
        self.begin()
        units = prepared.preview.units
        if repeated:
            units = (*units, NamedUnit("doom_loop", self.name))
        refused = await self._permission(units)
        if refused is not None:
            return refused
        return await self._execute(prepared)

    def begin(self) -> None:
        """Send `tool_started`, once."""
        if self._started:
            return
        self._started = True
        given, cut = _shortened(self._called.part.input)
        self._desk.emit(
            ToolStarted(
                self.call_id,
                self.name,
                self._bench.turn_id,
                self._message_id,
                given,
                self._preview.title[:TITLE_CHARS],
                self._kind,
                self._preview.paths,
                cut or None,
            )
        )

    def skip(self) -> Ended:
        """End a call that was never taken up because the user steered."""
        self.begin()
        return self._end("skipped", SKIPPED)

    def stop(self) -> Ended:
        """End a call that was cancelled."""
        self.begin()
        return self._end("cancelled", CANCELLED)

    async def _prepare(self) -> PreparedCall:
        if self._tool is None:
            raise InputRefused(f"there is no tool {self.name!r}")
        if self._called.fault is not None:
            raise InputRefused(self._called.fault)
        return await self._tool.prepare(self._called.part.input, self._bench)

    async def _permission(self, units: tuple[Unit, ...]) -> Ended | None:
        """Return the end of a call that may not run, or None when it may."""
        decision = decide(units, self._desk.state.policy())
        if decision.verdict == "ask" and not self._desk.auto_approve():
            self._card("awaiting_permission", self._preview.diff or self._preview.command or "")
            self._desk.act("permission")
            consent = await self._desk.prompts.permit(
                # A sub-agent's prompts carry the call that started it.
                Asking(
                    self._bench.call_id,
                    self._bench.turn_id,
                    self.name,
                    self._preview,
                    units,
                    decision,
                )
            )
            if not consent.allowed:
                said = f"{REJECTED} They said: {consent.message}" if consent.message else REJECTED
                return self._end("rejected", said)
            # The mode may have become stricter while the prompt was open; an answer lifts no deny.
            decision = decide(units, self._desk.state.policy())
        if decision.verdict == "deny":
            what = ", ".join(decision.resources)
            return self._end("denied", f"Not allowed: {decision.reason} ({what}).")
        return None

    async def _execute(self, prepared: PreparedCall) -> Ended:
        self._run_at = self._bench.clock.monotonic()
        self._desk.act("tool")
        self._card("running", "")
        meter = ProgressMeter(self._desk.emit, self._bench.clock, self.call_id)
        try:
            outcome = await prepared.run(meter)
        except asyncio.CancelledError:
            raise
        except Exception as error:  # noqa: BLE001 - a fault of one tool must not end the turn
            outcome = Outcome(f"The tool failed: {type(error).__name__}: {error}", "failed")
        finally:
            meter.close()
        return self._complete(outcome)

    def _complete(self, outcome: Outcome) -> Ended:
        if self._over:
            return Ended(ToolResultPart(self.call_id, self.name, "cancelled", CANCELLED), outcome)
        output, cut = capped(outcome.output)
        output += self._bench.instructions(
            [unit.resolved for unit in self._preview.units if isinstance(unit, PathUnit)]
        )
        failed = outcome.status != "completed"
        self._desk.emit(
            ToolCompleted(
                self.call_id,
                self.name,
                output,
                failed,
                outcome.truncated or cut,
                outcome.output_path,
                outcome.exit_code,
                outcome.diff,
                outcome.additions,
                outcome.deletions,
                outcome.images,
                self._elapsed(),
            )
        )
        return self._end(outcome.status, output, outcome, truncated=outcome.truncated or cut)

    def _end(
        self,
        status: ToolStatus,
        output: str,
        outcome: Outcome | None = None,
        *,
        truncated: bool = False,
    ) -> Ended:
        self._over = True
        self._card(status, (outcome.diff if outcome else None) or output, outcome)
        reason = outcome.reason if outcome is not None else output
        self._desk.emit(
            ToolEnded(
                self.call_id,
                self.name,
                status,
                None if status == "completed" else reason,
                self._elapsed(),
            )
        )
        return Ended(ToolResultPart(self.call_id, self.name, status, output, truncated), outcome)

    def _card(self, state: str, body: str, outcome: Outcome | None = None) -> None:
        clock = self._bench.clock
        over = state not in {"awaiting_permission", "running"}
        diff = self._preview.diff if not over else outcome.diff if outcome else None
        self._desk.emit(
            ToolActivityUpdated(
                call_id=self.call_id,
                title=self._preview.title[:TITLE_CHARS],
                body=body[:CARD_CHARS],
                body_format="diff" if diff is not None and body == diff else "text",
                state=state,
                started_at=timestamp(clock.time() - (clock.monotonic() - self._began)),
                ended_at=timestamp(clock.time()) if over else None,
                elapsed_ms=self._elapsed(),
                kind=self._kind,
                paths=self._preview.paths,
                additions=outcome.additions if outcome else None,
                deletions=outcome.deletions if outcome else None,
            )
        )

    def _elapsed(self) -> int:
        began = self._run_at if self._run_at is not None else self._began
        return max(0, round((self._bench.clock.monotonic() - began) * 1000))


def fingerprint(called: Called) -> str:
    """Return a text that is equal for calls of the same tool with the same input."""
    return called.part.name + json.dumps(called.part.input, sort_keys=True, default=str)


def _shortened(given: Input) -> tuple[Input, tuple[str, ...]]:
    cut: list[str] = []
    shown: dict[str, Any] = {}
    for name, value in given.items():
        if isinstance(value, str) and len(value) > INPUT_VALUE_CHARS:
            cut.append(name)
            shown[name] = value[:INPUT_VALUE_CHARS]
        elif not isinstance(value, str) and len(json.dumps(value)) > INPUT_VALUE_CHARS:
            cut.append(name)
            shown[name] = None
        else:
            shown[name] = value
    return shown, tuple(cut)
