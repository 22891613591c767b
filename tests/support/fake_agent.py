"""A coding agent that does what its prompts say, for tests in real panes.

Standard library only: it runs under the name of a real agent, found through PATH. Prompts are
`work SECONDS`, `quick`, `ask`, `title TEXT`, `spin SECONDS`, `flicker SECONDS`, `quit`; anything
else is echoed. All bytes it gets are appended to the file named in FAKE_AGENT_LOG. The argument
`--loads=SECONDS` lets it load before it sets its terminal up, `--asks-first` ask something first.
"""

from __future__ import annotations

import os
import select
import sys
import termios
import time
import tty
from collections.abc import Callable, Iterator
from pathlib import Path

PASTE_START, PASTE_END = b"\x1b[200~", b"\x1b[201~"


class FakeAgent:
    """Draws a composer, reads prompts, acts them out."""

    def __init__(self) -> None:
        self._log = os.environ.get("FAKE_AGENT_LOG")
        self._pending = b""
        self.acts: dict[str, Callable[[str], None]] = {
            "work": self.work,
            "quick": lambda _rest: self.draw("quick answer"),
            "ask": lambda _rest: self.ask(),
            "title": lambda rest: self.out(f"\x1b]2;{rest}\x07"),
            "spin": self.spin,
            "flicker": self.flicker,
        }

    def out(self, text: str) -> None:
        os.write(1, text.encode())

    def draw(self, said: str) -> None:
        self.out(f"\x1b[2J\x1b[H{said}\r\n\r\n──────\r\n> \r\n──────\r\n  ? for shortcuts\r\n")

    def work(self, seconds: str) -> None:
        self.out("\x1b[2J\x1b[H✻ Pondering… (esc to interrupt)\r\n> \r\n")
        self.pause(float(seconds or 1))
        self.draw("worked")

    def spin(self, seconds: str) -> None:
        end = time.monotonic() + float(seconds or 1)
        frames = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
        number = 0
        while time.monotonic() < end:
            self.out(f"\x1b[2J\x1b[H{frames[number % 10]} Pondering\r\n> \r\n")
            number += 1
            self.pause(0.08)
        self.draw("spun")

    def flicker(self, seconds: str) -> None:
        """Look idle and working in turn, as some agents do while they work."""
        end = time.monotonic() + float(seconds or 1)
        while time.monotonic() < end:
            self.out("\x1b[2J\x1b[H✻ Pondering… (esc to interrupt)\r\n> \r\n")
            self.pause(0.5)
            self.draw("between two glyphs")
            self.pause(0.5)
        self.draw("flickered")

    def ask(self) -> None:
        self.out(
            "\x1b[2J\x1b[H╭────────────────╮\r\n│ Bash command   │\r\n│   rm -rf build │\r\n"
            "│ Do you want to proceed? │\r\n│ ❯ 1. Yes       │\r\n│   2. No        │\r\n"
            "╰────────────────╯\r\n"
        )
        key = next(self.keys())
        self.draw(f"answered {key.decode(errors='replace')}")

    def keys(self) -> Iterator[bytes]:
        while True:
            if not self._pending:
                self._pending = self.read()
            key, self._pending = self._pending[:1], self._pending[1:]
            yield key

    def read(self) -> bytes:
        data = os.read(0, 65536)
        if not data:
            sys.exit(0)
        if self._log:
            with Path(self._log).open("ab") as log:
                log.write(data)
        return data

    def pause(self, seconds: float) -> None:
        select.select([], [], [], seconds)

    def prompt(self) -> str:
        """Return what was pasted or typed before Enter."""
        got = b""
        while True:
            got += self._pending or self.read()
            self._pending = b""
            if PASTE_START in got and PASTE_END not in got:
                continue
            if got.endswith(b"\r"):
                text = got[:-1].replace(PASTE_START, b"").replace(PASTE_END, b"")
                return text.decode(errors="replace")

    def run(self) -> None:
        self.out("\x1b[?2004h")
        if "--asks-first" in sys.argv:
            self.ask()
        self.draw("ready")
        while True:
            prompt = self.prompt()
            word, _, rest = prompt.partition(" ")
            if word == "quit":
                return
            act = self.acts.get(word)
            if act is None:
                shown = "".join(c if c.isprintable() else "?" for c in prompt[:60])
                self.draw(f"{len(prompt)} characters: {shown}")
            else:
                act(rest)


def load() -> None:
    """Take one's time, in the terminal as the shell left it."""
    for argument in sys.argv:
        if argument.startswith("--loads="):
            os.write(1, b"loading\r\n")
            select.select([], [], [], float(argument.partition("=")[2]))


def main() -> None:
    load()
    before = termios.tcgetattr(0)
    # Like all of them it throws away what was typed before.
    tty.setraw(0, termios.TCSAFLUSH)
    try:
        FakeAgent().run()
    finally:
        os.write(1, b"\x1b[?2004l\r\n")
        termios.tcsetattr(0, termios.TCSADRAIN, before)


if __name__ == "__main__":
    main()
