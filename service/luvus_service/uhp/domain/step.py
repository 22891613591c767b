"""What an operation returns before it is made real: the next session and the facts of the way."""

from __future__ import annotations

from dataclasses import dataclass

from luvus_service.uhp.domain.changes import Change
from luvus_service.uhp.domain.structure import PaneRecord, Session


@dataclass(frozen=True, slots=True)
class Step:
    """The session after an operation, and what the operation was about.

    Changes of focus and zoom are not listed: `Topology` finds them by comparing.
    """

    session: Session
    changes: tuple[Change, ...] = ()
    pane: int | None = None
    workspace_id: str | None = None
    tab_id: str | None = None
    unused: tuple[PaneRecord, ...] = ()
    """Panes that were handed over and found no place: their terminals must be ended."""
