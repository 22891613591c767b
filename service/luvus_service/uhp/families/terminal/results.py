"""Results of the terminal methods, and the frames of their streams."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from luvus_service.rpc.models import Result
from luvus_service.uhp.engine.limits import TERMINAL
from luvus_service.uhp.families.terminal.fields import Hex, PaneRoute

Generation = Annotated[Hex, Field(description="The server process that answers.")]
TerminalId = Annotated[Hex, Field(description="The terminal, the same as long as it lives.")]
PaneId = Annotated[PaneRoute, Field(description="The pane that shows it.")]
Revision = Annotated[int, Field(ge=0, description="The state of the screen.")]


class TerminalRoot(Result):
    """The first process of a terminal."""

    pid: int = Field(description="Its process id.")
    start_marker: str | None = Field(description="Tells it from a later process of that id.")


class TerminalWorkspace(Result):
    """The workspace of a terminal."""

    index: int = Field(ge=1, description="Its 1-based position.")
    name: str = Field(description="The name people see.")
    root: str = Field(description="The project's folder.")


class TerminalTab(Result):
    """The tab of a terminal."""

    index: int = Field(ge=1, description="Its 1-based position in the workspace.")
    name: str | None = Field(description="The name people gave it, or null.")


class TerminalRow(Result):
    """A live terminal."""

    terminal_id: TerminalId
    pane_id: PaneId
    workspace: TerminalWorkspace = Field(description="Where it is shown.")
    tab: TerminalTab = Field(description="Where it is shown.")
    cwd: str = Field(description="Where its program is.")
    root_process: TerminalRoot = Field(description="The program it was started with.")
    content_revision: Revision
    terminal_title: str | None = Field(description="The title its program set, or null.")
    label: str | None = Field(description="The label, or null.")
    restore: bool = Field(description="Whether the next server's layout has a pane for it.")


class TerminalInventory(Result):
    """The live terminals."""

    type: Literal["terminal_backend_inventory"] = "terminal_backend_inventory"
    server_generation: Generation
    terminals: list[TerminalRow] = Field(max_length=1024, description="In the order of the layout.")
    truncated: bool = Field(description="Whether some are left out.")


class TerminalSnapshot(Result):
    """The live terminals, as of one event."""

    type: Literal["terminal_backend_snapshot"] = "terminal_backend_snapshot"
    server_generation: Generation
    event_sequence: int = Field(ge=0, description="The newest event that is included.")
    terminals: list[TerminalRow] = Field(max_length=1024, description="In the order of the layout.")
    truncated: bool = Field(description="Whether some are left out.")


class TerminalValidation(Result):
    """Whether a terminal is there."""

    type: Literal["terminal_backend_validation"] = "terminal_backend_validation"
    state: Literal["alive", "gone", "unknown"] = Field(
        description="`unknown` while its program is not started yet."
    )


class TerminalProcesses(Result):
    """The programs below a terminal."""

    type: Literal["terminal_backend_processes"] = "terminal_backend_processes"
    server_generation: Generation
    terminal_id: TerminalId
    pane_id: PaneId
    root_process: TerminalRoot = Field(description="The program it was started with.")
    scan: Literal["observed", "unavailable"] = Field(
        description="`unavailable` proves nothing about what runs."
    )
    executables: list[Annotated[str, Field(max_length=512)]] = Field(
        max_length=256, description="Names of programs, each once."
    )
    arguments_exposed: Literal[False] = Field(
        default=False, description="Arguments are never told."
    )


class TerminalCaptured(Result):
    """A terminal's text."""

    type: Literal["terminal_backend_capture"] = "terminal_backend_capture"
    mode: Literal["visible", "recent_unwrapped", "detection"] = Field(description="As asked for.")
    ansi: bool = Field(description="As asked for.")
    text: str = Field(description="Lines joined by line feeds, without blank ends.")
    lines: int = Field(ge=0, le=TERMINAL["capture_lines"], description="Lines of the text.")
    bytes: int = Field(ge=0, le=TERMINAL["capture_bytes"], description="Its size in UTF-8.")
    truncated: bool = Field(description="Whether older lines were left out.")
    content_revision: Revision


class TerminalChange(Result):
    """There is newer output."""

    type: Literal["terminal_backend_change"] = "terminal_backend_change"
    content_revision: Revision


class TerminalOutput(Result):
    """The text is there."""

    type: Literal["terminal_backend_output"] = "terminal_backend_output"
    content_revision: Revision


class TerminalAction(Result):
    """It was accepted, or done."""

    type: Literal["terminal_backend_action"] = "terminal_backend_action"
    state: Literal["succeeded"] = "succeeded"
    dispatch: Literal["queued", "executed"] = Field(
        description="`queued`: accepted for the program in order, perhaps not read yet."
    )


