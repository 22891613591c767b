"""The size of a terminal in cells, set and read at its master end."""

from __future__ import annotations

import fcntl
import struct
import termios

_WINSIZE = struct.Struct("4H")
_LARGEST = 0xFFFF


def set_size(master_fd: int, cols: int, rows: int) -> None:
    """Tell the terminal's program its size; the kernel sends SIGWINCH when it changed."""
    cells = (min(max(rows, 1), _LARGEST), min(max(cols, 1), _LARGEST))
    fcntl.ioctl(master_fd, termios.TIOCSWINSZ, _WINSIZE.pack(*cells, 0, 0))


def size_of(master_fd: int) -> tuple[int, int]:
    """Return (cols, rows)."""
    raw = fcntl.ioctl(master_fd, termios.TIOCGWINSZ, bytes(_WINSIZE.size))
    rows, cols, _, _ = _WINSIZE.unpack(raw)
    return cols, rows
