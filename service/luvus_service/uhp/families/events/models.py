"""Parameters and results of the event stream."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from luvus_service.rpc.models import Cli, Params, Result

WHERE_KEYS = 16
WHERE_KEY_LENGTH = 64
WHERE_TEXT_LENGTH = 1024
LONGEST_WAIT_S = 3600

WhereKey = Annotated[str, Field(min_length=1, max_length=WHERE_KEY_LENGTH)]
WhereValue = None | bool | int | float | Annotated[str, Field(max_length=WHERE_TEXT_LENGTH)]


class Subscribe(Params):
    """Where to begin."""

    after_sequence: Annotated[
        int | None,
        Field(
            ge=0,
            description="Replay the retained events after this sequence first; "
            "only new events when left out.",
        ),
    ] = None


class SubscriptionStarted(Result):
    """The connection is a stream of events now."""

    type: Literal["subscription_started"] = "subscription_started"
    sequence: int = Field(description="The sequence of the newest event at this moment.")
    replayed: int = Field(description="How many retained events follow first.")
    queue_capacity: Literal[256] = Field(default=256, description="Events kept for a slow reader.")
    loss_behavior: Literal["resync_required_then_close"] = Field(
        default="resync_required_then_close",
        description="What happens when the queue overflows.",
    )


class EventFrame(Result):
    """One event."""

    event: str = Field(description="The event's name.")
    sequence: int = Field(description="Its place in the one order of all events.")
    data: dict[str, Any] = Field(description="What the event catalogue says for this name.")


class WaitForEvent(Params):
    """Which event to wait for."""

    event: Annotated[
        str,
        Field(min_length=1, max_length=128, description="The exact name."),
        Cli(positional=True),
    ]
    where: Annotated[
        dict[WhereKey, WhereValue] | None,
        Field(
            max_length=WHERE_KEYS,
            description="Fields of the event's data that must be equal, as JSON.",
        ),
    ] = None
    timeout_s: Annotated[
        float,
        Field(ge=0, le=LONGEST_WAIT_S, description="Seconds to wait.", allow_inf_nan=False),
        Cli(option="--timeout"),
    ] = 30
    after_sequence: Annotated[
        int | None,
        Field(ge=0, description="Also take a retained event after this sequence."),
    ] = None


class EventWait(Result):
    """Whether the event came."""

    type: Literal["event_wait"] = "event_wait"
    matched: bool = Field(description="False when the time was over first.")
    sequence: int = Field(description="The sequence when the wait was registered.")
    event: EventFrame | None = Field(description="The whole event, or null.")
