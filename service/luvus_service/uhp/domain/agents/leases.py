"""Leases by which an integration reports an agent's state: one owner, rising sequences, an end."""

from __future__ import annotations

import re
from dataclasses import dataclass

from luvus_service.uhp.domain.agents.errors import AuthorityConflict, StaleReport
from luvus_service.uhp.domain.agents.states import State
from luvus_service.uhp.domain.errors import InvalidRequest, NotFound, shown

SOURCE = r"[A-Za-z][A-Za-z0-9_.:/-]{0,63}"
MESSAGE_CHARS = 4096
SESSION_CHARS = 512
LONGEST_TTL_S = 86_400
DEFAULT_TTL_S = 3600
_SOURCE = re.compile(SOURCE)


@dataclass(frozen=True, slots=True)
class Lease:
    """What an integration says of a pane, and until when it counts."""

    source: str
    agent: str
    state: State
    sequence: int
    ttl_s: int
    expires_at: float
    message: str | None = None

    def live(self, now: float) -> bool:
        """Tell whether the lease still counts."""
        return now < self.expires_at


@dataclass(frozen=True, slots=True)
class Report:
    """One report as it came; a missing sequence is the next one."""

    source: str
    agent: str
    state: State
    message: str | None = None
    sequence: int | None = None
    ttl_s: int = DEFAULT_TTL_S


def report(current: Lease | None, said: Report, now: float) -> Lease:
    """Return the lease after a report.

    Raises:
        InvalidRequest: The source is malformed.
        AuthorityConflict: Another source holds a live lease.
        StaleReport: The sequence is not above the one before.
    """
    check_source(said.source)
    held = current if current is not None and current.live(now) else None
    if held is not None and held.source != said.source:
        raise AuthorityConflict(
            f"{held.source} reports for this pane until its lease ends or it calls agent.release"
        )
    before = 0 if held is None else held.sequence
    sequence = before + 1 if said.sequence is None else said.sequence
    if held is not None and sequence <= before:
        raise StaleReport(f"sequence {sequence} is not above {before}, which was reported already")
    return Lease(
        source=said.source,
        agent=said.agent,
        state=said.state,
        sequence=sequence,
        ttl_s=said.ttl_s,
        expires_at=now + said.ttl_s,
        message=said.message,
    )


def release(current: Lease | None, source: str, now: float) -> Lease:
    """Return the lease that ends.

    Raises:
        InvalidRequest: The source is malformed.
        NotFound: Nothing is reported for the pane.
        AuthorityConflict: Another source holds the lease.
    """
    check_source(source)
    if current is None or not current.live(now):
        raise NotFound("no integration reports for this pane")
    if current.source != source:
        raise AuthorityConflict(f"{current.source} reports for this pane, not {shown(source)}")
    return current


def check_source(source: str) -> None:
    """Refuse what is no name of a source.

    Raises:
        InvalidRequest: It is none.
    """
    if not _SOURCE.fullmatch(source):
        raise InvalidRequest(
            "source has 1 to 64 ASCII characters, a letter first, then letters, digits and _.:/-"
            f", not {shown(source)}"
        )