class TerminalUpload(Result):
    """How far an upload is."""

    type: Literal["terminal_backend_upload"] = "terminal_backend_upload"
    state: Literal["succeeded"] = "succeeded"
    dispatch: Literal["executed"] = "executed"
    upload_id: Hex = Field(description="Names the upload in the actions that follow.")
    offset: int = Field(ge=0, description="Where the next piece begins.")
    size: int = Field(ge=1, description="The size that was announced.")


class TerminalPlace(Result):
    """Where a new terminal is shown."""

    kind: Literal["workspace", "sibling"] = Field(description="As asked for.")
    workspace: int = Field(ge=1, description="1-based position.")
    tab: int = Field(ge=1, description="1-based position.")


class TerminalOpened(Result):
    """A new terminal; its program runs."""

    type: Literal["terminal_backend_created"] = "terminal_backend_created"
    state: Literal["succeeded"] = "succeeded"
    dispatch: Literal["executed"] = "executed"
    server_generation: Generation
    terminal_id: TerminalId
    pane_id: PaneId
    restore: bool | None = Field(
        default=None,
        exclude_if=lambda restore: restore is None,
        description="As asked for; left out when it was not.",
    )
    placement: TerminalPlace = Field(description="Where it is shown.")
    cwd: str = Field(description="Where it was started.")
    root_process: TerminalRoot = Field(description="The program it was started with.")


class TerminalSubscription(Result):
    """The connection is a stream of terminal events now."""

    type: Literal["subscription_started"] = "subscription_started"
    sequence: int = Field(ge=0, description="The sequence of the newest event at this moment.")
    queue_capacity: Literal[256] = Field(default=256, description="Events kept for a slow reader.")
    loss_behavior: Literal["resync_required_then_close"] = Field(
        default="resync_required_then_close",
        description="What happens when the queue overflows.",
    )


class TerminalStream(Result):
    """The connection is a stream of frames now."""

    type: Literal["terminal_backend_stream"] = "terminal_backend_stream"
    mode: Literal["observe", "control"] = Field(description="Whether it takes actions.")
    server_generation: Generation
    terminal_id: TerminalId
    pane_id: PaneId
    sequence: int = Field(ge=0, description="The sequence of the newest event at this moment.")
    content_revision: Revision
    ansi: bool = Field(description="As asked for.")
    capture_mode: Literal["visible", "recent_unwrapped"] = Field(description="As asked for.")
    lines: int = Field(ge=1, le=TERMINAL["observe_lines"], description="As asked for.")
    frame_bytes: Literal[65536] = Field(default=65536, description="Largest text of a frame.")
    queue_capacity: Literal[2] = Field(default=2, description="Frames kept for a slow reader.")
    loss_behavior: Literal["resync_required_then_close"] = Field(
        default="resync_required_then_close",
        description="What happens when the queue overflows.",
    )


class TerminalCursor(Result):
    """Where the cursor is in a text."""

    offset: int = Field(ge=0, le=65536, description="Characters before it, escapes not counted.")
    padding_cells: int = Field(
        ge=0, le=65536, description="Blank cells before it that are not part of the text."
    )


class TerminalFrameData(Result):
    """The state of a screen."""

    server_generation: Generation
    terminal_id: TerminalId
    pane_id: PaneId
    content_revision: Revision
    mode: Literal["visible", "recent_unwrapped"] = Field(description="As asked for.")
    ansi: bool = Field(description="As asked for.")
    text: str = Field(max_length=65536, description="Lines joined by line feeds.")
    lines: int = Field(ge=1, le=TERMINAL["observe_lines"], description="Line feeds plus one.")
    bytes: int = Field(ge=0, le=65536, description="The text's size in UTF-8.")
    truncated: bool = Field(description="Whether older lines were left out.")
    cursor: TerminalCursor | None = Field(
        default=None,
        description="Null when hidden or outside the text; absent unless asked for.",
    )


class TerminalFrame(Result):
    """A screen, which replaces the one before."""

    event: Literal["terminal.frame"]
    sequence: int = Field(ge=0, description="The newest event at this moment.")
    data: TerminalFrameData = Field(description="The screen.")


class TerminalOverflow(Result):
    """Why something was missed."""

    reason: Literal["subscriber_overflow"] = Field(description="The reader was too slow.")


class TerminalResync(Result):
    """This reader fell behind: begin anew; the stream closes now."""

    event: Literal["terminal.resync_required"]
    sequence: int = Field(ge=1, description="The newest event at this moment.")
    data: TerminalOverflow = Field(description="Why.")


class TerminalReply(Result):
    """The answer to an action of a control stream; it has a result or an error."""

    id: str = Field(description='The action\'s id, or "0" when it could not be read.')
    result: TerminalAction | TerminalUpload | None = Field(
        default=None, description="What was done."
    )
    error: dict[str, Any] | None = Field(default=None, description="Why nothing was done.")


class TerminalEventFrame(Result):
    """One event of a terminal."""

    event: str = Field(description="The event's name; it begins with `terminal.`.")
    sequence: int = Field(ge=1, description="Its place in the one order of all events.")
    data: dict[str, Any] = Field(description="What the event catalogue says for this name.")
