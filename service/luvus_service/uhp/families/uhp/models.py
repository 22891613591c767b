"""Parameters and results of discovery, figures and tokens."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from luvus_service.rpc.models import Cli, Params, Result
from luvus_service.rpc.scopes import Scope
from luvus_service.rpc.tokens import LONGEST_S
from luvus_service.uhp.fields import sentence

ScopeName = Literal[
    "read",
    "workspace",
    "agent",
    "terminal",
    "orchestration",
    "extensions",
    "admin",
    "all",
]


class Protocol(Result):
    """The protocol's name and version."""

    name: Literal["luvus-uhp"] = "luvus-uhp"
    major: Literal[1] = 1
    minor: Literal[0] = 0


class MethodContract(Result):
    """What a method may do."""

    method: str = Field(description="The method's name.")
    access: Literal["read", "write"] = Field(description="Whether it changes anything.")
    scope: str = Field(description="The scope a token needs for it.")
    idempotent: bool = Field(description="Whether repeating it is harmless.")


class GraphicsDetails(Result):
    """Inline graphics."""

    protocol: Literal["kitty"] = Field(default="kitty", description="How images are sent.")
    placement: Literal["unicode_placeholder"] = Field(
        default="unicode_placeholder", description="How they keep their place."
    )
    supported: bool = Field(description="Whether the build supports them.")
    available: bool = Field(description="Whether a client shows them now.")


class Capabilities(Result):
    """What this server offers."""

    type: Literal["uhp_capabilities"] = "uhp_capabilities"
    protocol: Protocol = Field(default=Protocol(), description="The protocol's name and version.")
    session: str = Field(description="The session's name.")
    server_generation: str = Field(description="32 hex digits, new at every start of the server.")
    event_sequence: int = Field(description="The sequence of the newest event.")
    methods: list[str] = Field(description="Every method of this server.")
    method_contracts: list[MethodContract] = Field(description="What each method may do.")
    limits: dict[str, int] = Field(description="The named limits.")
    identity: dict[str, str] = Field(description="How long each kind of id stays the same.")
    events: dict[str, str] = Field(description="How the event stream is resumed.")
    agent_authorities: list[str] = Field(description="Where an agent's identity can come from.")
    agent_states: list[str] = Field(description="The states an agent can be in.")
    terminal: dict[str, Any] = Field(description="What the terminal methods offer.")
    authorization: dict[str, Any] = Field(description="How authority is delegated.")
    concurrency: dict[str, str] = Field(description="How changes are guarded.")
    atomic_methods: list[str] = Field(description="Methods that validate and commit as one.")
    idempotency_keys: dict[str, Any] = Field(description="Methods that take an idempotency key.")
    graphics: bool = Field(description="Whether the build supports inline graphics.")
    graphics_details: GraphicsDetails = Field(description="Which graphics, and whether shown now.")


class ConnectionFigures(Result):
    """Connections of the newline-JSON socket."""

    active: int = Field(description="Open now.")
    capacity: int = Field(description="Open at most.")
    accepted: int = Field(description="Accepted since the start.")
    rejected: int = Field(description="Turned away because the capacity was reached.")
    initial_frame_timeouts: int = Field(description="Closed because no request came in time.")


class RequestFigures(Result):
    """Requests of the newline-JSON socket."""

    completed: int = Field(description="Answered.")
    bytes_in: int = Field(description="Bytes read.")
    bytes_out: int = Field(description="Bytes written.")
    mean_latency_us: int = Field(description="Mean time from request to answer, microseconds.")


class EventFigures(Result):
    """The event stream."""

    replay_capacity: Literal[256] = Field(default=256, description="Events kept for resuming.")
    replay_bytes: Literal[1_048_576] = Field(
        default=1_048_576, description="Bytes kept for resuming."
    )
    terminal_streams: int = Field(description="Open observe and control streams.")
    terminal_stream_capacity: Literal[8] = Field(default=8, description="At most that many.")


class Stats(Result):
    """Bounded operational figures since the server's start."""

    type: Literal["uhp_stats"] = "uhp_stats"
    uptime_ms: int = Field(description="Milliseconds since the start.")
    connections: ConnectionFigures = Field(description="Connections of the newline-JSON socket.")
    requests: RequestFigures = Field(description="Requests of the newline-JSON socket.")
    events: EventFigures = Field(description="The event stream.")


class TokenCreate(Params):
    """What the token may do, and for how long."""

    scopes: Annotated[
        list[ScopeName],
        Field(
            min_length=1,
            max_length=8,
            description="The scopes it holds, each once.",
            json_schema_extra={"uniqueItems": True},
        ),
        Cli(option="--scope"),
    ]
    ttl_s: Annotated[
        int,
        Field(ge=1, le=LONGEST_S, description="Seconds until it expires."),
        Cli(option="--ttl"),
    ] = 3600

    @field_validator("scopes")
    @classmethod
    def _once(cls, scopes: list[ScopeName]) -> list[ScopeName]:
        if len(set(scopes)) != len(scopes):
            raise sentence("`scopes` names a scope twice")
        return scopes

    def held(self) -> tuple[Scope, ...]:
        """Return the scopes as such."""
        return tuple(Scope(name) for name in self.scopes)


class TokenCreated(Result):
    """A new token; the only time its secret is shown."""

    type: Literal["uhp_token"] = "uhp_token"
    id: str = Field(description="The public id, for listing and revoking.")
    token: str = Field(description="The secret that goes into `auth`; not shown again.")
    scopes: list[str] = Field(description="The scopes it holds.")
    expires_at: int = Field(description="Unix seconds.")


class TokenRow(Result):
    """A live token, without its secret."""

    id: str = Field(description="The public id.")
    scopes: list[str] = Field(description="The scopes it holds.")
    expires_at: int = Field(description="Unix seconds.")


class TokenList(Result):
    """The live tokens."""

    type: Literal["uhp_tokens"] = "uhp_tokens"
    tokens: list[TokenRow] = Field(description="Oldest first.")
    capacity: Literal[64] = Field(default=64, description="Live tokens at most.")


class TokenRevoke(Params):
    """Which token to end."""

    id: Annotated[
        str,
        Field(min_length=1, max_length=128, description="Its public id."),
        Cli(positional=True),
    ]


class TokenRevoked(Result):
    """Whether there was such a token."""

    type: Literal["uhp_token_revoked"] = "uhp_token_revoked"
    id: str = Field(description="The id as given.")
    revoked: bool = Field(description="False when no live token has this id.")
