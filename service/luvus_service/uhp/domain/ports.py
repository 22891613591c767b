"""What the engine needs of the outside world, as protocols and the values they exchange.

The engine names only these; `adapters` implements them and `main` introduces the two. Tests
implement them with fakes of a few lines.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

Buffer: TypeAlias = bytes | bytearray | memoryview
CaptureMode: TypeAlias = Literal["visible", "recent_unwrapped"]


@dataclass(frozen=True, slots=True)
class Fed:
    """What one piece of output did beside changing the screen."""

    replies: bytes = b""
    """Answers to device queries, to be written to the program exactly once."""
    bells: int = 0
    title: str | None = None
    """The new title when it changed in this piece, otherwise None."""
    cwd: str | None = None
    """The new working folder (OSC 7) as a path when it changed, otherwise None."""
    notifications: tuple[tuple[str, str], ...] = ()
    """Desktop notifications (OSC 9, OSC 777) as (title, body)."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where the cursor stands, in cells from the top left of the screen, from 0."""

    x: int
    y: int
    visible: bool


@dataclass(frozen=True, slots=True)
class Modes:
    """The terminal modes that decide how input is written and how a viewer is set up."""

    alternate_screen: bool = False
    bracketed_paste: bool = False
    application_cursor: bool = False
    application_keypad: bool = False
    focus_events: bool = False
    mouse: Literal["off", "x10", "normal", "button", "any"] = "off"
    mouse_sgr: bool = False


@dataclass(frozen=True, slots=True)
class Captured:
    """A piece of the screen or of the recent output as text, lines joined by LF."""

    text: str
    truncated: bool
    """Whether older lines were left out because of `lines` or `max_bytes`."""
    cursor: tuple[int, int] | None = None
    """(offset, padding_cells): Unicode scalars of the text without ANSI bytes before the cursor,
    and blank cells trimmed just before it. None when hidden or outside the text."""


@dataclass(frozen=True, slots=True)
class History:
    """What the scrollback holds."""

    rows: int
    budget_bytes: int
    used_bytes: int
    """Memory of the scrollback; an estimate unless `exact`."""
    exact: bool = False


class Emulator(Protocol):
    """The screen of one terminal.

    Not thread safe: the engine calls it from one thread at a time, `feed` mostly from a worker.
    `feed` accepts any split of any bytes and never raises on them.
    """

    name: str
    """Which implementation this is, for reports: "ghostty" or "avt"."""

    def feed(self, data: Buffer) -> Fed:
        """Take output of the program."""
        ...

    def resize(self, cols: int, rows: int) -> None:
        """Change the size in cells, reflowing the primary screen."""
        ...

    def size(self) -> tuple[int, int]:
        """Return (cols, rows) as last asked for."""
        ...

    def capture(self, mode: CaptureMode, lines: int, *, ansi: bool, max_bytes: int) -> Captured:
        """Return the last `lines` lines of the screen, or of screen and scrollback unwrapped.

        Trailing blanks of a line and trailing blank lines are left out. With `ansi` only SGR
        sequences are added, and the text ends with attributes reset. At most `max_bytes` UTF-8
        bytes: whole older lines are dropped first.
        """
        ...

    def cursor(self) -> Cursor:
        """Return the cursor."""
        ...

    def modes(self) -> Modes:
        """Return the modes in force."""
        ...

    def title(self) -> str | None:
        """Return the title set by OSC 0 or 2, or None."""
        ...

    def cwd(self) -> str | None:
        """Return the working folder told by OSC 7 as a path, or None."""
        ...

    def history(self) -> History:
        """Return the figures of the scrollback."""
        ...

    def set_history_budget(self, budget_bytes: int) -> None:
        """Change the byte budget of the scrollback."""
        ...

    def dump(self, max_bytes: int, *, scrollback_bytes: int | None = None) -> bytes:
        """Return bytes that rebuild this terminal when fed to a new one of the same size.

        At most `max_bytes`, of which at most `scrollback_bytes` are scrollback (the newest part;
        None for as much as fits), both screens as far as known, modes, cursor,
        style, title, working folder, and an unfinished sequence. Replaying must not provoke
        replies that matter: callers ignore them.
        """
        ...

    def compact(self) -> None:
        """Give back memory while the terminal is idle; may do nothing."""
        ...

    def close(self) -> None:
        """Free native memory. Nothing may be called afterwards."""
        ...


class EmulatorFactory(Protocol):
    """Makes emulators; `fallback` asks for the memory-safe one."""

    def __call__(
        self, cols: int, rows: int, *, history_bytes: int, fallback: bool = False
    ) -> Emulator:
        """Make an empty terminal of this size."""
        ...


@dataclass(frozen=True, slots=True)
class ExitStatus:
    """How a program ended; both None when the status was lost."""

    code: int | None
    signal: str | None
    """The signal's name, such as "SIGKILL"."""


