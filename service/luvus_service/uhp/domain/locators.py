"""Which terminal a request means: an identity of three parts, and what can be wrong with it.

A route (the pane) is checked and never followed: what was meant for one terminal reaches no other.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from luvus_service.uhp.domain.ports import RootProcess


@dataclass(frozen=True, slots=True)
class Locator:
    """A terminal as a client remembers it."""

    server_generation: str
    terminal_id: str
    pane: int
    expected_root: RootProcess | None = None
    """What its first process must be; a marker of None is not compared."""


@dataclass(frozen=True, slots=True)
class Found:
    """What the server knows of the terminal of that id."""

    pane: int
    root: RootProcess | None
    """None while its program is not started."""


class Verdict(StrEnum):
    """What a locator points at."""

    LIVE = "live"
    OTHER_SERVER = "other_server"
    GONE = "gone"
    OTHER_PANE = "other_pane"
    NOT_READY = "not_ready"
    OTHER_PROCESS = "other_process"


def judge(locator: Locator, generation: str, found: Found | None) -> Verdict:
    """Compare a locator with the terminal of its id, which is None when there is none.

    The order matters: an id means nothing to another server, a pane nothing to a dead terminal.
    """
    if locator.server_generation != generation:
        return Verdict.OTHER_SERVER
    if found is None:
        return Verdict.GONE
    if found.pane != locator.pane:
        return Verdict.OTHER_PANE
    if found.root is None:
        return Verdict.NOT_READY
    if not _is_expected(locator.expected_root, found.root):
        return Verdict.OTHER_PROCESS
    return Verdict.LIVE


def _is_expected(expected: RootProcess | None, root: RootProcess) -> bool:
    if expected is None:
        return True
    if expected.pid != root.pid:
        return False
    # A marker that we cannot tell is not the expected one: unknown never confirms an identity.
    return expected.start_marker is None or expected.start_marker == root.start_marker
