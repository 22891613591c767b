"""Puts together what `uhp.capabilities` says, from the registry and the named limits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from luvus_service.rpc.registry import Catalogue
from luvus_service.rpc.scopes import Scope
from luvus_service.uhp.engine import events, limits
from luvus_service.uhp.engine.session import Session
from luvus_service.uhp.families.uhp.models import Capabilities, GraphicsDetails, MethodContract

Describe = Callable[[], Catalogue]

_AUTHORITIES = [
    "integration_report",
    "process_tree",
    "launch_command",
    "osc_title",
    "screen_text",
    "prior_identity",
    "command_fallback",
]
_ATOMIC = (
    "agent.start",
    "agent.prompt",
    "automation.create",
    "automation.rebind",
    "automation.run",
    "workspace.move_block",
    "layout.apply",
    "diff.note.apply",
)
_KEYED = ["automation.create", "automation.run"]


def capabilities(session: Session, catalogue: Catalogue) -> Capabilities:
    """Describe the server; methods that are not built in are not announced."""
    methods = catalogue.methods
    contracts = [
        MethodContract(
            method=spec.name,
            access=spec.access.value,
            scope=spec.scope,
            idempotent=spec.idempotent,
        )
        for spec in methods.values()
    ]
    return Capabilities(
        session=session.name,
        server_generation=session.generation,
        event_sequence=session.events.sequence,
        methods=list(methods),
        method_contracts=contracts,
        limits=_limits(session),
        identity={"workspace": "stable", "tab": "stable", "terminal": "pty_lifetime"},
        events={"resume": "after_sequence", "loss": "resync_required"},
        agent_authorities=_AUTHORITIES,
        agent_states=["idle", "working", "blocked", "done"],
        terminal=_terminal(list(methods)),
        authorization={
            "default": "local_owner",
            "delegation": "scoped_ephemeral_token",
            "scopes": [scope.value for scope in Scope],
        },
        concurrency={"mutation_guard": "if_revision"},
        atomic_methods=[name for name in _ATOMIC if name in methods],
        idempotency_keys={
            "methods": [n for n in _KEYED if n in methods],
            "max_bytes": 128,
        },
        graphics=True,
        graphics_details=GraphicsDetails(supported=True, available=False),
    )


def _limits(session: Session) -> dict[str, int]:
    traffic = session.traffic().connections()
    return {
        "frame_bytes": limits.FRAME_BYTES,
        "event_queue": events.QUEUE,
        "event_subscribers": events.SUBSCRIBERS,
        "event_replay": events.REPLAY_FRAMES,
        "event_replay_bytes": events.REPLAY_BYTES,
        "active_connections": traffic["active"],
        "connection_capacity": traffic["capacity"],
        "rejected_connections": traffic["rejected"],
        "terminal_streams": session.terminal_streams,
        "terminal_stream_capacity": limits.TERMINAL_STREAMS,
        "terminal_stream_queue": limits.TERMINAL_STREAM_QUEUE,
        "terminal_stream_frame_bytes": limits.TERMINAL_STREAM_FRAME_BYTES,
        **limits.ANNOUNCED,
    }


def _terminal(methods: list[str]) -> dict[str, Any]:
    offered = [name for name, method in limits.TERMINAL_CAPABILITIES.items() if method in methods]
    return {
        "capabilities": offered,
        "limits": limits.TERMINAL,
        "features": ["stream_cursor", "create_restore_policy"] if offered else [],
    }
