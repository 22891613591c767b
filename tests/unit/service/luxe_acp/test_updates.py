from __future__ import annotations

import pytest
from acp import schema

from luvus_service.luxe_acp.updates import contents, plan, replayed, sides, stop_reason, updates

DIFF = """\
--- a/src/app.py
+++ b/src/app.py
@@ -1,3 +1,3 @@
 one
-two
+three
 four
"""


def test_a_change_is_shown_with_its_two_sides() -> None:
    assert sides(DIFF) == ("one\ntwo\nfour\n", "one\nthree\nfour\n", "src/app.py")
    assert contents("ignored", DIFF, None) == [
        schema.FileEditToolCallContent(
            type="diff",
            path="src/app.py",
            old_text="one\ntwo\nfour\n",
            new_text="one\nthree\nfour\n",
        )
    ]


@pytest.mark.parametrize(
    ("reason", "stop"),
    [
        ("end_turn", "end_turn"),
        ("max_steps", "max_turn_requests"),
        ("context_overflow", "max_tokens"),
        ("error", None),
    ],
)
def test_the_end_of_a_turn_has_the_editors_word(reason: str, stop: str | None) -> None:
    assert stop_reason(reason) == stop


def test_frames_nobody_draws_are_left_out() -> None:
    assert updates("turn_started", {}) == []
    assert updates("nosuch", {"x": 1}) == []


def test_todos_are_a_plan_without_the_cancelled_ones() -> None:
    shown = plan(
        [
            {"content": "a", "status": "in_progress", "priority": None},
            {"content": "b", "status": "cancelled", "priority": "low"},
        ]
    )

    assert [(e.content, e.status, e.priority) for e in shown.entries] == [
        ("a", "in_progress", "medium")
    ]


def test_a_stored_transcript_is_shown_as_it_was() -> None:
    shown = replayed(
        [
            {"role": "user", "parts": [{"type": "text", "text": "hi"}]},
            {
                "role": "assistant",
                "parts": [
                    {"type": "thinking", "text": "hm"},
                    {"type": "text", "text": "ok"},
                    {"type": "tool_call", "call_id": "c", "name": "read", "input": {"path": "a"}},
                ],
            },
            {
                "role": "tool",
                "parts": [
                    {"type": "tool_result", "call_id": "c", "status": "denied", "output": "no"}
                ],
            },
        ]
    )

    assert [update.session_update for update in shown] == [
        "user_message_chunk",
        "agent_thought_chunk",
        "agent_message_chunk",
        "tool_call",
        "tool_call_update",
    ]
    assert shown[-1].status == "failed"
