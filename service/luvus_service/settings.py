"""Homes, sessions, sockets and the environments given to others; the only reader of os.environ.

Standard library only and light: the launcher, the host and every command start with it.
"""

from __future__ import annotations

import gc
import os
import pwd
import re
import stat
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

DEFAULT_SESSION = "default"
SOCKET_PATH_LIMIT = 100
"""Bytes of a logical socket path from which on its alias is bound instead (107 is the kernel's)."""

_SESSION_NAME = re.compile(r"[A-Za-z0-9._-]{1,64}")
_FNV_OFFSET, _FNV_PRIME, _MASK = 0xCBF29CE484222325, 0x100000001B3, (1 << 64) - 1
_PYDANTIC_PLUGINS = "PYDANTIC_DISABLE_PLUGINS"
_HOST_FD, _LOCK_FD = "LUVUS_HOST_FD", "LUVUS_LOCK_FD"
_OUTER_TERMINAL = frozenset(
    {"TMUX", "TMUX_PANE", "STY", "WINDOW", "ZELLIJ", "COLUMNS", "LINES", "TERMCAP", "WINDOWID"}
)
_OUTER_PREFIXES = ("LUVUS_", "ZELLIJ_", "TERM_PROGRAM", "TERM_SESSION")


class SettingsError(Exception):
    """A home, a name or a folder that cannot be used; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Where one session lives."""

    home: Path
    """Absolute, perhaps through links."""
    session: str
    """The name; "default" is the unnamed one."""
    env: Mapping[str, str]
    """The environment we were started with."""
    host_fd: int | None = None
    """The connection to the pty host, in a server that a host started."""
    lock_fd: int | None = None
    """The session's lock, likewise."""

    @classmethod
    def from_environment(cls, session: str | None = None) -> Settings:
        """Read the environment; `session` is what the command line says, None for nothing.

        Raises:
            SettingsError: The name of the session or the home cannot be used.
        """
        return cls.from_mapping(dict(os.environ), session)

    @classmethod
    def from_mapping(cls, env: Mapping[str, str], session: str | None = None) -> Settings:
        """Read an environment given as a mapping; see `from_environment`."""
        name = session if session is not None else env.get("LUVUS_SESSION") or DEFAULT_SESSION
        check_session_name(name)
        user_home = env.get("HOME") or _passwd_home()
        home = Path(env.get("LUVUS_HOME") or Path(user_home) / ".luvus")
        if not home.is_absolute():
            home = Path.cwd() / home
        return cls(
            home=Path(os.path.normpath(home)),
            session=name,
            env=env,
            host_fd=_descriptor(env, _HOST_FD),
            lock_fd=_descriptor(env, _LOCK_FD),
        )

    @property
    def crash_on(self) -> bytes | None:
        """Output that makes the native emulator kill the server, for tests of recovery."""
        return self.env.get("LUVUS_TEST_CRASH_ON", "").encode() or None

    @property
    def is_default(self) -> bool:
        """Whether this is the unnamed session."""
        return self.session == DEFAULT_SESSION

    @property
    def session_dir(self) -> Path:
        """The session's folder."""
        return self.home if self.is_default else self.home / "sessions" / self.session

    @property
    def socket_path(self) -> Path:
        """The logical path of the newline JSON socket, which is also what panes are told."""
        return self.session_dir / "luvus.sock"

    @property
    def http_path(self) -> Path:
        """The logical path of the HTTP socket."""
        return self.session_dir / "http.sock"

    @property
    def host_path(self) -> Path:
        """The logical path of the pty host's socket."""
        return self.session_dir / "host.sock"

    @property
    def lock_path(self) -> Path:
        """The lock that whoever serves the session holds."""
        return self.session_dir / "server.lock"

    @property
    def log_path(self) -> Path:
        """The log of server and host."""
        return self.session_dir / "server.log"

    @property
    def address(self) -> str:
        """What to bind and connect to for `socket_path`."""
        return socket_address(self.socket_path, "api")

    @property
    def http_address(self) -> str:
        """What to bind and connect to for `http_path`."""
        return socket_address(self.http_path, "http")

    @property
    def host_address(self) -> str:
        """What to bind and connect to for `host_path`."""
        return socket_address(self.host_path, "host")

    def prepare_home(self) -> None:
        """Create the home, the session's folder and the folder of aliases as far as needed.

        What is there already is checked and never changed.

        Raises:
            SettingsError: A folder is not ours, or others may write to it.
        """
        if not self.is_default:
            # Configuration and credentials of all sessions lie in it.
            owned_folder(self.home)
            owned_folder(self.home / "sessions", private=False)
        owned_folder(self.session_dir)
        for address, path in (
            (self.address, self.socket_path),
            (self.http_address, self.http_path),
            (self.host_address, self.host_path),
        ):
            if address != str(path):
                owned_folder(Path(address).parent, links=False)

    def pane_environment(
        self, pane_id: str, *, luvus: str, extra: Mapping[str, str] | None = None
    ) -> dict[str, str]:
        """Return the whole environment of a pane's program.

        `luvus` is the path of the running `luvus` program, whose folder comes first in PATH.
        """
        env = {
            name: value
            for name, value in self.env.items()
            if name not in _OUTER_TERMINAL and not name.startswith(_OUTER_PREFIXES)
        }
        folder = str(Path(luvus).parent)
        path = [part for part in env.get("PATH", os.defpath).split(os.pathsep) if part]
        env["PATH"] = os.pathsep.join([folder, *(part for part in path if part != folder)])
        env.update(
            TERM="xterm-256color",
            COLORTERM="truecolor",
            LUVUS_ENV="1",
            LUVUS_PANE_ID=pane_id,
            LUVUS_SOCKET_PATH=str(self.socket_path),
            LUVUS_API_ADDRESS=self.address,
            LUVUS_BIN_PATH=luvus,
        )
        if str(self.home) != str(Path(env.get("HOME") or _passwd_home()) / ".luvus"):
            env["LUVUS_HOME"] = str(self.home)
        if not self.is_default:
            env["LUVUS_SESSION"] = self.session
        env.update(extra or {})
        return env

    def default_shell(self) -> str:
        """Return the shell of a new pane: LUVUS_SHELL, SHELL, the user's own, or /bin/sh."""
        candidates = [self.env.get("LUVUS_SHELL"), self.env.get("SHELL"), _passwd_shell()]
        for shell in candidates:
            if shell and Path(shell).is_absolute() and os.access(shell, os.X_OK):
                return shell
        return "/bin/sh"


