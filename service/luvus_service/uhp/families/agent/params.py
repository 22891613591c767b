"""Parameters of the agent methods."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import BeforeValidator, ConfigDict, Field, model_validator

from luvus_service.rpc.models import Cli, LenientParams, Params
from luvus_service.uhp.domain.agents.keys import pattern as key_pattern
from luvus_service.uhp.domain.agents.prompts import ARGS, DEFAULT_UNTIL, PROMPT_CHARS
from luvus_service.uhp.domain.agents.states import WaitState
from luvus_service.uhp.families.agent.fields import (
    LINES,
    TARGET_CHARS,
    Alias,
    Direction,
    SessionId,
    States,
    Target,
    TerminalId,
    Timeout,
)
from luvus_service.uhp.fields import (
    PaneArgument,
    PaneOption,
    PaneRef,
    exactly_one,
    needs_true,
    not_both,
    not_null,
    sentence,
    together,
)

MOST = 2**53 - 1


class AgentTarget(LenientParams):
    """Which agent."""

    target: Target


class AgentExplain(Params):
    """Which agent, by target or by pane."""

    model_config = ConfigDict(json_schema_extra=exactly_one("target", "pane"))

    target: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=TARGET_CHARS,
            description="An alias or a pane's id; a kind is not tried.",
        ),
        Cli(positional=True),
    ] = None
    pane: Annotated[
        PaneRef | None, Field(description="The pane, instead of `target`."), Cli(option="--pane")
    ] = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.target is None) == (self.pane is None):
            raise sentence("give either `target` or `pane`")
        return self


class AgentStart(Params):
    """Which agent to start, and where."""

    model_config = ConfigDict(json_schema_extra=not_both("pane", "anchor"))

    name: Annotated[Alias, Cli(positional=True)]
    kind: Annotated[
        Alias, Field(description="What to start: the name of an agent that manifests know.")
    ]
    pane: Annotated[
        PaneRef | None,
        Field(description="A pane with a free shell; a new pane when left out."),
        Cli(option="--pane"),
    ] = None
    anchor: Annotated[
        PaneRef | None,
        Field(description="The pane to split; the focused one when left out."),
        Cli(option="--anchor"),
    ] = None
    direction: Annotated[Direction, Cli(values=(("--down", "down"),))] = "auto"
    args: Annotated[
        list[str],
        Field(max_length=ARGS, description="Arguments of the agent."),
        Cli(positional=True, rest=True),
    ] = Field(default_factory=list[str])
    timeout_s: Timeout = 30

    @model_validator(mode="after")
    def _one_place(self) -> Self:
        if self.pane is not None and self.anchor is not None:
            raise sentence("give either `pane` or `anchor`, not both")
        return self


def _given(value: Any) -> Any:
    if value is None:
        raise sentence("`terminal_id` must not be null; leave it out to send without a fence")
    return value


_FENCED: dict[str, Any] = {
    "not": {"required": ["terminal_id"], "properties": {"terminal_id": {"type": "null"}}}
}

Fenced: TypeAlias = Annotated[
    TerminalId | None,
    BeforeValidator(_given),
    Field(description="Refuse the input when the pane has another terminal by now."),
]


class AgentPrompt(Params):
    """What to say to which agent, and what to wait for."""

    model_config = ConfigDict(json_schema_extra=needs_true("wait", "until", "timeout_s") | _FENCED)

    target: Target
    text: Annotated[
        str,
        Field(min_length=1, max_length=PROMPT_CHARS, description="Pasted, then Enter is pressed."),
        Cli(positional=True),
    ]
    strict: Annotated[
        bool, Field(description="Refuse unless something shows that the agent waits for a prompt.")
    ] = False
    terminal_id: Fenced = None
    wait: Annotated[bool, Field(description="Answer when the agent is done with it.")] = False
    until: Annotated[
        list[WaitState] | None,
        Field(
            min_length=1,
            max_length=4,
            description="Only with `wait`: the states that end the wait; idle, done and blocked "
            "when left out.",
        ),
    ] = None
    timeout_s: Annotated[
        float | None,
        Field(
            ge=0,
            le=3600,
            allow_inf_nan=False,
            description="Only with `wait`: seconds to wait; 300 when left out.",
        ),
        Cli(option="--timeout"),
    ] = None

    @model_validator(mode="after")
    def _waits(self) -> Self:
        for name in ("until", "timeout_s"):
            if getattr(self, name) is not None and not self.wait:
                raise sentence(f"`{name}` needs `wait` true")
        return self

    def states(self) -> list[WaitState]:
        """Return the states that end the wait."""
        return self.until or list(DEFAULT_UNTIL)


class AgentSend(Params):
    """What to say to which agent."""

    model_config = ConfigDict(json_schema_extra=_FENCED)

    target: Target
    text: Annotated[
        str,
        Field(min_length=1, max_length=PROMPT_CHARS, description="Pasted, then Enter is pressed."),
        Cli(positional=True),
    ]
    strict: Annotated[
        bool, Field(description="Refuse unless something shows that the agent waits for a prompt.")
    ] = False
    terminal_id: Fenced = None


class AgentKeys(Params):
    """Which keys to press, and where."""

    model_config = ConfigDict(
        json_schema_extra=together("if_content_revision", "terminal_id") | _FENCED
    )

    target: Target
    keys: Annotated[
        list[Annotated[str, Field(json_schema_extra={"pattern": key_pattern()})]],
        Field(
            min_length=1,
            max_length=4096,
            description="enter, esc, tab, space, backspace, delete, up, down, left, right, home, "
            "end, pageup, pagedown, ctrl+<letter>, or single characters.",
        ),
        Cli(positional=True, rest=True),
    ]
    if_content_revision: Annotated[
        int | None,
        Field(ge=0, le=MOST, description="Refuse when the screen has changed since this one."),
    ] = None
    terminal_id: Fenced = None

    @model_validator(mode="after")
    def _pair(self) -> Self:
        if (self.if_content_revision is None) != (self.terminal_id is None):
            raise sentence("give `if_content_revision` and `terminal_id` together")
        return self


class AgentWait(Params):
    """Which pane, and which states."""

    model_config = ConfigDict(json_schema_extra=exactly_one("status", "statuses"))

    pane: Annotated[
        PaneRef,
        Field(description="The pane whose agent is watched."),
        Cli(positional=True, env="LUVUS_PANE_ID"),
    ]
    status: Annotated[
        WaitState | None, Field(description="The state waited for."), Cli(hidden=True)
    ] = None
    statuses: Annotated[
        States | None,
        Field(description="Several states instead; the first that comes counts."),
        Cli(option="--status"),
    ] = None
    timeout_s: Timeout = 3600

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.status is None) == (self.statuses is None):
            raise sentence("give either `status` or `statuses`")
        if self.statuses is not None and len(set(self.statuses)) != len(self.statuses):
            raise sentence("`statuses` must not name a state twice")
        return self

    def wanted(self) -> list[WaitState]:
        """Return the states waited for."""
        return [self.status] if self.status is not None else list(self.statuses or ())


class AgentName(LenientParams):
    """Which pane, and its alias."""

    model_config = ConfigDict(
        json_schema_extra={
            "oneOf": [
                {
                    **not_null("name"),
                    "not": {"required": ["clear"], "properties": {"clear": {"const": True}}},
                },
                {
                    "required": ["clear"],
                    "properties": {"clear": {"const": True}, "name": {"type": "null"}},
                },
            ]
        }
    )

    name: Annotated[
        Alias | None, Field(description="The alias; not with `clear`."), Cli(positional=True)
    ] = None
    clear: Annotated[bool, Field(description="Take the alias away.")] = False
    pane: PaneOption = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.name is None) != self.clear:
            raise sentence("give either `name`, or `clear` true")
        return self


class AgentFork(LenientParams):
    """Which agent to branch off."""

    target: Target
    name: Annotated[
        Alias | None, Field(description="The alias of the new pane."), Cli(option="--name")
    ] = None
    focus: Annotated[
        bool, Field(description="Whether the new pane gets the focus."), Cli(negative="--no-focus")
    ] = True


class AgentRead(LenientParams):
    """Which agent, and how much of its output."""

    target: Target
    lines: Annotated[int, Field(ge=1, le=LINES, description="How many of the newest lines.")] = 200
    source: Annotated[
        Literal["visible", "recent"],
        Field(
            description="`visible`: the screen; `recent`: scrollback too, soft wraps joined.",
        ),
    ] = "recent"


class AgentResume(LenientParams):
    """Which session."""

    session_id: Annotated[
        SessionId,
        Field(description="As `agent.sessions` lists it."),
        Cli(positional=True),
    ]


class PaneOf(Params):
    """Which pane."""

    pane: PaneArgument = None
