"""What a terminal shows, as it is handed around: a captured text, a dump, a live viewer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from luvus_service.uhp.domain.ports import Captured


@dataclass(frozen=True, slots=True)
class Screen:
    """A captured text and the revision it belongs to."""

    captured: Captured
    revision: int


@dataclass(frozen=True, slots=True)
class Dump:
    """Bytes that rebuild a screen when fed to a new one of the same size."""

    data: bytes
    cols: int
    rows: int
    mark: tuple[int, int, int]
    """The terminal's `mark` when it was made."""


class Viewer(Protocol):
    """Shows a terminal live; called on the loop, never waits."""

    def output(self, data: bytes) -> None:
        """Take output that is on the screen now."""
        ...

    def changed(self) -> None:
        """Notice that the terminal has another size, or is closed."""
        ...
