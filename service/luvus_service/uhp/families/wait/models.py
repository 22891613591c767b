"""Parameters and result of `wait.output`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from luvus_service.rpc.models import Cli, LenientParams, Result
from luvus_service.uhp.fields import PaneRef

LONGEST_WAIT_S = 3600
MATCH_LENGTH = 4096


class WaitForOutput(LenientParams):
    """Which text to wait for, and where."""

    pane: Annotated[
        PaneRef,
        Field(description="The pane whose output is watched."),
        Cli(positional=True, env="LUVUS_PANE_ID"),
    ]
    match: Annotated[
        str,
        Field(
            min_length=1,
            max_length=MATCH_LENGTH,
            description="The text, taken literally.",
        ),
    ]
    timeout_s: Annotated[
        float,
        Field(ge=0, le=LONGEST_WAIT_S, description="Seconds to wait.", allow_inf_nan=False),
        Cli(option="--timeout"),
    ] = 30


class OutputWait(Result):
    """Whether the text was there."""

    type: Literal["wait"] = "wait"
    matched: bool = Field(description="False when time was over or the pane closed first.")
    pane: str | None = Field(
        default=None,
        description="The pane; present when it matched.",
        exclude_if=lambda v: v is None,
    )
