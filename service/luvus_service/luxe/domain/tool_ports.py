"""What a tool is to the engine, and what the engine is to a tool.

A call goes through three steps: `prepare` reads the arguments and says what would be touched, the
engine asks for permission, `run` does exactly what was prepared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

from luvus_service.luxe.domain.permission_units import PathUnit, Unit
from luvus_service.luxe.domain.ports import Clock, Paths
from luvus_service.luxe.domain.values import (
    Image,
    Input,
    Mode,
    Question,
    Todo,
    ToolKind,
    ToolStatus,
)

OutputStream: TypeAlias = Literal["stdout", "stderr", "status"]


class InputRefused(Exception):
    """The arguments do not fit; the sentence goes to the model as the call's failed result."""


@dataclass(frozen=True, slots=True)
class Preview:
    """What a call would do, for the prompt and the card."""

    title: str
    """At most 200 characters, such as "Edit src/app.py" or the command."""
    units: tuple[Unit, ...] = ()
    """Everything that needs a permission; empty for tools that touch nothing."""
    paths: tuple[str, ...] = ()
    command: str | None = None
    cwd: str | None = None
    path: str | None = None
    diff: str | None = None
    """Unified; of edit and write."""
    description: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a run."""

    output: str
    """For the model; the engine cuts it to 50 KB or 2,000 lines if the tool did not."""
    status: ToolStatus = "completed"
    """"completed", "failed" or "timed_out"; the others are the engine's."""
    truncated: bool = False
    output_path: str | None = None
    """Where the whole output is when it was cut."""
    exit_code: int | None = None
    diff: str | None = None
    additions: int | None = None
    deletions: int | None = None
    images: tuple[Image, ...] = ()
    changed: tuple[str, ...] = ()
    """Paths relative to the root that it wrote."""
    reason: str | None = None
    """Of a failure, for `tool_ended`."""


class PreparedCall(Protocol):
    """One call, frozen: what `run` does is what `preview` shows."""

    @property
    def preview(self) -> Preview:
        """What it would do."""
        ...

    async def run(self, progress: Progress) -> Outcome:
        """Do it.

        A fault of the call is an outcome with status "failed", never an exception. Cancelling
        ends all it started within 5 s: SIGTERM to process groups, SIGKILL after 2 s, then
        `CancelledError` leaves. Files are written whole or not at all. A file that changed since
        `prepare` is not overwritten: status "failed".
        """
        ...


class Progress(Protocol):
    """Where a running call reports; may be called as often as output comes."""

    def __call__(self, text: str, stream: OutputStream = "stdout") -> None:
        """Report output; the engine limits how much of it is sent."""
        ...


class Tool(Protocol):
    """Something the model may call. Stateless: what lives longer is in the `Workbench`."""

    @property
    def name(self) -> str:
        """How the model calls it."""
        ...

    @property
    def description(self) -> str:
        """What the model is told of it."""
        ...

    @property
    def parameters(self) -> Mapping[str, Any]:
        """JSON Schema of an object, for the model."""
        ...

    @property
    def kind(self) -> ToolKind:
        """How the client shows it."""
        ...

    @property
    def reads_only(self) -> bool:
        """Whether calls of it may run beside each other; True only when nothing is changed."""
        ...

    @property
    def modes(self) -> frozenset[Mode]:
        """In which modes the model is offered it."""
        ...

    async def prepare(self, given: Input, bench: Workbench) -> PreparedCall:
        """Check the arguments (aliases of peers included) and say what would be touched.

        Changes nothing. May read files (an edit needs the old text).

        Raises:
            InputRefused: The arguments do not fit or name something that is not there.
        """
        ...


class Workbench(Protocol):
    """What a tool works with: one for a session, or for a sub-agent of it.

    The engine implements it, with the adapters it was given.
    """

    @property
    def paths(self) -> Paths:
        """The file system as permissions see it."""
        ...

    @property
    def clock(self) -> Clock:
        """Time."""
        ...

    @property
    def environment(self) -> Mapping[str, str]:
        """For children: keys of providers removed, pagers off, no prompts."""
        ...

    @property
    def mode(self) -> Mode:
        """The mode now."""
        ...

    @property
    def read_only(self) -> bool:
        """Whether nothing may be changed, whatever anybody answers."""
        ...

    @property
    def call_id(self) -> str:
        """Of the call being prepared."""
        ...

    @property
    def files(self) -> FileLedger:
        """Which files this session has read."""
        ...

    def may_read(self, unit: PathUnit, folder: PathUnit) -> bool:
        """Say whether a file found in a searched folder may be read; others are left out.

        The call was judged by the folder: consent to search it covers what only asks below it.
        """
        ...

    def spill_folder(self) -> str:
        """Return the session's own folder for outputs too long for the model."""
        ...

    async def ask(self, questions: Sequence[Question]) -> list[tuple[str, ...]] | None:
        """Ask the user, one question after the other; None when it was declined.

        A cancelled turn raises `CancelledError`.
        """
        ...

    def set_todos(self, todos: Sequence[Todo]) -> None:
        """Replace the list."""
        ...

    def todos(self) -> Sequence[Todo]:
        """Return the list."""
        ...

    def plan_written(self, path: str, title: str | None, size: int, *, replaced: bool) -> None:
        """Tell the client that the plan is in a file."""
        ...

    async def delegate(
        self, prompt: str, *, kind: Literal["explore", "general"], description: str
    ) -> str:
        """Run a sub-agent to its end and return its last text; its prompts carry `call_id`.

        Raises:
            InputRefused: This is a sub-agent itself, or the model call failed.
        """
        ...


@dataclass(frozen=True, slots=True)
class FileStamp:
    """What a file was when it was last read or written here."""

    mtime_ns: int
    size: int
    sha256: str


class FileLedger(Protocol):
    """Which files this session has read, and in which state."""

    def seen(self, resolved: str) -> FileStamp | None:
        """Return the stamp of the last read or write, or None."""
        ...

    def note(self, resolved: str, stamp: FileStamp) -> None:
        """Remember a file as read or written now."""
        ...


class Toolbox(Protocol):
    """The tools that are there now; MCP servers and skills come and go."""

    def tools(self) -> Sequence[Tool]:
        """Return them in the order the model is told of them."""
        ...

    async def close(self) -> None:
        """End everything that outlives calls: background jobs, MCP servers; within 5 s."""
        ...
