"""Writes what a command found to standard output, whoever does or does not read it."""

from __future__ import annotations

import os
import sys
from typing import Final

EXIT_UNREAD: Final = 141
"""What a shell shows for a program that ended because nobody took its output."""


def tell(stdout: int, data: bytes) -> bool:
    """Write everything; False when nobody takes it."""
    view = memoryview(data)
    try:
        while view:
            view = view[os.write(stdout, view) :]
    except BrokenPipeError:
        return False
    except OSError as fault:
        sys.stderr.write(f"luxe: the answer cannot be written: {fault.strerror}\n")
        return False
    return True
