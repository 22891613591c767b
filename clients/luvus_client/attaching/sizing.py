"""The wish that a pane has the size of this terminal, as long as somebody looks at it here."""

from __future__ import annotations

from collections.abc import Callable

from luvus_client.attaching.lane import Lane

LEAST = (20, 5)
MOST = (1000, 500)
"""What a server accepts as (columns, rows)."""


class SizeLease:
    """The stream that holds the lease, or waits for it; closing it gives the size back."""

    def __init__(
        self,
        dial: Callable[[str, dict[str, object]], Lane],
        wanted: Callable[[], tuple[int, int]],
    ) -> None:
        """`wanted` returns the terminal's (columns, rows)."""
        self._dial = dial
        self._wanted = wanted
        self._wish = (0, 0)
        self._yours: bool | None = None
        self.lane: Lane | None = None

    @property
    def coming(self) -> bool:
        """Whether the pane is about to get the terminal's size, or may be."""
        if self.lane is None or self._wish != self._wanted():
            return False
        return self._yours is not False

    def begin(self, pane: str) -> None:
        """Ask for the lease, ahead of whoever has it: the person has just come.

        Raises:
            ConnectionFailure: The server is gone.
        """
        self.close()
        cols, rows = self._wish = _allowed(*self._wanted())
        self.lane = self._dial(
            "view.size", {"pane": pane, "cols": cols, "rows": rows, "take": True}
        )

    def follow(self) -> None:
        """Wish for the size that the terminal has now."""
        wish = _allowed(*self._wanted())
        if self.lane is not None and wish != self._wish:
            self._wish = wish
            self.lane.send({"action": "size", "cols": wish[0], "rows": wish[1]})

    def take(self) -> None:
        """Take the lease when somebody else has it: this person is the one who types."""
        if self.lane is not None and self._yours is False:
            self._yours = None
            self.lane.send({"action": "take"})

    def receive(self) -> None:
        """Read what the server says; raises like `Lane.receive`."""
        if self.lane is None:
            return
        for frame in self.lane.receive():
            if frame["event"] == "view.size":
                self._yours = bool(frame["data"]["yours"])

    def close(self) -> None:
        """Give the lease up."""
        self._yours = None
        if self.lane is not None:
            self.lane.close()
            self.lane = None


def _allowed(cols: int, rows: int) -> tuple[int, int]:
    return (
        min(max(cols, LEAST[0]), MOST[0]),
        min(max(rows, LEAST[1]), MOST[1]),
    )
