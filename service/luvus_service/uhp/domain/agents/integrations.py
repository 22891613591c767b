"""The port to the hooks that agents run for us: found, installed, removed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class IntegrationFailed(Exception):
    """An agent's files could not be changed; the text says why, for people."""


class Integrations(Protocol):
    """The hook files of agents; every method blocks."""

    def status(self) -> Sequence[tuple[str, bool]]:
        """Return each agent that can be integrated, and whether it is."""
        ...

    def install(self, agent: str) -> None:
        """Write an agent's hook files; a second time changes nothing.

        Raises:
            IntegrationFailed: They cannot be written; nothing is half done.
            KeyError: There is no integration for this agent.
        """
        ...

    def uninstall(self, agent: str) -> None:
        """Remove our own entries from an agent's files, and nothing else.

        Raises:
            IntegrationFailed: They cannot be changed.
            KeyError: There is no integration for this agent.
        """
        ...


class NoIntegrations:
    """Stands in where no agent can be integrated."""

    def status(self) -> Sequence[tuple[str, bool]]:
        """Return nothing."""
        return ()

    def install(self, agent: str) -> None:
        """Refuse."""
        raise KeyError(agent)

    def uninstall(self, agent: str) -> None:
        """Refuse."""
        raise KeyError(agent)
