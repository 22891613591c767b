"""Tells the event stream what happens to terminals, and where they are when it happens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from luvus_service.uhp.domain.changes import PaneClosed, PaneCreated, PaneMoved
from luvus_service.uhp.domain.ports import ExitStatus
from luvus_service.uhp.domain.structure import PaneRecord
from luvus_service.uhp.domain.structure import Session as Structure
from luvus_service.uhp.domain.topology import Outcome
from luvus_service.uhp.engine.events import EventBus
from luvus_service.uhp.engine.notifications import Notifications
from luvus_service.uhp.engine.signals import Signals
from luvus_service.uhp.engine.terminal import Terminal


class Places:
    """Where each pane is, in positions counted from 1, as of the last change."""

    def __init__(self) -> None:
        self._of_pane: dict[int, tuple[int, int]] = {}
        self._of_terminal: dict[str, int] = {}
        self._before: dict[int, tuple[int, int]] = {}

    def update(self, structure: Structure) -> None:
        """Take the structure after a change."""
        self._before = self._of_pane
        self._of_pane = {
            pane: (w, t)
            for w, workspace in enumerate(structure.workspaces, 1)
            for t, tab in enumerate(workspace.tabs, 1)
            for pane in tab.panes
        }
        self._of_terminal = {
            record.terminal_id: pane
            for pane, record in structure.panes.items()
            if record.terminal_id is not None
        }

    def pane_of(self, terminal_id: str) -> int | None:
        """Return the pane that shows a terminal, or None when none does."""
        return self._of_terminal.get(terminal_id)

    def of(self, pane: int) -> tuple[int | None, int | None]:
        """Return a pane's (workspace, tab), or where it was before the last change."""
        return self._of_pane.get(pane) or self._before.get(pane) or (None, None)


class TerminalEvents:
    """Publishes what changed: the events of panes and tabs, and those of their terminals."""

    def __init__(
        self, bus: EventBus, generation: str, places: Places, notifications: Notifications
    ) -> None:
        self._bus = bus
        self._notifications = notifications
        self._generation = generation
        self._places = places
        self._exits: dict[str, dict[str, Any]] = {}

    def publish(self, outcome: Outcome, terminals: Mapping[str, Terminal]) -> None:
        """Publish an outcome's changes in order."""
        ended = {record.pane: record for record in outcome.ended}
        for change in outcome.changes:
            if change.event is not None:
                self._bus.publish(change.event, change.data())
            if isinstance(change, PaneCreated) and change.terminal_id is not None:
                self._tell("created", change.terminal_id, change.pane, 0, {})
            elif isinstance(change, PaneMoved):
                self._moved(change.pane, terminals)
            elif isinstance(change, PaneClosed):
                self._closed(ended.get(change.pane), terminals)

    def output(self, terminal: Terminal) -> None:
        """Publish that a terminal's screen changed."""
        pane = self._places.pane_of(terminal.id)
        if pane is not None:
            self._tell("output_ready", terminal.id, pane, terminal.revision, {})

    def signalled(self, terminal: Terminal, signals: Signals) -> None:
        """Publish bells, notifications and the new title of a terminal's program."""
        pane = self._places.pane_of(terminal.id)
        if pane is None:
            return
        if signals.retitled:
            data = {"pane": str(pane), "title": terminal.title}
            self._bus.publish("pane.title_changed", data)
        if signals.bells:
            self._bus.publish("pane.bell", {"pane": str(pane), "count": signals.bells})
        for number, (title, body) in enumerate(signals.notifications, 1):
            self._notifications.push(
                title,
                body,
                pane=pane,
                terminal_id=terminal.id,
                source="program",
                dropped=signals.dropped if number == len(signals.notifications) else 0,
            )

    def labelled(self, terminal: Terminal, label: str | None) -> None:
        """Publish that a terminal's label changed."""
        pane = self._places.pane_of(terminal.id)
        if pane is not None:
            detail = {"label": label}
            self._tell("metadata_changed", terminal.id, pane, terminal.revision, detail)

    def exited(self, terminal: Terminal, status: ExitStatus) -> None:
        """Publish that a terminal's program ended by itself; its closing will say so too."""
        detail = {"exit_code": status.code, "signal": status.signal}
        self._exits[terminal.id] = detail
        pane = self._places.pane_of(terminal.id)
        if pane is not None:
            self._tell("exited", terminal.id, pane, terminal.revision, detail)

    def _closed(self, record: PaneRecord | None, terminals: Mapping[str, Terminal]) -> None:
        if record is None or record.terminal_id is None:
            return
        status = self._exits.pop(record.terminal_id, None)
        detail = {"reason": "closed"} if status is None else {"reason": "exited", **status}
        terminal = terminals.get(record.terminal_id)
        revision = 0 if terminal is None else terminal.revision
        self._tell("closed", record.terminal_id, record.pane, revision, detail)

    def _moved(self, pane: int, terminals: Mapping[str, Terminal]) -> None:
        for terminal in terminals.values():
            if self._places.pane_of(terminal.id) == pane:
                self._tell("moved", terminal.id, pane, terminal.revision, {})

    def _tell(
        self,
        what: str,
        terminal_id: str,
        pane: int,
        revision: int,
        detail: dict[str, Any],
    ) -> None:
        workspace, tab = self._places.of(pane)
        data = {
            "server_generation": self._generation,
            "terminal_id": terminal_id,
            "pane_id": str(pane),
            "content_revision": revision,
            "workspace": workspace,
            "tab": tab,
            "detail": detail,
        }
        self._bus.publish(f"terminal.{what}", data)
