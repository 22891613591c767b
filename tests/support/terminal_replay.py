"""A client's copy of the terminals: a snapshot kept up to date by the event stream.

Written from the published rules alone, as a stranger's client would be, so that the server is
tested against what clients may rely on.
"""

from __future__ import annotations

from typing import Any


class Replica:
    """The terminals of one snapshot and what events have changed since."""

    def __init__(self, snapshot: dict[str, Any]) -> None:
        rows = snapshot["terminals"]
        self.generation = snapshot["server_generation"]
        self.fence = int(snapshot["event_sequence"])
        self.rows = {row["terminal_id"]: dict(row) for row in rows}
        self.needs_snapshot = False
        self._last = 0
        if len(self.rows) != len(rows):
            raise ValueError("a terminal is in the snapshot twice")

    def apply(self, frame: dict[str, Any]) -> None:
        """Take one frame of the stream.

        Raises:
            ValueError: Its sequence does not rise.
        """
        sequence = int(frame["sequence"])
        if sequence <= self._last:
            raise ValueError(f"sequence {sequence} after {self._last}")
        self._last = sequence
        if sequence <= self.fence:
            return
        if self.needs_snapshot or frame["event"] == "terminal.resync_required":
            self.needs_snapshot = True
            return
        self._take(frame["event"], frame["data"])

    def _take(self, event: str, data: dict[str, Any]) -> None:
        row = self.rows.get(data["terminal_id"])
        detail = data["detail"]
        known = row is not None and data["server_generation"] == self.generation
        if row is None or not known or data["content_revision"] < row["content_revision"]:
            self.needs_snapshot = True
        elif event == "terminal.output_ready":
            row["content_revision"] = data["content_revision"]
        elif event == "terminal.metadata_changed" and set(detail) == {"label"}:
            row["label"] = detail["label"]
        elif event == "terminal.closed":
            del self.rows[data["terminal_id"]]
        else:
            self.needs_snapshot = True