def check_session_name(name: str) -> None:
    """Refuse what is no session name.

    Raises:
        SettingsError: The name cannot be used.
    """
    if not _SESSION_NAME.fullmatch(name) or name in (".", ".."):
        raise SettingsError(
            f"{name[:80]!r} is no session name: use 1 to 64 letters, digits, '.', '_' or '-', "
            "but not '.' or '..'."
        )


def fnv1a_64(raw: bytes) -> int:
    """Return the 64-bit FNV-1a hash."""
    value = _FNV_OFFSET
    for byte in raw:
        value = (value ^ byte) * _FNV_PRIME & _MASK
    return value


def alias_folder() -> Path:
    """Return the folder of this user's short socket names."""
    # The protocol fixes the place; `owned_folder` checks whose it is before it is used.
    root = "/private/tmp" if sys.platform == "darwin" else "/tmp"  # noqa: S108
    return Path(root) / f"luvus-{os.getuid()}"


def socket_address(path: Path, kind: str) -> str:
    """Return the path itself, or its short alias when it is too long to bind everywhere."""
    raw = os.fsencode(path)
    if len(raw) < SOCKET_PATH_LIMIT:
        return str(path)
    return str(alias_folder() / f"{fnv1a_64(raw):016x}-{kind}.sock")


def owned_folder(path: Path, *, links: bool = True, private: bool = True) -> None:
    """Create a folder with mode 0700, or make sure that the one there is safely ours.

    Others may never write to it; with `private`, as a folder of sockets must be, they may not
    even read it.

    Raises:
        SettingsError: It cannot be made, belongs to somebody else, or others may write to it.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            path.mkdir(mode=0o700)
        except FileExistsError:
            pass
        else:
            # The umask may have taken bits away from what we just made ourselves.
            path.chmod(0o700)
            return
        found = path.lstat()
        if stat.S_ISLNK(found.st_mode):
            if not links or found.st_uid != os.getuid():
                raise SettingsError(f"{path} is a link that this user did not make; remove it.")
            found = path.stat()
    except OSError as fault:
        raise SettingsError(f"The folder {path} cannot be used: {fault.strerror}.") from fault
    if not stat.S_ISDIR(found.st_mode):
        raise SettingsError(f"{path} is not a folder; move it away.")
    if found.st_uid != os.getuid():
        raise SettingsError(
            f"The folder {path} belongs to user {found.st_uid}, not to {os.getuid()}; "
            "choose another one with LUVUS_HOME."
        )
    if found.st_mode & (0o077 if private else 0o022):
        verb = "write to" if found.st_mode & 0o022 else "look into"
        raise SettingsError(
            f"Others may {verb} the folder {path} (mode {stat.S_IMODE(found.st_mode):04o}); "
            f"run `chmod 700 {path}` if its contents are yours."
        )


def server_environment(host_fd: int, lock_fd: int) -> dict[str, str]:
    """Return the environment of a server that a pty host starts."""
    return {**os.environ, _HOST_FD: str(host_fd), _LOCK_FD: str(lock_fd)}


def _descriptor(env: Mapping[str, str], name: str) -> int | None:
    text = env.get(name, "")
    return int(text) if re.fullmatch(r"[0-9]{1,7}", text) else None


def _passwd_home() -> str:
    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        return "/"


def _passwd_shell() -> str | None:
    try:
        return pwd.getpwuid(os.getuid()).pw_shell
    except KeyError:
        return None


@contextmanager
def quick_imports() -> Generator[None]:
    """Import at least cost: nobody collects garbage, and pydantic looks for no plugins.

    It would look through every installed distribution at each start. What was imported stays for
    good, so the collector never needs to look at it again.
    """
    named = os.environ.get(_PYDANTIC_PLUGINS)
    os.environ[_PYDANTIC_PLUGINS] = "__all__"
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
        if named is None:
            del os.environ[_PYDANTIC_PLUGINS]
        else:
            os.environ[_PYDANTIC_PLUGINS] = named
