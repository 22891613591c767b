"""What serves an editor needs of the agent: sessions as streams of frames."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol


class SessionFault(Exception):
    """A session cannot be opened; the text is for people."""


class Refusal(Exception):
    """An action was refused; `code` is the code of `action_rejected`."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code


@dataclass(frozen=True, slots=True)
class Asked:
    """The session an editor wants."""

    cwd: str
    add_dirs: Sequence[str] = ()
    resume: str | None = None
    mcp_servers: Sequence[Mapping[str, Any]] = field(default_factory=tuple[Mapping[str, Any], ...])
    """As the editor gave them, by their names in the protocol."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A model that can be selected."""

    provider: str
    model: str
    name: str


@dataclass(frozen=True, slots=True)
class Listed:
    """A stored session."""

    session_id: str
    cwd: str
    title: str | None
    updated_at: str


class AgentSession(Protocol):
    """One live session."""

    @property
    def session_id(self) -> str:
        """Its id."""
        ...

    def choices(self) -> Sequence[Choice]:
        """Return the models that can be selected."""
        ...

    def begin(self) -> None:
        """Let the first frames come."""
        ...

    def lines(self) -> AsyncIterator[bytes]:
        """Yield its frames until it has closed."""
        ...

    async def perform(self, kind: str, content: Any = None) -> None:
        """Do an action and return when it is done.

        Raises:
            Refusal: It was refused.
        """
        ...

    async def close(self) -> None:
        """Close it and return when it has closed."""
        ...


class AgentSessions(Protocol):
    """Where sessions come from."""

    async def open(self, asked: Asked) -> AgentSession:
        """Open one.

        Raises:
            SessionFault: It cannot be opened.
        """
        ...

    async def listed(self, cwd: str | None) -> Sequence[Listed]:
        """Return the stored sessions of a folder, newest first."""
        ...
