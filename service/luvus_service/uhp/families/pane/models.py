"""Parameters and results of the pane methods."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from luvus_service.rpc.models import Cli, LenientParams, Params, Result
from luvus_service.uhp.fields import (
    PaneArgument,
    PaneId,
    PaneOption,
    TabId,
    TabPosition,
    WorkspaceId,
    WorkspaceIndex,
    sentence,
)

LINES = 10_000
"""Lines that one `pane.read` may ask for."""
TEXT_LENGTH = 1_000_000

Status = Literal["blocked", "working", "done", "idle", "unknown"]
StatusField = Annotated[
    Status, Field(description="The agent's state; `unknown` before it is known.")
]
Bytes = Annotated[int | None, Field(description="Bytes; null when not measured.")]
Count = Annotated[int | None, Field(description="A count; null when not measured.")]


class HistoryFields(Result):
    """What the scrollback of a terminal holds; shallow estimates, not exact process memory."""

    scroll_offset: int = Field(description="Rows between the view and live output.")
    history_rows: int = Field(description="Rows kept in the scrollback.")
    history_budget_bytes: Bytes
    history_bytes: Bytes
    history_estimated_grid_bytes: Bytes
    history_cache_bytes: Bytes
    history_compacted_rows: Count
    history_allocated_cells: Count
    history_packed_blocks: Count
    history_packed_bytes: Bytes
    history_packed_rows: Count
    history_dense_row_bytes: Bytes
    history_row_descriptor_bytes: Bytes
    history_allocation_count: Count
    history_bytes_kind: Literal["exact", "estimated"] = Field(
        description="Whether `history_bytes` is exact."
    )
    history_exact: bool = Field(description="The same as a boolean.")


class PaneIdentity(Result):
    """Which pane, and who is in it."""

    pane: PaneId
    agent: str = Field(description="The agent in it; empty when none is known.")
    status: StatusField
    focused: bool = Field(description="Whether it has the focus of its tab.")
    cwd: str = Field(description="Where its program is.")
    module: dict[str, Any] | None = Field(description="The module that owns it, or null.")


class PaneRow(HistoryFields, PaneIdentity):
    """A pane in the list."""


class PaneList(Result):
    """The panes of the active tab."""

    type: Literal["pane_list"] = "pane_list"
    panes: list[PaneRow] = Field(description="In the order of the layout tree.")
    detection_extractions: int = Field(description="Screens read to detect agents.")
    detection_skips: int = Field(description="Screens skipped because nothing changed.")
    detection_performance: dict[str, int] = Field(description="Counters of agent detection.")
    render_performance: dict[str, int] = Field(description="Counters of output and viewers.")


class PaneDetail(Result):
    """One pane."""

    type: Literal["pane"] = "pane"
    pane: PaneId
    workspace: WorkspaceIndex
    workspace_id: WorkspaceId
    tab: TabPosition
    tab_id: TabId
    terminal_id: str | None = Field(description="The same as long as its terminal lives.")
    focused: bool = Field(description="Whether it is the focused pane of the session.")
    name: str | None = Field(description="Its alias, or null.")
    cwd: str | None = Field(description="Where its program is.")
    command: str | None = Field(description="The shell or command that was started.")
    agent: str | None = Field(description="The agent in it, or null.")
    status: StatusField
    history_budget_bytes: Bytes
    history_bytes: Bytes
    module: dict[str, Any] | None = Field(description="The module that owns it, or null.")


class PaneState(Result):
    """How the agent of a pane is doing."""

    type: Literal["pane_status"] = "pane_status"
    pane: PaneId
    agent: str = Field(description="The agent in it; empty when none is known.")
    status: StatusField
    authority: str | None = Field(description="Where the agent's identity comes from.")
    state_source: str | None = Field(description="Where the state comes from.")


class PaneStatus(HistoryFields, PaneState):
    """How a pane is doing."""


class PaneSplitResult(Result):
    """The new pane."""

    type: Literal["ok"] = "ok"
    pane: PaneId
    workspace: WorkspaceIndex
    tab: TabPosition


class PaneText(Result):
    """The newest output of a pane."""

    type: Literal["pane_read"] = "pane_read"
    text: str = Field(description="Lines joined by LF, soft wraps joined, no escape sequences.")


class PaneRenamed(Result):
    """The pane's alias."""

    type: Literal["pane_rename"] = "pane_rename"
    pane: PaneId
    name: str | None = Field(description="The alias, or null when it was cleared.")


class Done(Result):
    """It is done."""

    type: Literal["ok"] = "ok"


class PaneListParams(Params):
    """Which panes to list."""

    all_tabs: Annotated[
        bool, Field(description="All panes of the session instead of the active tab's.")
    ] = False


class PaneGet(Params):
    """Which pane."""

    pane: PaneArgument = None


class PaneTarget(LenientParams):
    """Which pane."""

    pane: PaneArgument = None


class PaneSplit(LenientParams):
    """Which pane to split, and how."""

    model_config = ConfigDict(
        json_schema_extra={
            "not": {
                "required": ["down", "direction"],
                "properties": {"down": {"const": True}, "direction": {"const": "right"}},
            }
        }
    )

    pane: PaneArgument = None
    direction: Annotated[
        Literal["auto", "right", "down", "stack"],
        Field(
            description="`right` puts the new pane beside, `down` (or `stack`) below, "
            "`auto` chooses by the pane's shape."
        ),
    ] = "auto"
    down: Annotated[
        bool | None,
        Field(description="true: the same as `direction` `down`; not with another direction."),
    ] = None
    focus: Annotated[
        bool, Field(description="Whether the new pane gets the focus."), Cli(negative="--no-focus")
    ] = True

    @model_validator(mode="after")
    def _one_direction(self) -> Self:
        if self.down and self.direction == "right":
            raise sentence(
                "`down` true and `direction` 'right' contradict each other; leave one out"
            )
        return self

    def wanted(self) -> Literal["auto", "right", "down", "stack"]:
        """Return the direction that both fields together ask for."""
        return "down" if self.down else self.direction


class PaneRun(LenientParams):
    """Which pane, and the command line to type there."""

    pane: PaneArgument = None
    command: Annotated[
        str,
        Field(max_length=TEXT_LENGTH, description="Typed as it is, followed by Enter."),
        Cli(positional=True, rest=True),
    ]


class PaneSendInput(LenientParams):
    """Which pane, and what to send."""

    pane: PaneArgument = None
    text: Annotated[
        str,
        Field(max_length=TEXT_LENGTH, description="Sent as it is; nothing is added."),
        Cli(positional=True),
    ]
    paste: Annotated[
        bool, Field(description="As a paste, in brackets when the program asks for them.")
    ] = False


class PaneRead(LenientParams):
    """Which pane, and how much of it."""

    pane: PaneArgument = None
    lines: Annotated[int, Field(ge=1, le=LINES, description="How many of the newest lines.")] = 200


class PaneRename(Params):
    """Which pane, and its alias."""

    name: Annotated[
        str,
        Field(
            description="a to z first, then a to z, 0 to 9, `_`, `-`; 32 characters at most; "
            "an empty string clears the alias."
        ),
        Cli(positional=True, values=(("--clear", ""),)),
    ]
    pane: PaneOption = None
