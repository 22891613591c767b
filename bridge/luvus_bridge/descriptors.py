"""Standard output kept for frames alone; imports nothing, so that it can come first."""

from __future__ import annotations

import os


def guard_stdout() -> int:
    """Return a descriptor of the real standard output, and point descriptor 1 at standard error.

    A stray print or a child's output then cannot break the stream.
    """
    real = os.dup(1)
    os.set_inheritable(real, False)
    os.dup2(2, 1)
    return real
