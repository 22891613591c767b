"""Calls that the reference page shows and a test runs."""

from __future__ import annotations

from luvus_service.rpc.declare import Example

EXAMPLES = (
    Example(
        "agent.start",
        {"name": "reviewer", "kind": "claude"},
        {
            "type": "agent_start",
            "name": "reviewer",
            "kind": "claude",
            "pane": "4",
            "ready": True,
            "status": "idle",
        },
    ),
    Example(
        "agent.prompt",
        {"target": "reviewer", "text": "Review the last commit", "wait": True, "timeout_s": 600},
        {
            "type": "agent_prompt",
            "pane": "4",
            "submitted": True,
            "matched": True,
            "status": "blocked",
            "baseline_revision": 31,
            "content_revision": 58,
            "evidence": "state_transition",
        },
    ),
    Example(
        "agent.read",
        {"target": "reviewer", "lines": 3, "source": "visible"},
        {
            "type": "agent_read",
            "pane": "4",
            "text": "Do you want to proceed?\n❯ 1. Yes\n  2. No",
            "content_revision": 58,
            "terminal_id": "00000000000000000000000000000000",
            "revision": 91,
        },
    ),
    Example(
        "agent.keys",
        {
            "target": "reviewer",
            "keys": ["1"],
            "if_content_revision": 58,
            "terminal_id": "00000000000000000000000000000000",
        },
        {"type": "ok", "pane": "4", "revision": 91},
    ),
    Example(
        "agent.wait",
        {"pane": "4", "statuses": ["done", "blocked"], "timeout_s": 300},
        {"type": "agent_wait", "matched": True, "pane": "4", "status": "done"},
    ),
    Example(
        "agent.report",
        {
            "pane": "7",
            "source": "fx/plugin",
            "agent": "fx",
            "status": "blocked",
            "message": "approval required",
            "sequence": 12,
            "ttl_s": 300,
        },
        {
            "type": "agent_report",
            "pane": "7",
            "agent": "fx",
            "status": "blocked",
            "source": "fx/plugin",
            "sequence": 12,
            "ttl_s": 300,
            "revision": 102,
        },
    ),
)
