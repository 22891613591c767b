"""Where a session's sockets are, and whether they are safe to trust.

Discovery turns a session's name and the environment into an address. Validation looks at every
component of that address before each connection. Neither talks to a server. Paths are texts here,
because pathlib takes longer to import than a call takes.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from typing import TYPE_CHECKING, NamedTuple

from luvus_client.errors import InvalidSessionName, NotRunning, UnsafeEndpoint

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

DEFAULT_SESSION = "default"
LOGICAL_PATH_LIMIT = 100
"""A logical path of this many bytes or more is reached through a short alias."""

_SESSION = re.compile(r"[A-Za-z0-9._-]{1,64}")
_STICKY_ROOTS = ("/tmp", "/private/tmp")  # noqa: S108 - the roots that the protocol names
_STICKY_MODE = 0o1777
_WRITABLE_BY_OTHERS = 0o022


class Endpoint(NamedTuple):
    """A session and where its server is reached."""

    session: str
    socket_path: str
    """The logical path, which a session is known by."""
    address: str
    """The path to connect to: the logical one, or its alias when that is too long."""

    @property
    def session_dir(self) -> str:
        """The folder of the session."""
        return _folder(self.socket_path)

    @property
    def http_address(self) -> str:
        """The path of the HTTP socket beside the newline JSON one."""
        return self._beside("http")

    @property
    def host_address(self) -> str:
        """The path at which the process that holds the session's terminals listens."""
        return self._beside("host")

    def _beside(self, kind: str) -> str:
        logical = f"{_folder(self.socket_path)}/{kind}.sock"
        if _needs_alias(logical):
            return _alias(logical, kind)
        if _needs_alias(self.socket_path):
            return _follow(logical)
        return f"{_folder(self.address)}/{kind}.sock"


class Evidence(NamedTuple):
    """What tells one server's socket from a later one at the same path."""

    device: int
    inode: int
    changed_ns: int
    """The change time, which differs even when the inode is used again."""


def check_session_name(name: str) -> str:
    """Return the name if a session may have it; "default" is the unnamed session.

    Raises:
        InvalidSessionName: It is not 1 to 64 of letters, digits, `.`, `_`, `-`, or is `.` or `..`.
    """
    if _SESSION.fullmatch(name) is None or name in (".", ".."):
        raise InvalidSessionName(
            f"{name!r} is no session name; use 1 to 64 letters, digits, '.', '_' or '-'"
        )
    return name


def home_folder(environ: Mapping[str, str]) -> str:
    """Return the folder that holds all sessions of this user."""
    given = environ.get("LUVUS_HOME") or f"{_user_home(environ)}/.luvus"
    if not given.startswith("/"):
        given = f"{os.getcwd()}/{given}"  # noqa: PTH109 - no pathlib here, see above
    return os.path.normpath(given)


def _user_home(environ: Mapping[str, str]) -> str:
    given = environ.get("HOME")
    if given:
        return given
    import pwd

    return pwd.getpwuid(os.geteuid()).pw_dir


def session_socket(home: str, session: str) -> str:
    """Return the logical socket path of a session."""
    if session == DEFAULT_SESSION:
        return f"{home}/luvus.sock"
    return f"{home}/sessions/{session}/luvus.sock"


def _folder(path: str) -> str:
    return path.rpartition("/")[0] or "/"


def discover(
    session: str | None = None,
    socket_path: str | Path | None = None,
    environ: Mapping[str, str] | None = None,
) -> Endpoint:
    """Find the endpoint to use.

    In this order: an explicit path, a named session, the pane this program runs in, the session
    that LUVUS_SESSION names, the default session. Symbolic links above a discovered socket are
    followed here, once; an explicit path is taken to the letter.

    Raises:
        InvalidSessionName: The session's name is not one.
        UnsafeEndpoint: A path is not absolute.
    """
    env = os.environ if environ is None else environ
    if socket_path is not None:
        path = str(socket_path)
        return Endpoint(session or env.get("LUVUS_SESSION") or DEFAULT_SESSION, path, path)
    if session is not None:
        name = check_session_name(session)
        return _endpoint(name, session_socket(home_folder(env), name))
    inherited = env.get("LUVUS_SOCKET_PATH")
    name = env.get("LUVUS_SESSION") or DEFAULT_SESSION
    if inherited:
        return _endpoint(name, inherited)
    native = env.get("LUVUS_API_ADDRESS")
    if native:
        return Endpoint(name, native, _follow(native))
    check_session_name(name)
    return _endpoint(name, session_socket(home_folder(env), name))


