"""Parameters of the methods by which integrations report."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from luvus_service.rpc.models import Cli, LenientParams, Params
from luvus_service.rpc.spelling import Spelled
from luvus_service.uhp.domain.agents.leases import (
    DEFAULT_TTL_S,
    LONGEST_TTL_S,
    MESSAGE_CHARS,
    SESSION_CHARS,
)
from luvus_service.uhp.domain.agents.states import State
from luvus_service.uhp.families.agent.fields import SessionId, SourceName
from luvus_service.uhp.fields import PaneArgument

MOST = 2**53 - 1
TOKENS = 10**15
COST = 10**12
HOOK_CHARS = 65_536
PRINTABLE = r"[^\x00-\x1f\x7f-\x9f]"
"""A character that is no control character."""


class AgentReport(Params):
    """What an integration says of a pane."""

    pane: PaneArgument = None
    source: SourceName
    agent: Annotated[
        str,
        Field(
            max_length=64,
            description="The agent; one nobody knows is fine.",
        ),
        Spelled(f"^{PRINTABLE}+$", "must have a character, and no control characters"),
        Cli(option="--kind"),
    ]
    status: Annotated[State, Field(description="How it is doing; applies at once.")]
    message: Annotated[
        str | None,
        Field(max_length=MESSAGE_CHARS, description="With `blocked`: what it asks for."),
    ] = None
    session_id: Annotated[
        Annotated[
            str,
            Field(max_length=SESSION_CHARS),
            Spelled("^[A-Za-z0-9._:/-]+$", "must have only letters, digits and `._:/-`"),
        ]
        | None,
        Field(description="Binds the agent's own session to the pane."),
    ] = None
    sequence: Annotated[
        int | None,
        Field(ge=0, le=MOST, description="Must be above the one before; the next by default."),
    ] = None
    ttl_s: Annotated[
        int,
        Field(ge=1, le=LONGEST_TTL_S, description="Seconds after which the report ends by itself."),
    ] = DEFAULT_TTL_S


class AgentRelease(Params):
    """Whose reports end, and where."""

    pane: PaneArgument = None
    source: SourceName


class ReportedUsage(Params):
    """What a session has used so far."""

    model: Annotated[
        str,
        Field(max_length=256, description="The model's name."),
        Spelled(f"^{PRINTABLE}*$", "must not have control characters"),
    ] = ""
    tokens_in: Annotated[int, Field(ge=0, le=TOKENS, description="Input, without the cache.")]
    tokens_out: Annotated[int, Field(ge=0, le=TOKENS, description="Output.")]
    cache_read: Annotated[int, Field(ge=0, le=TOKENS, description="Input from the cache.")]
    cache_write: Annotated[int, Field(ge=0, le=TOKENS, description="Input into the cache.")]
    cost: Annotated[
        float | None,
        Field(ge=0, le=COST, allow_inf_nan=False, description="US dollars; 0 is unknown."),
    ] = None
    updated_at: Annotated[
        int, Field(ge=1, le=MOST, description="Any unit that grows; older ones are refused.")
    ]


class ReportSession(Params):
    """Which session is in which pane."""

    pane: PaneArgument = None
    agent: Annotated[
        str, Field(min_length=1, max_length=64, description="A built-in agent, or its alias.")
    ]
    session_id: Annotated[SessionId, Field(description="As the agent itself calls it.")]
    usage: Annotated[
        ReportedUsage | None,
        Field(description="What it has used; null when not known."),
        Cli(hidden=True),
    ] = None


class ReportEvent(LenientParams):
    """What an agent's hook saw."""

    pane: PaneArgument = None
    agent: Annotated[str, Field(max_length=HOOK_CHARS, description="The agent.")] = ""
    kind: Annotated[str, Field(max_length=HOOK_CHARS, description="What happened.")] = ""
    message: Annotated[str, Field(max_length=HOOK_CHARS, description="In words.")] = ""
    tool: Annotated[str, Field(max_length=HOOK_CHARS, description="The tool it was about.")] = ""