@dataclass(frozen=True, slots=True)
class SpawnSpec:
    """What to start in a new terminal."""

    terminal_id: str
    """32 lowercase hex digits, chosen by the engine, unique for ever."""
    argv: tuple[str, ...]
    cwd: str
    env: Mapping[str, str]
    """The whole environment of the program."""
    cols: int
    rows: int


@dataclass(frozen=True, slots=True)
class RootProcess:
    """The first process of a terminal; the marker tells it from a later one of the same pid."""

    pid: int
    start_marker: str | None


class Journal(Protocol):
    """The recent output of one terminal, in memory that outlives the server.

    A ring of bytes between two absolute positions, `start` (the checkpoint's) and `head`. Bytes
    become part of it in the same step in which they are read from the terminal.
    """

    capacity: int

    @property
    def start(self) -> int:
        """Absolute position of the current checkpoint."""
        ...

    @property
    def head(self) -> int:
        """Absolute position after the newest byte."""
        ...

    def read_from(self, fd: int, limit: int) -> memoryview | None:
        """Read what `fd` has into the ring and return the new bytes.

        At most `limit` bytes, fewer at the ring's end; an empty view at end of file; None when
        nothing can be read now or the ring is full until the next checkpoint. The view stays
        valid until a checkpoint has passed it. EIO of a hung-up terminal is end of file.
        """
        ...

    def replay(self) -> tuple[bytes, bytes]:
        """Return the checkpoint (a dump) and all bytes after it."""
        ...

    def checkpoint(self, dump: bytes, position: int) -> bool:
        """Replace the checkpoint by a dump that holds everything up to `position`.

        Atomic against a kill at any instant. False when the dump is larger than the room for it.
        """
        ...

    def mark_feeding(self, feeding: bool) -> None:
        """Note in shared memory that the emulator is working on this terminal."""
        ...


@dataclass(slots=True)
class HostedTerminal:
    """A terminal that the pty host keeps: its program, its master end, its journal."""

    terminal_id: str
    root: RootProcess
    master_fd: int
    """Non-blocking; owned by the engine's side, closed by `PtyHost.forget`."""
    journal: Journal
    cols: int
    rows: int
    exit: ExitStatus | None = None
    """Set when the program had already ended when the server found it again."""
    suspect: bool = False
    """True when an earlier server died by a native fault while feeding this terminal."""


class SpawnFailed(Exception):
    """The program could not be started; the text says why, for people."""


class PtyHost(Protocol):
    """The process that owns the programs; outlives the server."""

    async def spawn(self, spec: SpawnSpec) -> HostedTerminal:
        """Start a program in a new terminal.

        Raises:
            SpawnFailed: The program could not be started, or the host is gone.
        """
        ...

    def recovered(self) -> tuple[HostedTerminal, ...]:
        """Return the terminals that an earlier server left, in the order they were started."""
        ...

    def state(self) -> bytes:
        """Return what `save_state` stored last, perhaps by an earlier server; empty at first."""
        ...

    def save_state(self, state: bytes) -> None:
        """Keep the session's description where a crash of the server cannot reach it."""
        ...

    async def end(self, terminal_id: str, grace_s: float) -> ExitStatus:
        """Hang up a program and its process group, then kill what is left after the grace time."""
        ...

    def forget(self, terminal_id: str) -> None:
        """Release the terminal's descriptors and journal here and in the host."""
        ...

    def on_exit(self, callback: Callable[[str, ExitStatus], None]) -> None:
        """Call back on the event loop when a program ends."""
        ...


@dataclass(frozen=True, slots=True)
class ProcessFacts:
    """What one scan of the process table says of the programs below one root."""

    observed: bool
    executables: tuple[str, ...] = ()
    cwd: str | None = None
    programs: tuple[str, ...] = ()
    """Of each process the program's path, or that of the script it runs; never its arguments."""


class ProcessTable(Protocol):
    """Looks at the operating system's processes, off the loop."""

    def scan(self, roots: Mapping[str, RootProcess]) -> dict[str, ProcessFacts]:
        """Return the facts of each terminal's processes, by terminal id; blocking."""
        ...

    def cwd(self, pid: int) -> str | None:
        """Return a process's working folder, or None when unknown; quick."""
        ...

    def start_marker(self, pid: int) -> str | None:
        """Return what tells this process from a later one of the same pid, or None."""
        ...


@dataclass(frozen=True, slots=True)
class GitFacts:
    """Where a folder's repository stands; None for what is unknown or does not apply."""

    branch: str | None = None
    ahead: int | None = None
    behind: int | None = None
    common_dir: str | None = None
    """The repository that linked worktrees share."""


class Git(Protocol):
    """Asks git about folders."""

    async def facts(self, folder: str) -> GitFacts:
        """Return a folder's facts; all None outside a repository or when git does not answer."""
        ...


class Clock(Protocol):
    """Time, so that tests can hold it."""

    def monotonic(self) -> float:
        """Seconds of a clock that never steps."""
        ...

    def time(self) -> float:
        """Unix seconds."""
        ...
