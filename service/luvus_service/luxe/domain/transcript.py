"""What a session's records amount to: the transcript, its repair, and what the model is given.

A transcript is valid for a provider at all times: every call has one result, in order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from luvus_service.luxe.domain.records import (
    Compacted,
    Entry,
    Linked,
    ModeChosen,
    ModelChosen,
    PlanWrote,
    Record,
    Rewound,
    ThinkingChosen,
    Titled,
    TodosSet,
    TurnMark,
    Used,
)
from luvus_service.luxe.domain.values import (
    Message,
    Mode,
    ModelRef,
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
            del folded.entries[kept_until(folded.entries, record.to_message_id) :]
            folded.compacted = _still_valid(folded.compacted, folded.entries)
        else:
            _fold_setting(folded, record)
    return folded


def _fold_setting(folded: Folded, record: Record) -> None:
    if isinstance(record, Compacted):
        folded.compacted = record
    elif isinstance(record, ModelChosen):
        folded.model = record.model
    elif isinstance(record, ThinkingChosen):
        folded.thinking = record.level
    elif isinstance(record, ModeChosen):
        folded.mode = record.mode
    elif isinstance(record, TodosSet):
        folded.todos = record.todos
    elif isinstance(record, PlanWrote):
        folded.plan = record.path
    elif isinstance(record, Titled):
        folded.title = record.title
    elif isinstance(record, Linked):
        folded.link = record


def _still_valid(compacted: Compacted | None, entries: Sequence[Entry]) -> Compacted | None:
    if compacted is None or compacted.first_kept is None:
        return compacted
    ids = {entry.message.id for entry in entries}
    return compacted if compacted.first_kept in ids else None


def kept_until(entries: Sequence[Entry], message_id: str | None) -> int:
    """Return how many entries stand up to and including a message; 0 for None or an unknown id."""
    for index in range(len(entries) - 1, -1, -1):
        if entries[index].message.id == message_id:
            return index + 1
    return 0


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
