"""A menu as agents draw it: arrows move the mark, enter takes the entry.."""

from __future__ import annotations

import os
import sys
import tty

ENTRIES = ("once", "always", "never")
STEPS = {b"\x1b[A": -1, b"\x1bOA": -1, b"\x1b[B": 1, b"\x1bOB": 1}


def main() -> None:
    """Draw it anew after each key, until one is taken."""
    tty.setraw(0)
    at, key = 0, b""
    while key != b"\r":
        at = (at + STEPS.get(key, 0)) % len(ENTRIES)
        lines = [f"{'❯' if n == at else ' '} {entry}" for n, entry in enumerate(ENTRIES)]
        sys.stdout.write("\x1b[H\x1b[2JMay it?\r\n\r\n" + "\r\n".join(lines) + "\r\n")
        sys.stdout.flush()
        key = os.read(0, 16)
    sys.stdout.write(f"\r\ntook {ENTRIES[at]}\r\n")


main()
