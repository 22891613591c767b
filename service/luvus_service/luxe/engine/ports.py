"""What a turn needs of the session it belongs to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from luvus_service.luxe.domain.ports import ModelRequest, Provider
from luvus_service.luxe.domain.tool_ports import Tool
from luvus_service.luxe.domain.values import CallUsage, Image
from luvus_service.luxe.engine.conversation import Conversation
from luvus_service.luxe.engine.outbox import Outbox
from luvus_service.luxe.engine.prompts import Prompts
from luvus_service.luxe.engine.state import State
from luvus_service.luxe.engine.workbench import Bench
from luvus_service.luxe.engine.world import Choices, World


class TurnHost(Protocol):
    """The session, as its turn sees it."""

    world: World
    choices: Choices
    state: State
    outbox: Outbox
    prompts: Prompts
    project_changed: Callable[[], None]
    """Shows the project again, soon."""

    @property
    def conversation(self) -> Conversation:
        """The open transcript."""
        ...

    def emit(self, event: object) -> None:
        """Send an event."""
        ...

    def now(self) -> str:
        """Return the time as a timestamp."""
        ...

    def tools(self) -> Sequence[Tool]:
        """Return the tools of the present mode."""
        ...

    def request(self) -> tuple[Provider, ModelRequest]:
        """Return the next call of the selected model.

        Raises:
            ProviderFailure: No model can be called.
        """
        ...

    def bench(self, call_id: str, turn_id: str) -> Bench:
        """Return the workbench of a call."""
        ...

    def put_image(self, image: Image) -> tuple[str, int]:
        """Store a picture; return its SHA-256 and size in bytes."""
        ...

    async def before_model_call(self, turn_id: str) -> None:
        """Make room in the context window when it is needed."""
        ...

    async def after_overflow(self, turn_id: str) -> bool:
        """Make room because the prompt was too long; say whether to try again."""
        ...

    def context_changed(self, reported: CallUsage | None) -> None:
        """Show how full the context window is."""
        ...

    def turn_over(self) -> None:
        """Take note that the turn ends now."""
        ...
