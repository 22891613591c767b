"""Parameters, acknowledgements and frames of live views."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from luvus_service.rpc.models import Cli, Params, Result
from luvus_service.uhp.fields import PaneArgument, PaneId, PaneRef

SCROLLBACK_BYTES = 4_000_000
TEXT_BYTES = 262_144
BASE64_LENGTH = 4 * ((TEXT_BYTES + 2) // 3)
COLS = 1000
ROWS = 500

Cols = Annotated[int, Field(ge=20, le=COLS, description="Columns of a whole tab, or of the pane.")]
Rows = Annotated[int, Field(ge=5, le=ROWS, description="Rows of a whole tab, or of the pane.")]


class ViewPane(Params):
    """Which pane, and how much of its past."""

    pane: PaneArgument = None
    scrollback_bytes: int = Field(
        default=262_144,
        ge=0,
        le=SCROLLBACK_BYTES,
        description="How much of the snapshot may be scrollback.",
    )
    acknowledges: Annotated[
        bool,
        Field(
            description="The viewer says what it has read with `ack` lines; until then no more "
            "than 256 KiB are sent to it."
        ),
        Cli(hidden=True),
    ] = False


class ViewStarted(Result):
    """The connection shows a terminal now."""

    type: Literal["view_started"] = "view_started"
    pane: PaneId
    terminal_id: str = Field(description="The terminal, the same as long as it lives.")
    writable: bool = Field(description="Whether lines that type are accepted.")


class SnapshotData(Result):
    """A terminal as it is."""

    text: str = Field(description="Feed it to an empty terminal of this size.")
    end: int = Field(description="The offset after this frame, for `ack`.")
    cols: int = Field(description="Columns of the terminal.")
    rows: int = Field(description="Rows of the terminal.")


class SnapshotFrame(Result):
    """Reset the terminal, give it this size, then feed it the text."""

    event: Literal["view.snapshot"] = "view.snapshot"
    data: SnapshotData


class OutputData(Result):
    """What came since."""

    text: str = Field(description="Output, escape sequences included; may end inside of one.")
    end: int = Field(description="The offset after this frame, for `ack`.")


class OutputFrame(Result):
    """Feed this to the terminal."""

    event: Literal["view.output"] = "view.output"
    data: OutputData


class ClosedData(Result):
    """How the program ended, when it ended by itself."""

    exit_code: int | None = Field(
        default=None,
        description="Its exit code; absent when a signal or the closing of the pane ended it.",
        exclude_if=lambda v: v is None,
    )
    signal: str | None = Field(
        default=None,
        description="The name of the signal that ended it, if one did.",
        exclude_if=lambda v: v is None,
    )


class ClosedFrame(Result):
    """The terminal is gone; the stream ends."""

    event: Literal["view.closed"] = "view.closed"
    data: ClosedData


class RefusedData(Result):
    """Why a line was not obeyed."""

    code: str = Field(description="As in every error object.")
    message: str = Field(description="What was wrong and what to do.")


class RefusedFrame(Result):
    """A line of the client was refused; the stream goes on."""

    event: Literal["view.refused"] = "view.refused"
    data: RefusedData


class ViewSize(Params):
    """The size of the window, and what is to have it."""

    pane: PaneRef | None = Field(
        default=None, description="The pane whose size it is; all tabs when left out."
    )
    cols: Cols
    rows: Rows
    take: bool = Field(
        default=False, description="Take the lease from the viewer that has it, if one has."
    )


class SizeStarted(Result):
    """The connection waits for the lease, or has it."""

    type: Literal["size_started"] = "size_started"


class SizeData(Result):
    """The size in force."""

    cols: int = Field(description="Columns of a whole tab, or of the pane.")
    rows: int = Field(description="Rows of a whole tab, or of the pane.")
    yours: bool = Field(description="Whether this viewer holds the lease.")


class SizeFrame(Result):
    """The size or its holder has changed; sent first of all too."""

    event: Literal["view.size"] = "view.size"
    data: SizeData


class TypeLine(Params):
    """Send text to the program as if typed."""

    action: Literal["type"]
    text: str = Field(min_length=1, max_length=TEXT_BYTES)


class BytesLine(Params):
    """Send bytes to the program as if typed, whatever they are."""

    action: Literal["type_bytes"]
    base64: str = Field(min_length=4, max_length=BASE64_LENGTH)


class PasteLine(Params):
    """Paste text as the program asked to get one."""

    action: Literal["paste"]
    text: str = Field(min_length=1, max_length=TEXT_BYTES)


class AckLine(Params):
    """Everything up to `end` was read."""

    action: Literal["ack"]
    end: int = Field(ge=0)


class RefreshLine(Params):
    """Send a new snapshot."""

    action: Literal["refresh"]


class SizeLine(Params):
    """The window has another size now."""

    action: Literal["size"]
    cols: Cols
    rows: Rows


class TakeLine(Params):
    """Take the lease over."""

    action: Literal["take"]