def _endpoint(session: str, logical: str) -> Endpoint:
    if not logical.startswith("/"):
        raise UnsafeEndpoint(f"the socket path {logical!r} is not absolute")
    address = _alias(logical, "api") if _needs_alias(logical) else _follow(logical)
    return Endpoint(session, logical, address)


def _follow(path: str) -> str:
    folder, _, name = path.rpartition("/")
    return f"{os.path.realpath(folder or '/').rstrip('/')}/{name}"


def _needs_alias(logical: str) -> bool:
    return len(os.fsencode(logical)) >= LOGICAL_PATH_LIMIT


def _alias(logical: str, kind: str) -> str:
    root = "/private/tmp" if sys.platform == "darwin" else "/tmp"  # noqa: S108 - a sticky root
    return f"{root}/luvus-{os.geteuid()}/{_fnv1a(os.fsencode(logical)):016x}-{kind}.sock"


def _fnv1a(raw: bytes) -> int:
    value = 0xCBF29CE484222325
    for byte in raw:
        value = ((value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return value


def validate(address: str) -> Evidence:
    """Check every component of an address and return what identifies the socket.

    Raises:
        NotRunning: Nothing is there.
        UnsafeEndpoint: A component could be controlled by somebody else.
    """
    parts = address.split("/")
    if parts[0] or len(parts) < 2 or not all(p and p not in (".", "..") for p in parts[1:]):
        raise UnsafeEndpoint(f"the socket path {address!r} is not absolute and canonical")
    paths = ["/", *("/".join(parts[:count]) for count in range(2, len(parts) + 1))]
    found = [_lstat(path) for path in paths]
    _check_owner(paths[-2], found[-2])
    _check_mode(paths[-2], found[-2], 0o700)
    for at, status in enumerate(found[:-1]):
        _check_folder(paths[at], status, paths[at + 1], found[at + 1])
    end = found[-1]
    if not stat.S_ISSOCK(end.st_mode):
        raise UnsafeEndpoint(f"{address} is no socket")
    _check_owner(address, end)
    _check_mode(address, end, 0o600)
    return Evidence(end.st_dev, end.st_ino, end.st_ctime_ns)


def _lstat(path: str) -> os.stat_result:
    try:
        status = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise NotRunning(f"no server: {path} does not exist") from error
    except (OSError, ValueError) as error:
        raise UnsafeEndpoint(f"cannot look at {path!r}: {error}") from error
    if stat.S_ISLNK(status.st_mode):
        raise UnsafeEndpoint(f"{path} is a symbolic link; use the path that it leads to")
    return status


def _check_folder(
    path: str, status: os.stat_result, below: str, status_below: os.stat_result
) -> None:
    if not stat.S_ISDIR(status.st_mode):
        raise UnsafeEndpoint(f"{path} is no folder")
    mode = stat.S_IMODE(status.st_mode)
    if not mode & _WRITABLE_BY_OTHERS:
        return
    # In the sticky temporary root nobody else can rename or replace what belongs to this user,
    # which is what makes this one ancestor acceptable.
    if path in _STICKY_ROOTS and status.st_uid == 0 and mode == _STICKY_MODE:
        _check_owner(below, status_below)
        return
    raise UnsafeEndpoint(f"{path} has mode {mode:04o}; others could replace the socket in it")


def _check_owner(path: str, status: os.stat_result) -> None:
    if status.st_uid != os.geteuid():
        raise UnsafeEndpoint(f"{path} belongs to user {status.st_uid}, not to you")


def _check_mode(path: str, status: os.stat_result, mode: int) -> None:
    actual = stat.S_IMODE(status.st_mode)
    if actual != mode:
        raise UnsafeEndpoint(
            f"{path} has mode {actual:04o} and must have {mode:04o}; run: chmod {mode:o} {path}"
        )
