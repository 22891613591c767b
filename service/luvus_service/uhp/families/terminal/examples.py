"""Calls that the reference page shows and a test runs."""

from __future__ import annotations

from luvus_service.rpc.declare import Example

_LOCATOR = {
    "server_generation": "5b0c9f7d3e2a4c1880f6a2d9c4e17b35",
    "terminal_id": "c2f19a64d07b4e3f9d5581a7e6b03c8d",
    "pane_id": "7",
}
_ROOT = {"pid": 4121, "start_marker": "linux:88211"}

EXAMPLES = (
    Example(
        "terminal.backend.create",
        {
            "cwd": "/home/ada/engine",
            "placement": {"kind": "workspace"},
            "focus": False,
            "command": ["codex"],
            "label": "review",
        },
        {
            "type": "terminal_backend_created",
            "state": "succeeded",
            "dispatch": "executed",
            **_LOCATOR,
            "placement": {"kind": "workspace", "workspace": 1, "tab": 2},
            "cwd": "/home/ada/engine",
            "root_process": _ROOT,
        },
    ),
    Example(
        "terminal.backend.submit_text",
        {**_LOCATOR, "text": "summarize this change"},
        {"type": "terminal_backend_action", "state": "succeeded", "dispatch": "queued"},
        note="Queued: accepted in order for the program, which may not have read it yet.",
    ),
    Example(
        "terminal.backend.wait_output",
        {**_LOCATOR, "after_revision": 4, "match": "done", "timeout_ms": 30000},
        {"type": "terminal_backend_output", "content_revision": 5},
    ),
    Example(
        "terminal.backend.validate",
        {**_LOCATOR, "expected_root": _ROOT},
        {"type": "terminal_backend_validation", "state": "alive"},
    ),
)
