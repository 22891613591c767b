"""The transcript of the open session and its file: everything is on the disk before it counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from luvus_service.luxe.domain.records import (
    Compacted,
    Entry,
    ModelChosen,
    PlanSaved,
    PullRequestName,
    Record,
    Rewound,
    SessionHeader,
    SessionSummary,
    TodosSet,
    TurnMark,
    Used,
)
from luvus_service.luxe.domain.store_ports import Loaded, SessionLog, StoreFailure
from luvus_service.luxe.domain.transcript import (
    Folded,
    add_summary,
    cut_back,
    fold,
    kept_until,
    unpaired,
    without_orphans,
)
from luvus_service.luxe.domain.usage import added
from luvus_service.luxe.domain.values import CallUsage, Message, ModelRef, Todo, ToolResultPart
from luvus_service.luxe.engine.ids import new_id, timestamp
from luvus_service.luxe.engine.world import World

FIRST_MESSAGE_CHARS = 200


class Conversation:
    """One session's records, as they are on the disk and as they add up."""

    def __init__(self, log: SessionLog, loaded: Loaded | None = None) -> None:
        self.log = log
        self.folded: Folded = fold(loaded.records) if loaded is not None else Folded()
        self.repaired = False
        self.broken_lines = loaded.skipped + loaded.cut if loaded is not None else 0
        self._pending: list[Record] = []
        """Settings made before the first message: written with it, so that a session without
        messages leaves nothing behind."""
        self._started = bool(self.folded.entries)
        self.call_ids = {
            call.call_id for entry in self.folded.entries for call in entry.message.calls()
        }
        """Of every call there was, those taken back too."""

    @property
    def header(self) -> SessionHeader:
        """The session's first record."""
        return self.log.header

    @property
    def started(self) -> bool:
        """Whether it has had a message."""
        return self._started

    @property
    def entries(self) -> Sequence[Entry]:
        """The transcript as it stands."""
        return self.folded.entries

    def repair(self, now: str) -> None:
        """Give every call a result and every turn an end, as a crash left them without."""
        whole = without_orphans(self.folded.entries)
        if whole != self.folded.entries:
            self.folded.entries = whole
            self.repaired = True
        missing = unpaired(self.folded.entries)
        for index in sorted(missing, reverse=True):
            call = self.folded.entries[index].message
            entry = Entry(_results_message(missing[index], now, call.turn_id))
            if index == len(self.folded.entries) - 1:
                self.add(entry)
            else:
                self.folded.entries.insert(index + 1, entry)
            self.repaired = True
        if self.folded.open_turn is not None:
            self.record(TurnMark(self.folded.open_turn, "end", now, reason="cancelled"))
            self.folded.open_turn = None
            self.repaired = True

    def add(self, entry: Entry) -> None:
        """Write a message and make it part of the transcript.

        Raises:
            StoreFailure: It could not be written; the transcript is as before.
        """
        self._flush()
        self.log.append(entry)
        self._started = True
        self.folded.entries.append(entry)
        self.call_ids.update(call.call_id for call in entry.message.calls())

    def record(self, record: Record) -> None:
        """Write a record that is no message; kept back until there is a message.

        Raises:
            StoreFailure: It could not be written.
        """
        if not self._started:
            self.later(record)
            return
        self._flush()
        self.log.append(record)

    def later(self, record: Record) -> None:
        """Keep a record back until the next message is written."""
        self._pending.append(record)

    def rewind(
        self, to: str | None, cause: Literal["edit_resend", "retry", "regenerate"]
    ) -> list[Entry]:
        """Take back everything after a message and return it."""
        kept = kept_until(self.folded.entries, to)
        self.log.append(Rewound(to, cause))
        return cut_back(self.folded, kept)

    def compacted(self, record: Compacted) -> None:
        """Let a summary stand for the older messages before the model."""
        self.record(record)
        add_summary(self.folded, record)

    def choose(self, ref: ModelRef) -> None:
        """Note the model of the next calls."""
        self.record(ModelChosen(ref))
        self.folded.model = ref

    def used(self, record: Used) -> None:
        """Count a provider call."""
        self.record(record)
        self.folded.used.append(record)

    def set_todos(self, todos: tuple[Todo, ...]) -> None:
        """Replace the agent's list."""
        self.record(TodosSet(todos))
        self.folded.todos = todos

    def set_plan(self, path: str) -> None:
        """Remember where the agent's plan is."""
        if path != self.folded.plan:
            self.record(PlanSaved(path))
            self.folded.plan = path

    def mark(self, mark: TurnMark) -> None:
        """Note the beginning or end of a turn."""
        self.record(mark)
        self.folded.turns += mark.state == "start"

    def cost(self) -> CallUsage:
        """Return the sum of all provider calls."""
        total = CallUsage()
        for record in self.folded.used:
            total = added(total, record.usage)
        return total

    def summary(self, now: str) -> SessionSummary:
        """Return the session as a list shows it."""
        entries = self.folded.entries
        first = next((e.message.text() for e in entries if e.message.role == "user"), None)
        link = self.folded.link
        return SessionSummary(
            id=self.header.id,
            title=self.folded.title,
            first_message=first[:FIRST_MESSAGE_CHARS] if first is not None else None,
            cwd=self.header.cwd,
            created_at=self.header.created_at,
            updated_at=entries[-1].message.created_at if entries else now,
            messages=len(entries),
            turns=self.folded.turns,
            model=self.folded.model,
            branch=(self.header.worktree or {}).get("branch"),
            cost_usd=self.cost().cost_usd,
            size_bytes=self.log.size(),
            current=True,
            locked=False,
            pull_request=PullRequestName(link.repository, link.number) if link else None,
        )

    def _flush(self) -> None:
        while self._pending:
            self.log.append(self._pending[0])
            del self._pending[0]


async def opened(world: World, session_id: str) -> Conversation:
    """Lock and read a session, and repair what a crash left.

    Raises:
        StoreFailure: It cannot be opened.
    """
    log, loaded = await world.store.open(session_id)
    return restored(log, loaded, timestamp(world.clock.time()))


def restored(log: SessionLog, loaded: Loaded, now: str) -> Conversation:
    """Return the conversation of an open file, what a crash left repaired.

    Raises:
        StoreFailure: The repair cannot be written; the file is closed.
    """
    conversation = Conversation(log, loaded)
    try:
        conversation.repair(now)
    except StoreFailure:
        log.close()
        raise
    conversation.repaired = conversation.repaired or conversation.broken_lines > 0
    return conversation


def _results_message(results: Sequence[ToolResultPart], now: str, turn_id: str | None) -> Message:
    return Message(new_id("msg"), "tool", tuple(results), now, turn_id, origin="engine")
