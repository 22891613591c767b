"""Joins a terminal to a pane until the person leaves, the pane closes or the server stays away.

One loop over the terminal, the pane's view, the lease on its size and signals; it never waits for
one of them alone. Where the pane has the terminal's size its output passes through; where somebody
else decides the size, captured screens are drawn instead.
"""

from __future__ import annotations

import base64
import select
import signal
from collections.abc import Callable
from time import monotonic
from typing import Any, Protocol

from luvus_client.attaching.ending import End, closed
from luvus_client.attaching.frames import drawn
from luvus_client.attaching.keys import KeyFilter
from luvus_client.attaching.lane import Lane
from luvus_client.attaching.outer import Outer
from luvus_client.attaching.picture import CLEAR, ENTER, RESET, Picture, key_modes
from luvus_client.attaching.sizing import SizeLease
from luvus_client.errors import ConnectionFailure, ConnectionLost, LuvusError

ANSWER_S = 10.0
"""How long the first answer may take."""
RECONNECT_S = 15.0
"""How long a server that went away is looked for; one that crashed is back within a second."""
RETRY_S = 0.1
TYPED_BYTES = 65_536
"""Keys in one line to the server."""
_AGAIN = frozenset({"server_busy", "unavailable", "busy"})
_GONE = frozenset({"not_found", "no_session"})


class Server(Protocol):
    """How streams are opened."""

    def dial(self, method: str, params: dict[str, object]) -> Lane:
        """Open a stream; its answer has not arrived yet."""
        ...

    def generation(self) -> str:
        """Return what tells this server process from others."""
        ...


