"""Remembers the panes whose program failed, because the panes themselves are gone by then."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from luvus_service.uhp.domain.agents.endings import Ending, failed
from luvus_service.uhp.domain.agents.stores import Usage
from luvus_service.uhp.engine.checkouts import branch_of
from luvus_service.uhp.engine.session import Session

KEPT = 32
"""Failed panes that are remembered; the oldest goes when another comes."""
LINES = 40
"""Rows of the last screen that are kept of each."""
TEXT_CHARS = 4_096
"""Characters kept of them, from the end."""


class Endings:
    """The newest failures of this server process, oldest first."""

    def __init__(self, session: Session, usage_of: Callable[[int], Usage | None]) -> None:
        self._session = session
        self._usage_of = usage_of
        self._kept: deque[Ending] = deque(maxlen=KEPT)
        self.on_failed: Callable[[], None] = lambda: None

    def list(self) -> tuple[Ending, ...]:
        """Return what is kept, oldest first."""
        return tuple(self._kept)

    def heard(self, data: Mapping[str, Any]) -> None:
        """Take a `terminal.exited`, which is published while its pane is still there."""
        session = self._session
        pane = int(data["pane_id"])
        record = session.structure.panes.get(pane)
        facts = session.agents.facts(pane)
        code, signal = data["detail"]["exit_code"], data["detail"]["signal"]
        command = record is not None and record.command is not None
        if record is None or not failed(code, signal, agent=facts.is_agent, command=command):
            return
        terminal = session.terminals.get(record.terminal_id or "")
        glanced = None if terminal is None else terminal.glance(LINES)
        workspace = session.structure.locate(pane).workspace
        self._kept.append(
            Ending(
                pane=pane,
                agent=facts.agent,
                name=record.name or record.label,
                title=None if terminal is None else terminal.title,
                workspace_id=workspace.workspace_id,
                workspace_name=workspace.name,
                cwd=session.cwd_of(record),
                branch=branch_of(session, workspace),
                exit_code=code,
                signal=signal,
                at_ms=int(session.world.clock.time() * 1000),
                text=("" if glanced is None else glanced[1]).rstrip()[-TEXT_CHARS:],
                usage=self._usage_of(pane),
            )
        )
        self.on_failed()
