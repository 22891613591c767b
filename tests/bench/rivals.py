"""A server of ours and one of tmux, side by side on this machine, for one measurement."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.bench.closed_loop import KeptHttp, NewLine
from tests.bench.tmux import Tmux
from tests.support.live import LiveServer

IDENTITY = ("server_generation", "terminal_id", "pane_id")


@dataclass(frozen=True, slots=True)
class Rivals:
    """Both servers, each with one shell in one pane at first."""

    live: LiveServer
    tmux: Tmux

    def newline(self, method: str, params: dict[str, Any] | None = None) -> NewLine:
        """Return a client of the newline-JSON socket with a connection for each request."""
        request = {"id": "b", "method": method, "params": params or {}}
        return NewLine(str(self.live.socket), json.dumps(request).encode() + b"\n")

    def http(self, method: str, params: dict[str, Any] | None = None) -> KeptHttp:
        """Return a client of the HTTP socket that keeps its connection."""
        return KeptHttp(str(self.live.http), method, json.dumps(params or {}).encode())

    def open_panes(self, count: int) -> list[str]:
        """Open shells, one a tab and one a tmux window, until both have `count`; ours by id."""
        have = self._panes()
        for _ in range(count - len(have)):
            self.live.call("tab.new", {})
        self.tmux.windows(count)
        panes = self._panes()
        for pane in panes:
            if pane not in have:
                self.live.wait_text(pane, "$")
        return panes

    def locators(self) -> list[dict[str, Any]]:
        """Return what `terminal.backend.*` calls the terminals, in the order of `panes`."""
        found = self.live.call("terminal.backend.inventory")
        rows = sorted(found["terminals"], key=lambda row: int(row["pane_id"]))
        return [
            {**{key: row.get(key) for key in IDENTITY}, "server_generation": generation}
            for row in rows
            for generation in (found["server_generation"],)
        ]

    def capturing(self, pane: str, lines: int) -> tuple[str, dict[str, Any]]:
        """Return the method and parameters that read a pane's newest lines."""
        if not self.offers("terminal.backend.capture"):
            return "pane.read", {"pane": pane, "lines": lines}
        (locator,) = (row for row in self.locators() if row["pane_id"] == pane)
        return "terminal.backend.capture", {
            **locator,
            "mode": "visible",
            "lines": lines,
            "ansi": False,
        }

    def offers(self, method: str) -> bool:
        """Say whether our server has a method."""
        return method in self.live.call("uhp.capabilities")["methods"]

    def _panes(self) -> list[str]:
        listed = self.live.call("pane.list", {"all_tabs": True})["panes"]
        return sorted((row["pane"] for row in listed), key=int)


@contextmanager
def rivals() -> Iterator[Rivals]:
    """Start both, and end both afterwards."""
    home = Path(tempfile.mkdtemp(prefix="lvb-", dir="/tmp"))
    live, tmux = LiveServer(home), Tmux(home)
    try:
        live.start()
        tmux.start()
        live.wait_text("1", "$")
        yield Rivals(live, tmux)
    finally:
        live.stop()
        tmux.stop()
        shutil.rmtree(home, ignore_errors=True)


def in_turns(rounds: int, *measures: Callable[[], float]) -> list[list[float]]:
    """Measure in turns, A B A B, so that both suffer the same machine; all results of each."""
    found: list[list[float]] = [[] for _ in measures]
    for _ in range(rounds):
        for results, measure in zip(found, measures, strict=True):
            results.append(measure())
    return found


def say(text: str) -> None:
    """Tell the person who waits how far it is."""
    print(text, file=sys.stderr, flush=True)
