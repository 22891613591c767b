"""The protocol's named limits, as `uhp.capabilities` announces them."""

from __future__ import annotations

from luvus_service.uhp.engine.input_queue import QUEUED_ACTIONS, QUEUED_BYTES

FRAME_BYTES = 1_048_576
TERMINAL_STREAMS = 8
TERMINAL_STREAM_QUEUE = 2
TERMINAL_STREAM_FRAME_BYTES = 65_536

ANNOUNCED = {
    "event_wait_timeout_s": 3600,
    "layout_depth": 64,
    "workspace_move_block": 256,
    "task_title_bytes": 256,
    "task_prompt_bytes": 32_768,
    "automations": 256,
    "automation_runs": 2048,
    "automation_prompt_bytes": 32_768,
    "automation_gate_bytes": 4096,
    "automation_min_interval_s": 60,
}

TERMINAL = {
    "request_bytes": FRAME_BYTES,
    "response_bytes": FRAME_BYTES,
    "inventory_terminals": 1024,
    "capture_lines": 300,
    "capture_bytes": 524_288,
    "observe_bytes": TERMINAL_STREAM_FRAME_BYTES,
    "observe_lines": 200,
    "observers": TERMINAL_STREAMS,
    "observer_queue": TERMINAL_STREAM_QUEUE,
    "input_bytes": 262_144,
    "logical_keys_per_request": 1,
    "title_bytes": 256,
    "notification_title_bytes": 256,
    "notification_body_bytes": 8192,
    "command_args": 128,
    "command_bytes": 65_536,
    "command_arg_bytes": 16_384,
    "cwd_bytes": 4096,
    "event_queue": 256,
    "event_subscribers": 64,
    "wait_timeout_ms": 300_000,
    "queued_input_bytes": QUEUED_BYTES,
    "queued_input_actions": QUEUED_ACTIONS,
}

_BACKEND = "terminal.backend."
TERMINAL_CAPABILITIES = {
    "inventory": _BACKEND + "inventory",
    "validate": _BACKEND + "validate",
    "capture": _BACKEND + "capture",
    "observe": _BACKEND + "observe",
    "control_stream": _BACKEND + "control",
    "type_literal": _BACKEND + "type_literal",
    "paste_text": _BACKEND + "paste_text",
    "submit_text": _BACKEND + "submit_text",
    "send_key": _BACKEND + "send_key",
    "set_title": _BACKEND + "set_title",
    "notify_terminal": _BACKEND + "notify",
    "create_workspace": _BACKEND + "create",
    "create_sibling": _BACKEND + "create",
    "close": _BACKEND + "close",
    "snapshot": _BACKEND + "snapshot",
    "events": _BACKEND + "events.subscribe",
    "wait_change": _BACKEND + "wait_change",
    "wait_output": _BACKEND + "wait_output",
    "process_inspection": _BACKEND + "processes",
    "paste_image": _BACKEND + "control",
    "upload_start": _BACKEND + "control",
    "upload_chunk": _BACKEND + "control",
    "upload_finish": _BACKEND + "control",
    "upload_cancel": _BACKEND + "control",
}
"""Each capability and the method that carries it."""
