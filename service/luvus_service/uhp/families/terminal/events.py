"""Events of terminals."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from luvus_service.rpc.declare import event
from luvus_service.rpc.models import EventData

Hex = Annotated[str, Field(pattern="^[0-9a-f]{32}$")]


class TerminalEvent(EventData):
    """Which terminal, and where it is shown."""

    server_generation: Hex = Field(description="The server process that publishes.")
    terminal_id: Hex = Field(description="The terminal, the same as long as it lives.")
    pane_id: str = Field(pattern="^[1-9][0-9]{0,9}$", description="The pane that shows it.")
    content_revision: int = Field(ge=0, description="The state of its screen.")
    workspace: int | None = Field(ge=1, description="1-based position, or null.")
    tab: int | None = Field(ge=1, description="1-based position, or null.")


@event("terminal.created")
class TerminalCreated(TerminalEvent):
    """A terminal is there and its program runs."""

    detail: dict[str, Any] = Field(description="Empty.")


@event("terminal.moved")
class TerminalMoved(TerminalEvent):
    """A terminal is shown somewhere else; its program noticed nothing."""

    detail: dict[str, Any] = Field(description="Empty.")


@event("terminal.metadata_changed")
class TerminalMetadataChanged(TerminalEvent):
    """A terminal has another label."""

    detail: dict[str, Any] = Field(description="`label`: the new one, or null.")


@event("terminal.output_ready")
class TerminalOutputReady(TerminalEvent):
    """A terminal's screen changed; several changes can share one event."""

    detail: dict[str, Any] = Field(description="Empty.")


class ExitDetail(EventData):
    """How a program ended; both null when that is not known."""

    exit_code: int | None = Field(ge=0, description="The exit code, or null.")
    signal: str | None = Field(description="The signal that ended it, such as SIGKILL, or null.")


class ClosedDetail(EventData):
    """Why a terminal is gone."""

    reason: Literal["exited", "closed"] = Field(description="By itself, or because of a request.")
    exit_code: int | None = Field(default=None, ge=0, description="As in `terminal.exited`.")
    signal: str | None = Field(default=None, description="As in `terminal.exited`.")


@event("terminal.exited")
class TerminalExited(TerminalEvent):
    """A terminal's program ended by itself; its last output is on the screen."""

    detail: ExitDetail = Field(description="How it ended.")


@event("terminal.closed")
class TerminalClosed(TerminalEvent):
    """A terminal is gone."""

    detail: ClosedDetail = Field(description="Why.")


EVENTS = (
    TerminalCreated,
    TerminalMoved,
    TerminalMetadataChanged,
    TerminalOutputReady,
    TerminalExited,
    TerminalClosed,
)
