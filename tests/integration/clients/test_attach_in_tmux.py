"""`luvus attach` inside a real tmux: the outer screen before and after is the same."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Iterator
from time import monotonic

import pytest

from tests.support.live import LiveServer
from tests.support.programs import needs

WAIT_S = 10


class Tmux:
    """A tmux server of its own with one window."""

    def __init__(self, live: LiveServer) -> None:
        self.socket = str(live.folder / "tmux.sock")
        self.env = {**live.env, "TERM": "xterm-256color"}
        self._call("-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", "/bin/sh")

    def _call(self, *words: str) -> str:
        return subprocess.run(
            ["tmux", "-S", self.socket, *words],
            env=self.env,
            capture_output=True,
            text=True,
            timeout=WAIT_S,
            check=True,
        ).stdout

    def type(self, text: str, *keys: str) -> None:
        """Type text, then press keys."""
        self._call("send-keys", "-l", text)
        if keys:
            self._call("send-keys", *keys)

    def shown(self) -> str:
        """Return the screen with its colours."""
        return self._call("capture-pane", "-p", "-e")

    def until_shown(self, text: str) -> None:
        """Look until the screen shows a text: tmux tells nobody when it does."""
        deadline = monotonic() + WAIT_S
        while text not in self.shown():
            assert monotonic() < deadline, self.shown()

    def state(self) -> str:
        """Return the modes that tmux keeps of the window's terminal."""
        names = ("alternate_on", "cursor_x", "cursor_y", "keypad_cursor_flag", "mouse_any_flag")
        more = ("cursor_flag", "insert_flag", "origin_flag", "wrap_flag", "pane_title")
        return self._call("display-message", "-p", " ".join(f"#{{{n}}}" for n in (*names, *more)))

    def resize(self, cols: int, rows: int) -> None:
        """Give the window another size."""
        self._call("resize-window", "-x", str(cols), "-y", str(rows))

    def run_until_it_ends(self, text: str) -> None:
        """Type a command and wait for its end."""
        self.type(f"{text}; tmux -S {self.socket} wait-for -S ended", "Enter")

    def ended(self) -> None:
        """Wait for the end of the command."""
        self._call("wait-for", "ended")

    def close(self) -> None:
        """End it."""
        self._call("kill-server")


@pytest.fixture
def tmux(live: LiveServer) -> Iterator[Tmux]:
    found = Tmux(live)
    yield found
    found.close()


def until_size(live: LiveServer, size: tuple[int, int]) -> None:
    with live.stream("view.pane", {"pane": "1"}) as view:
        view.line()
        view.until("view.snapshot", cols=size[0], rows=size[1])


@needs("tmux", "vim")
def test_in_tmux_a_pane_with_vim_is_joined_resized_and_left_without_a_trace(
    live: LiveServer, tmux: Tmux
) -> None:
    attach = shlex.join([sys.executable, "-m", "luvus_client.cli.main", "attach", "1"])
    tmux.run_until_it_ends("clear; seq 3")
    tmux.ended()
    before = tmux.state()

    tmux.run_until_it_ends(f"{attach} >/dev/tty 2>&1")
    until_size(live, (80, 24))
    live.call(
        "pane.run", {"pane": "1", "command": "vim -u NONE -N -c 'set mouse=a showmode' -c start"}
    )
    live.wait_text("1", "INSERT")
    tmux.type("typed in tmux")
    live.wait_text("1", "typed in tmux")
    tmux.resize(100, 30)
    until_size(live, (100, 30))
    tmux.resize(80, 24)
    until_size(live, (80, 24))
    tmux.until_shown("typed in tmux")
    tmux.type("", "C-\\")
    tmux.ended()

    until_size(live, (120, 40))
    shown = tmux.shown()
    assert "typed in tmux" not in shown
    assert "[detached from pane 1]" in shown
    assert shown.startswith("1\n2\n3\n")
    after = tmux.state().split(" ", 3)
    assert (after[0], after[3]) == (before.split(" ", 3)[0], before.split(" ", 3)[3])
