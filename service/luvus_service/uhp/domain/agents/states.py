"""The states of an agent and the names of the evidence behind them."""

from __future__ import annotations

from typing import Literal, TypeAlias, cast, get_args

State: TypeAlias = Literal["blocked", "working", "done", "idle", "unknown"]
WaitState: TypeAlias = Literal["idle", "working", "blocked", "done"]
IdentitySource: TypeAlias = Literal[
    "integration_report",
    "process_tree",
    "launch_command",
    "osc_title",
    "screen_text",
    "prior_identity",
    "command_fallback",
    "none",
]
StateSource: TypeAlias = Literal["integration_report", "manifest_rule", "shell_activity", "none"]
Confidence: TypeAlias = Literal["authoritative", "high", "heuristic", "none"]
Region: TypeAlias = Literal["title", "screen"]

STATES: tuple[State, ...] = cast("tuple[State, ...]", get_args(State))
WAIT_STATES: tuple[WaitState, ...] = cast("tuple[WaitState, ...]", get_args(WaitState))

IDENTITY_CONFIDENCE: dict[IdentitySource, Confidence] = {
    "integration_report": "authoritative",
    "process_tree": "authoritative",
    "launch_command": "high",
    "osc_title": "high",
    "screen_text": "heuristic",
    "prior_identity": "heuristic",
    "command_fallback": "none",
    "none": "none",
}
STATE_CONFIDENCE: dict[StateSource, Confidence] = {
    "integration_report": "authoritative",
    "manifest_rule": "high",
    "shell_activity": "heuristic",
    "none": "none",
}
