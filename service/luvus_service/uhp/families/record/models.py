"""Parameters and results of the recording methods."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from luvus_service.rpc.models import Cli, Params, Result
from luvus_service.uhp.engine.recording import EndReason
from luvus_service.uhp.fields import PaneArgument, PaneId

Path = Annotated[str, Field(description="The absolute path of the file.")]


class RecordStart(Params):
    """What to record, and where to."""

    pane: PaneArgument = None
    path: Annotated[
        str,
        Field(
            min_length=1,
            max_length=4096,
            description="A new file; one that is not absolute is taken from the pane's folder, "
            "`~` is your home.",
        ),
        Cli(positional=True),
    ]
    force: Annotated[
        bool, Field(description="Whether to replace a file that is there already.")
    ] = False
    idle_limit: Annotated[
        float | None,
        Field(
            gt=0,
            le=3600,
            allow_inf_nan=False,
            description="The longest pause, in seconds, that players are to keep.",
        ),
    ] = None
    title: Annotated[
        str | None, Field(max_length=256, description="A title for the recording.")
    ] = None


class RecordTarget(Params):
    """Which pane's recording."""

    pane: PaneArgument = None


class RecordStarted(Result):
    """A recording goes on."""

    type: Literal["record_started"] = "record_started"
    pane: PaneId
    path: Path


class RecordStopped(Result):
    """A recording has ended; the file is complete."""

    type: Literal["record_stopped"] = "record_stopped"
    pane: PaneId
    path: Path
    seconds: float = Field(description="How long it lasted.")
    bytes: int = Field(description="The size of the file.")
    reason: EndReason = Field(
        description="`stopped`, or what ended it before: `slow_disk`, `write_failed`, ..."
    )


class RecordRow(Result):
    """A recording that goes on."""

    pane: PaneId
    path: Path
    seconds: float = Field(description="How long it has been going on.")
    bytes: int = Field(description="What has been written so far.")


class RecordList(Result):
    """The recordings that go on."""

    type: Literal["record_list"] = "record_list"
    recordings: list[RecordRow] = Field(description="In the order of the panes' ids.")
