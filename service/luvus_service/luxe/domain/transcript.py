"""What a session's records amount to: the transcript, its repair, and what the model is given.

A transcript is valid for a provider at all times: every call has one result, in order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from luvus_service.luxe.domain.records import (
    Compacted,
    Entry,
    Linked,
    ModeChosen,
    ModelChosen,
    PlanSaved,
    Record,
    Rewound,
    ThinkingChosen,
    Titled,
    TodosSet,
    TurnMark,
    Used,
)
from luvus_service.luxe.domain.values import (
    CompactionPart,
    Message,
    Mode,
    ModelRef,
    Part,
    ThinkingLevel,
    Todo,
    ToolCallPart,
    ToolResultPart,
)

CANCELLED_OUTPUT = "This call was cancelled before it finished; nothing is known of its effect."


@dataclass(slots=True)
class Folded:
    """Everything the records of a session say about its present state."""

    entries: list[Entry] = field(default_factory=list[Entry])
    compacted: Compacted | None = None
    model: ModelRef | None = None
    thinking: ThinkingLevel | None = None
    mode: Mode | None = None
    todos: tuple[Todo, ...] = ()
    plan: str | None = None
    marks: list[tuple[int, Compacted]] = field(default_factory=list[tuple[int, Compacted]])
    """Every compaction, with how many entries there were before it."""
    title: str | None = None
    link: Linked | None = None
    used: list[Used] = field(default_factory=list[Used])
    turns: int = 0
    open_turn: str | None = None
    """A turn that has no end."""


def fold(records: Iterable[Record]) -> Folded:
    """Return what the records amount to, in their order."""
    folded = Folded()
    for record in records:
        if isinstance(record, Entry):
            folded.entries.append(record)
        elif isinstance(record, Used):
            folded.used.append(record)
        elif isinstance(record, TurnMark):
            folded.turns += record.state == "start"
            folded.open_turn = record.turn_id if record.state == "start" else None
        elif isinstance(record, Rewound):
            cut_back(folded, kept_until(folded.entries, record.to_message_id))
        else:
            _fold_setting(folded, record)
    return folded


def _fold_setting(folded: Folded, record: Record) -> None:
    if isinstance(record, Compacted):
        add_summary(folded, record)
    elif isinstance(record, ModelChosen):
        folded.model = record.model
    elif isinstance(record, ThinkingChosen):
        folded.thinking = record.level
    elif isinstance(record, ModeChosen):
        folded.mode = record.mode
    elif isinstance(record, TodosSet):
        folded.todos = record.todos
    elif isinstance(record, PlanSaved):
        folded.plan = record.path
    elif isinstance(record, Titled):
        folded.title = record.title
    elif isinstance(record, Linked):
        folded.link = record


def add_summary(folded: Folded, record: Compacted) -> None:
    """Let a summary stand for older messages."""
    folded.compacted = record
    folded.marks.append((len(folded.entries), record))


def cut_back(folded: Folded, kept: int) -> list[Entry]:
    """Take back all but the first entries, and summaries that stood for some of them."""
    removed = folded.entries[kept:]
    del folded.entries[kept:]
    folded.marks = [mark for mark in folded.marks if mark[0] <= kept]
    compacted = folded.compacted
    if compacted is not None and any(e.message.id == compacted.first_kept for e in removed):
        folded.compacted = None
    return removed


def kept_until(entries: Sequence[Entry], message_id: str | None) -> int:
    """Return how many entries stand up to and including a message; 0 for None.

    Without that message, whose line was broken, all of them stand.
    """
    if message_id is None:
        return 0
    for index in range(len(entries) - 1, -1, -1):
        if entries[index].message.id == message_id:
            return index + 1
    return len(entries)


def shown_messages(folded: Folded) -> list[Message]:
    """Return the transcript as it is shown, each compaction at its place."""
    shown: list[Message] = []
    marks = list(folded.marks)
    for index in range(len(folded.entries) + 1):
        while marks and marks[0][0] <= index:
            shown.append(_mark(*marks.pop(0)))
        if index < len(folded.entries):
            shown.append(folded.entries[index].message)
    return shown


def _mark(index: int, record: Compacted) -> Message:
    part = CompactionPart(record.summary, record.tokens_before)
    name = f"msg:compaction-{index}-{record.at}"
    return Message(name, "system", (part,), record.at, origin="compaction")


def last_user(entries: Sequence[Entry]) -> int | None:
    """Return the index of the last message a person wrote, or None."""
    for index in range(len(entries) - 1, -1, -1):
        message = entries[index].message
        if message.role == "user" and message.origin in _PEOPLE:
            return index
    return None


_PEOPLE = frozenset({"client", "steering", "review_feedback", "second_opinion"})


def ends_with_answer(entries: Sequence[Entry]) -> bool:
    """Say whether the last message is a finished answer of the agent."""
    if not entries:
        return False
    message = entries[-1].message
    return message.role == "assistant" and not message.interrupted and not message.calls()


def missing_results(message: Message, results: Iterable[ToolResultPart]) -> list[ToolResultPart]:
    """Return a cancelled result for each call of a message that has none."""
    answered = {result.call_id for result in results}
    return [cancelled_result(call) for call in message.calls() if call.call_id not in answered]


def cancelled_result(call: ToolCallPart, output: str = CANCELLED_OUTPUT) -> ToolResultPart:
    """Return the result of a call that did not come to its end."""
    return ToolResultPart(call.call_id, call.name, "cancelled", output)


def without_orphans(entries: Sequence[Entry]) -> list[Entry]:
    """Return the entries without results whose call is not in the answer before them."""
    kept: list[Entry] = []
    waiting: set[str] = set()
    for entry in entries:
        message = entry.message
        if message.role != "tool":
            waiting = {call.call_id for call in message.calls()}
            kept.append(entry)
            continue
        parts = tuple(part for part in message.parts if _answers(part, waiting))
        if len(parts) == len(message.parts):
            kept.append(entry)
        elif parts:
            kept.append(replace(entry, message=replace(message, parts=parts)))
    return kept


def _answers(part: Part, waiting: set[str]) -> bool:
    if not isinstance(part, ToolResultPart):
        return True
    known = part.call_id in waiting
    waiting.discard(part.call_id)
    return known


def unpaired(entries: Sequence[Entry]) -> Mapping[int, list[ToolResultPart]]:
    """Return, by index of the assistant's entry, the results that are missing after it."""
    missing: dict[int, list[ToolResultPart]] = {}
    for index, entry in enumerate(entries):
        if entry.message.role != "assistant" or not entry.message.calls():
            continue
        results: list[ToolResultPart] = []
        for later in entries[index + 1 :]:
            if later.message.role != "tool":
                break
            results += [p for p in later.message.parts if isinstance(p, ToolResultPart)]
        lost = missing_results(entry.message, results)
        if lost:
            missing[index] = lost
    return missing


def kept_before_model(entries: Sequence[Entry], compacted: Compacted | None) -> Sequence[Entry]:
    """Return the entries the model still sees in full."""
    if compacted is None:
        return entries
    user: list[Entry] = []
    for index, entry in enumerate(entries):
        if entry.message.id == compacted.first_kept:
            return [*user, *entries[index:]]
        if entry.message.id == compacted.kept_user:
            user = [entry]
    return entries


def changed_paths(entries: Iterable[Entry]) -> tuple[str, ...]:
    """Return the paths that calls of these entries say they wrote, each once, in order."""
    done = {
        part.call_id
        for entry in entries
        for part in entry.message.parts
        if isinstance(part, ToolResultPart) and part.status == "completed"
    }
    found: dict[str, None] = {}
    for entry in entries:
        for call in entry.message.calls():
            if call.name in {"write", "edit"} and call.call_id in done:
                path = call.input.get("path")
                if isinstance(path, str):
                    found[path] = None
    return tuple(found)
