from __future__ import annotations

import pytest

from luvus_service.luxe.domain.records import Compacted, Entry, Record, Rewound
from luvus_service.luxe.domain.transcript import (
    fold,
    kept_before_model,
    shown_messages,
    without_orphans,
)
from luvus_service.luxe.domain.values import (
    CompactionPart,
    Message,
    Part,
    Role,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)


def entry(name: str, role: Role, *parts: Part) -> Entry:
    return Entry(Message(name, role, parts, "then"))


def user(name: str) -> Entry:
    return entry(name, "user", TextPart(name))


def called(name: str, *ids: str) -> Entry:
    return entry(name, "assistant", *(ToolCallPart(each, "read", {}) for each in ids))


def answered(name: str, *ids: str) -> Entry:
    return entry(name, "tool", *(ToolResultPart(each, "read", "completed", "") for each in ids))


def summary(first_kept: str, kept_user: str | None = None) -> Compacted:
    return Compacted("S", first_kept, 9, 1, "now", kept_user)


WHOLE = [user("m1"), called("m2", "a", "b"), answered("m3", "a", "b"), user("m4")]


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        (WHOLE, WHOLE),
        ([WHOLE[0], WHOLE[2], WHOLE[3]], [WHOLE[0], WHOLE[3]]),
        ([called("m2", "a"), answered("m3", "a", "b")], [called("m2", "a"), answered("m3", "a")]),
        ([*WHOLE[:3], answered("m5", "a")], WHOLE[:3]),
        (
            [called("m2", "a"), answered("m3", "a"), user("m4"), answered("m5", "a")],
            [called("m2", "a"), answered("m3", "a"), user("m4")],
        ),
    ],
)
def test_a_result_without_its_call_is_left_out(entries: list[Entry], expected: list[Entry]) -> None:
    assert without_orphans(entries) == expected


def test_a_rewind_to_a_message_that_was_lost_takes_nothing_back() -> None:
    records: list[Record] = [user("m1"), user("m2"), Rewound("lost", "retry")]

    assert [item.message.id for item in fold(records).entries] == ["m1", "m2"]
    assert fold([*records, Rewound(None, "edit_resend")]).entries == []


def test_before_a_model_the_kept_user_message_stands_before_what_is_kept() -> None:
    entries = [user("m1"), called("m2"), user("m3"), called("m4"), called("m5")]

    def seen(record: Compacted) -> list[str]:
        return [item.message.id for item in kept_before_model(entries, record)]

    assert seen(summary("m5", "m3")) == ["m3", "m5"]
    assert seen(summary("m4")) == ["m4", "m5"]
    assert seen(summary("lost", "m3")) == ["m1", "m2", "m3", "m4", "m5"]


def test_compactions_are_shown_where_they_happened_unless_they_were_taken_back() -> None:
    records: list[Record] = [user("m1"), user("m2"), summary("m2"), user("m3")]

    shown = shown_messages(fold(records))
    kept = shown_messages(fold([*records, Rewound("m2", "retry")]))
    gone = shown_messages(fold([*records, Rewound("m1", "edit_resend")]))

    assert [message.role for message in shown] == ["user", "user", "system", "user"]
    assert shown[2].parts == (CompactionPart("S", 9),)
    assert [message.role for message in kept] == ["user", "user", "system"]
    assert [message.role for message in gone] == ["user"]


def test_a_rewind_before_what_is_kept_ends_a_summary() -> None:
    records: list[Record] = [user("m1"), user("m2"), user("m3"), summary("m3", "m2")]

    assert fold(records).compacted is not None
    assert fold([*records, Rewound("m2", "retry")]).compacted is None
