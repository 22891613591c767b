"""Types that the models of agents share."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from luvus_service.rpc.models import Cli
from luvus_service.rpc.spelling import HEX, Spelled
from luvus_service.uhp.domain.agents.leases import SOURCE
from luvus_service.uhp.domain.agents.states import (
    IdentitySource,
    State,
    StateSource,
    WaitState,
)
from luvus_service.uhp.domain.agents.stores import SESSION_ID
from luvus_service.uhp.fields import ALIAS

TARGET_CHARS = 128
LONGEST_WAIT_S = 3600
LINES = 10_000

Target: TypeAlias = Annotated[
    str,
    Field(
        min_length=1,
        max_length=TARGET_CHARS,
        description="An alias, a pane's id, or a kind of which exactly one agent lives.",
    ),
    Cli(positional=True),
]
StatusField: TypeAlias = Annotated[
    State, Field(description="How the agent is doing; `unknown` before it is known.")
]
AgentField: TypeAlias = Annotated[str, Field(description="The agent, such as `claude`.")]
AuthorityField: TypeAlias = Annotated[
    IdentitySource | None, Field(description="Where the identity comes from; null when unknown.")
]
SourceField: TypeAlias = Annotated[
    StateSource | None, Field(description="Where the state comes from; null when unknown.")
]
SessionField: TypeAlias = Annotated[
    str | None, Field(description="The agent's own session id, or null when not known.")
]
NameField: TypeAlias = Annotated[str | None, Field(description="The alias, or null.")]
Alias: TypeAlias = Annotated[
    str,
    Field(description="a to z first, then a to z, 0 to 9, `_`, `-`; 32 characters at most."),
    ALIAS,
]
SourceName: TypeAlias = Annotated[
    str,
    Field(description="Who reports: a letter first, then letters, digits and `_.:/-`."),
    Spelled(
        f"^{SOURCE}$",
        "must begin with a letter and go on with at most 63 letters, digits and `_.:/-`",
    ),
    Cli(option="--source"),
]
TerminalId: TypeAlias = Annotated[
    str,
    Field(description="Refuse the input when the pane has another terminal by now."),
    HEX,
]
SessionId: TypeAlias = Annotated[
    str, Spelled(f"^{SESSION_ID}$", "must have 1 to 256 letters, digits and `._:/-`")
]
States: TypeAlias = Annotated[
    list[WaitState],
    Field(
        min_length=1,
        max_length=4,
        description="The states waited for.",
        json_schema_extra={"uniqueItems": True},
    ),
]
Timeout: TypeAlias = Annotated[
    float,
    Field(ge=0, le=LONGEST_WAIT_S, allow_inf_nan=False, description="Seconds to wait."),
    Cli(option="--timeout"),
]
Direction: TypeAlias = Annotated[
    Literal["auto", "right", "down", "stack"],
    Field(
        description="`right` puts the new pane beside, `down` (or `stack`) below, `auto` chooses "
        "by the pane's shape."
    ),
]
