"""Which user is at the other end of a loopback connection, where the system tells it.

A port of the loopback interface is open to every user of the machine, unlike a session's socket.
"""

from __future__ import annotations

import os
import socket
import sys
from ipaddress import ip_address
from pathlib import Path
from typing import TypeAlias, cast

_TABLES = {4: "/proc/net/tcp", 6: "/proc/net/tcp6"}
_LOCAL, _REMOTE, _UID = 1, 2, 7
"""Columns of the kernel's table of connections."""

Address: TypeAlias = tuple[str, int]


def is_ours(peer: Address, here: Address) -> bool:
    """Return whether the program that connected runs as this user or as root.

    True where the system keeps no table of connections.
    """
    if sys.platform != "linux":
        return True
    table = Path(_TABLES[ip_address(peer[0]).version])
    return owner(table.read_text(encoding="ascii"), peer, here) in (0, os.geteuid())


def owner(table: str, peer: Address, here: Address) -> int | None:
    """Return the user of the connection whose near end is the peer's, or None."""
    wanted = [_written(peer), _written(here)]
    for row in table.splitlines()[1:]:
        columns = row.split()
        if columns[_LOCAL : _REMOTE + 1] == wanted:
            return int(columns[_UID])
    return None


def ends(sock: socket.socket) -> tuple[Address, Address]:
    """Return the addresses of the peer and of this end."""
    peer = cast("tuple[str, int]", sock.getpeername()[:2])
    here = cast("tuple[str, int]", sock.getsockname()[:2])
    return peer, here


def _written(address: Address) -> str:
    raw = ip_address(address[0]).packed
    # The table shows each 32-bit word in the order of the machine.
    words = [raw[at : at + 4] for at in range(0, len(raw), 4)]
    if sys.byteorder == "little":
        words = [word[::-1] for word in words]
    return f"{b''.join(words).hex().upper()}:{address[1]:04X}"
