"""Panes whose program failed: which of them people should know of, and what stays of them."""

from __future__ import annotations

from dataclasses import dataclass

from luvus_service.uhp.domain.agents.stores import Usage


@dataclass(frozen=True, slots=True)
class Ending:
    """A pane that is gone because its program failed."""

    pane: int
    agent: str
    """Empty for a plain program."""
    name: str | None
    title: str | None
    workspace_id: str
    workspace_name: str
    cwd: str
    branch: str | None
    exit_code: int | None
    signal: str | None
    at_ms: int
    """Unix milliseconds."""
    text: str
    """Its last lines."""
    usage: Usage | None = None


def failed(exit_code: int | None, signal: str | None, *, agent: bool, command: bool) -> bool:
    """Say whether an end was a failure.

    A plain shell ends with the code of whatever ran in it last, which says nothing of the pane.
    """
    if signal is not None:
        return signal != "SIGHUP"
    return bool(exit_code) and (agent or command)
