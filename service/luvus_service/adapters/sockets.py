"""Unix sockets that only their owner can reach, and who is at the other end of one.

Decides nothing about which session a socket belongs to: call these only while holding its lock.
"""

from __future__ import annotations

import os
import secrets
import socket
import stat
import struct
import sys
from pathlib import Path

PATH_BYTES = 103 if sys.platform == "darwin" else 107
"""Longest address that a Unix socket can be bound to or reached at."""

_SOCKET_MODE = 0o600
_FOLDER_MODE = 0o700
_UCRED = struct.Struct("iII")
_XUCRED = struct.Struct("=IIh2x16I")
_SOL_LOCAL = 0
_LOCAL_PEERCRED = 1


class UnsafeFolder(OSError):
    """The folder of a socket could let somebody else in."""


def bind_owner_socket(path: Path, *, backlog: int) -> socket.socket:
    """Return a listening socket at `path` with mode 0600, in place of whatever socket was there.

    The caller owns the socket, and `remove_socket` removes its path. The path leads to the new
    socket, complete and with its final mode, from the first moment on.

    Raises:
        UnsafeFolder: The folder is a symbolic link, not ours, or not of mode 0700.
        OSError: The path is too long, or something that is no socket is in the way.
    """
    _check_folder(path.parent)
    _check_free(path)
    # A name no longer than usual socket names, so that it fits where the final one fits.
    waiting = path.with_name(f".{secrets.token_hex(3)}")
    longest = max(len(os.fsencode(path)), len(os.fsencode(waiting)))
    if longest > PATH_BYTES:
        raise OSError(
            f"{path} is too long for a Unix socket: {longest} bytes, the limit is {PATH_BYTES}; "
            "choose a shorter home folder"
        )
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        _bind_private(listener, waiting)
        listener.listen(backlog)
        waiting.rename(path)
    except BaseException:
        listener.close()
        waiting.unlink(missing_ok=True)
        raise
    return listener


def _bind_private(listener: socket.socket, path: Path) -> None:
    if sys.platform == "linux":
        # Linux takes the mode of the path from the socket. No umask is changed: that would be
        # seen by every thread of the process.
        os.fchmod(listener.fileno(), _SOCKET_MODE)
    listener.bind(os.fspath(path))
    path.chmod(_SOCKET_MODE)


def _check_folder(folder: Path) -> None:
    try:
        found = folder.lstat()
    except FileNotFoundError:
        raise UnsafeFolder(f"{folder} does not exist; create it with mode 0700") from None
    if stat.S_ISLNK(found.st_mode):
        raise UnsafeFolder(f"{folder} is a symbolic link; a socket needs a real folder")
    if not stat.S_ISDIR(found.st_mode):
        raise UnsafeFolder(f"{folder} is not a folder")
    if found.st_uid != os.geteuid():
        raise UnsafeFolder(f"{folder} belongs to user {found.st_uid}, not to {os.geteuid()}")
    mode = stat.S_IMODE(found.st_mode)
    if mode != _FOLDER_MODE:
        raise UnsafeFolder(f"{folder} has mode {mode:04o}; run chmod 700 on it")


def _check_free(path: Path) -> None:
    try:
        found = path.lstat()
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(found.st_mode):
        raise OSError(f"{path} exists and is no socket; move it away")


def same_user(peer: socket.socket) -> bool:
    """Say whether the other end of a connected Unix socket runs as our effective user.

    What cannot be found out counts as no.
    """
    try:
        return _peer_uid(peer) == os.geteuid()
    except (OSError, struct.error):
        return False


def _peer_uid(peer: socket.socket) -> int | None:
    if sys.platform == "linux":
        credentials = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _UCRED.size)
        pid, uid, _gid = _UCRED.unpack(credentials)
        # Without a peer the kernel answers with process 0 and user -1.
        return int(uid) if pid > 0 else None
    if sys.platform == "darwin":
        credentials = peer.getsockopt(_SOL_LOCAL, _LOCAL_PEERCRED, _XUCRED.size)
        version, uid, *_groups = _XUCRED.unpack(credentials)
        return int(uid) if version == 0 else None
    return None


def remove_socket(path: Path, inode: int) -> bool:
    """Remove the socket at `path` if it is still the one with `inode`; say whether it was."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return False
    if not stat.S_ISSOCK(found.st_mode) or found.st_ino != inode:
        return False
    path.unlink(missing_ok=True)
    return True