class Attachment:
    """One terminal joined to one pane; `run` it once."""

    def __init__(
        self,
        server: Server,
        outer: Outer,
        keys: KeyFilter,
        pane: str | None,
        *,
        read_only: bool,
        resize: bool,
    ) -> None:
        """`pane` is None for the focused one. Read-only never resizes, whatever `resize` says."""
        self._server = server
        self._outer = outer
        self._keys = keys
        self.pane = pane
        self._read_only = read_only
        self._picture = Picture(reports=not read_only)
        self._lease = SizeLease(server.dial, outer.size) if resize and not read_only else None
        self._view: Lane | None = None
        self._observed: Lane | None = None
        self._drawing: dict[str, Any] | None = None
        self._early: list[dict[str, Any]] = []
        self._terminal_id = ""
        self._size: tuple[int, int] | None = None
        self._through = False
        """Whether output passes through to the terminal."""
        self._ack: int | None = None
        self._typed_at = 0.0
        self._gone_since: float | None = None
        self._retry_at = 0.0

    # -- beginning and end -----------------------------------------------------------------------

    def open(self, check: Callable[[str], None]) -> None:
        """Reach the pane, before the terminal is touched; `check` may refuse the one it is.

        Raises:
            LuvusError: There is no such pane, or it may not be seen.
            ConnectionFailure: No server answers.
        """
        self._view = lane = self._dial_view()
        deadline = monotonic() + ANSWER_S
        while lane.answer is None:
            wait = deadline - monotonic()
            writing = [lane] if lane.sending else []
            if wait <= 0 or not any(select.select([lane], writing, [], wait)):
                raise ConnectionLost("the server does not answer", possibly_executed=False)
            lane.flush()
            self._early += self._heard(lane)
        check(str(self.pane))

    def run(self) -> End:
        """Show the pane until the end, and give the terminal back in every case."""
        try:
            self._outer.enter(ENTER)
            self._begun()
            # What came with the answer must not be written before the terminal's other screen is.
            end = self._take_frames(self._early)
            while end is None:
                end = self._turn()
            return end
        finally:
            self._drop_lanes()
            self._outer.leave(self._picture.leaving())

    # -- one turn of the loop --------------------------------------------------------------------

    def _turn(self) -> End | None:
        lanes = self._lanes()
        readers: list[Any] = [self._outer.fd, self._outer.signal_fd, *lanes]
        writers: list[Any] = [lane for lane in lanes if lane.sending]
        if self._outer.pending:
            writers.append(self._outer.fd)
        readable, writable, _ = select.select(readers, writers, [], self._patience())
        if self._outer.signal_fd in readable and (end := self._signalled()):
            return end
        if self._outer.fd in readable and (end := self._typed()):
            return end
        self._settle_keys()
        for lane in lanes:
            if lane in writable:
                lane.flush()
            if lane in readable and lane in self._lanes() and (end := self._received(lane)):
                return end
        if self._gone_since is not None and (end := self._retry()):
            return end
        self._write()
        return None

    def _lanes(self) -> list[Lane]:
        lease = self._lease.lane if self._lease else None
        return [lane for lane in (self._view, lease, self._observed) if lane is not None]

    def _patience(self) -> float | None:
        waits: list[float] = []
        now = monotonic()
        if self._keys.patience_s is not None:
            waits.append(self._typed_at + self._keys.patience_s - now)
        if self._gone_since is not None:
            waits.append(self._retry_at - now)
        return max(0.0, min(waits)) if waits else None

    def _write(self) -> None:
        if self._drawing is not None and not self._outer.pending and not self._through:
            data, self._drawing = self._drawing, None
            self._outer.show(drawn(data["text"], data.get("cursor"), *self._outer.size()))
        self._outer.flush()
        if self._ack is not None and not self._outer.pending and self._view is not None:
            self._view.send({"action": "ack", "end": self._ack})
            self._ack = None

    # -- the person ------------------------------------------------------------------------------

    def _signalled(self) -> End | None:
        for number in self._outer.signals():
            if number == signal.SIGWINCH:
                self._resized()
            elif number == signal.SIGCONT:
                self._outer.raw()
                self._refresh()
            else:
                return End(f"{signal.Signals(number).name}: left pane {self.pane}", 128 + number)
        return None

    def _typed(self) -> End | None:
        data = self._outer.read()
        if data is None:
            return End("the terminal is gone", 128 + signal.SIGHUP)
        self._typed_at = monotonic()
        typed = self._keys.feed(data)
        self._send_keys(typed.keys)
        return End(f"detached from pane {self.pane}", 0) if typed.detach else None

    def _settle_keys(self) -> None:
        patience = self._keys.patience_s
        if patience is not None and monotonic() >= self._typed_at + patience:
            self._send_keys(self._keys.give_up())

    def _send_keys(self, keys: bytes) -> None:
        if not keys or self._read_only or self._view is None:
            return
        if self._lease is not None:
            self._lease.take()
        for start in range(0, len(keys), TYPED_BYTES):
            piece = base64.b64encode(keys[start : start + TYPED_BYTES]).decode()
            if not self._view.send({"action": "type_bytes", "base64": piece}):
                self._outer.show("\a")
                return

    def _resized(self) -> None:
        if self._lease is not None:
            self._lease.follow()
        self._fit()

    # -- the server ------------------------------------------------------------------------------

    def _received(self, lane: Lane) -> End | None:
        try:
            if lane is self._view:
                return self._take_view(lane)
            if self._lease is not None and lane is self._lease.lane:
                self._lease.receive()
                self._fit()
            elif lane is self._observed:
                self._take_observed(lane)
        except LuvusError as error:
            return self._refused(lane, error)
        except ConnectionFailure:
            self._lost(lane)
        return None

    def _take_view(self, lane: Lane) -> End | None:
        return self._take_frames(self._heard(lane))

    def _heard(self, lane: Lane) -> list[dict[str, Any]]:
        answered = lane.answer is not None
        frames = lane.receive()
        if lane.answer is not None and not answered:
            self.pane = str(lane.answer["pane"])
            self._terminal_id = str(lane.answer["terminal_id"])
            self._read_only = self._read_only or not lane.answer["writable"]
            if self._gone_since is not None:
                self._gone_since = None
                self._begun()
        return frames

    def _take_frames(self, frames: list[dict[str, Any]]) -> End | None:
        for frame in frames:
            event, data = frame["event"], frame["data"]
            if event == "view.closed":
                return closed(self.pane, data)
            if event == "view.refused":
                self._outer.show("\a")
                continue
            if event == "view.snapshot":
                self._size = int(data["cols"]), int(data["rows"])
                self._snapshot(data["text"])
            elif self._through and not self._picture.outdated:
                self._outer.show(self._picture.more(data["text"]))
                if self._picture.outdated:
                    self._refresh()
            elif not self._through:
                self._outer.show(key_modes(data["text"]))
            self._ack = int(data["end"])
        return None

    def _begun(self) -> None:
        if self._lease is not None and not self._read_only:
            self._lease.begin(str(self.pane))

    def _snapshot(self, text: str) -> None:
        self._through = self._size == self._outer.size()
        if self._through:
            self._end_frames()
            self._outer.show(self._picture.anew(text))
            if self._picture.outdated:
                self._refresh()
        else:
            self._outer.show(key_modes(text))
            self._fit()

    def _fit(self) -> None:
        """Let output through, or draw frames, as the sizes of pane and terminal are now."""
        if self._size is None:
            return
        if self._size == self._outer.size():
            if not self._through:
                self._refresh()
            return
        self._through = False
        coming = self._lease is not None and self._lease.coming
        if not coming and self._view is not None:
            self._begin_frames()

    def _refresh(self) -> None:
        if self._view is not None:
            self._view.send({"action": "refresh"})

    # -- frames of another size ------------------------------------------------------------------

    def _begin_frames(self) -> None:
        self._end_frames()
        self._outer.show(RESET + CLEAR)
        try:
            self._observed = self._server.dial(
                "terminal.backend.observe",
                {
                    "server_generation": self._server.generation(),
                    "terminal_id": self._terminal_id,
                    "pane_id": str(self.pane),
                    "lines": 200,
                    "cursor": True,
                },
            )
        except (LuvusError, ConnectionFailure):
            # The view notices a server that is gone; a refusal leaves a screen that says so.
            self._say_size()

    def _take_observed(self, lane: Lane) -> None:
        for frame in lane.receive():
            if frame["event"] == "terminal.frame":
                self._drawing = frame["data"]
            else:
                self._begin_frames()
                return

    def _end_frames(self) -> None:
        self._drawing = None
        if self._observed is not None:
            self._observed.close()
            self._observed = None

    def _say_size(self) -> None:
        cols, rows = self._size or (0, 0)
        self._status(f"pane {self.pane} has {cols}x{rows} cells and cannot be shown here now")

    # -- a server that goes away -----------------------------------------------------------------

    def _refused(self, lane: Lane, error: LuvusError) -> End | None:
        if lane is not self._view:
            if self._lease is not None and lane is self._lease.lane:
                # Without the right to resize, the person still sees and types.
                self._lease.close()
                self._lease = None
                self._fit()
            else:
                self._end_frames()
                self._say_size()
            return None
        if error.code in _AGAIN and self._gone_since is not None:
            lane.close()
            self._view = None
            return None
        if error.code in _GONE:
            return End(f"pane {self.pane} is gone", 1)
        return End(f"{error.code}: {error.message}", 1)

    def _lost(self, lane: Lane) -> None:
        if lane is self._observed:
            self._end_frames()
            return
        if self._gone_since is None:
            self._gone_since = monotonic()
            self._status("the server is gone; looking for it")
        self._drop_lanes()
        self._retry_at = monotonic() + RETRY_S

    def _retry(self) -> End | None:
        now = monotonic()
        if self._gone_since is None or now < self._retry_at:
            return None
        if now - self._gone_since > RECONNECT_S:
            return End("the server is gone", 1)
        self._retry_at = now + RETRY_S
        if self._view is None:
            try:
                self._view = self._dial_view()
            except ConnectionFailure:
                return None
        return None

    def _dial_view(self) -> Lane:
        params: dict[str, object] = {"scrollback_bytes": 0, "acknowledges": True}
        if self.pane is not None:
            params["pane"] = self.pane
        return self._server.dial("view.pane", params)

    def _drop_lanes(self) -> None:
        self._end_frames()
        self._ack = None
        if self._view is not None:
            self._view.close()
            self._view = None
        if self._lease is not None:
            self._lease.close()

    def _status(self, text: str) -> None:
        cols, rows = self._outer.size()
        self._outer.show(f"{RESET}\x1b[{rows};1H\x1b[7m {text[: cols - 2]} \x1b[m\x1b[K")
