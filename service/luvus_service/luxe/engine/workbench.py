"""What the session is to a tool: paths, the user, the list of todos, which files were read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from luvus_service.luxe.domain.permission_units import PathUnit
from luvus_service.luxe.domain.permissions import covered
from luvus_service.luxe.domain.ports import Clock, Paths
from luvus_service.luxe.domain.session_events import PlanWritten
from luvus_service.luxe.domain.tool_ports import FileStamp, InputRefused
from luvus_service.luxe.domain.values import Mode, Question, Todo
from luvus_service.luxe.engine.conversation import Conversation
from luvus_service.luxe.engine.prompts import Prompts
from luvus_service.luxe.engine.state import State
from luvus_service.luxe.engine.world import World


class Delegates(Protocol):
    """Runs sub-agents."""

    async def __call__(
        self, bench: Bench, prompt: str, kind: Literal["explore", "general"], description: str
    ) -> str:
        """Run one and return its last text."""
        ...


class Ledger:
    """Which files this session has read, and in which state."""

    def __init__(self) -> None:
        self._stamps: dict[str, FileStamp] = {}

    def seen(self, resolved: str) -> FileStamp | None:
        """Return the stamp of the last read or write."""
        return self._stamps.get(resolved)

    def note(self, resolved: str, stamp: FileStamp) -> None:
        """Remember a file as read or written now."""
        self._stamps[resolved] = stamp

    def forget(self) -> None:
        """Remember nothing: another conversation has read other files."""
        self._stamps.clear()


@dataclass(slots=True)
class Bench:
    """The workbench of one call."""

    world: World
    state: State
    prompts: Prompts
    conversation: Conversation
    files: Ledger
    emit: Callable[[object], None]
    todos_changed: Callable[[], None]
    call_id: str
    turn_id: str
    told: set[str]
    """Instruction files below the working folder that are in the conversation."""
    delegates: Delegates | None = None
    changed: set[str] = field(default_factory=set[str])
    """Files that were changed on behalf of this call, by others: its sub-agent's."""

    @property
    def paths(self) -> Paths:
        """The file system as permissions see it."""
        return self.world.paths

    @property
    def clock(self) -> Clock:
        """Time."""
        return self.world.clock

    @property
    def environment(self) -> Mapping[str, str]:
        """For children."""
        return self.world.environment

    @property
    def mode(self) -> Mode:
        """The mode now."""
        return self.state.mode

    @property
    def read_only(self) -> bool:
        """Whether nothing may be changed."""
        return self.state.read_only

    def may_read(self, unit: PathUnit, folder: PathUnit) -> bool:
        """Say whether a file found in a searched folder may be read."""
        return covered(unit, folder, self.state.policy())

    def instructions(self, resolved: Sequence[str]) -> str:
        """Return the instructions of the folders of some paths that were not given yet."""
        found = self.world.beside(resolved, self.told)
        return "".join(
            f"\n\n[Instructions from {item.path} for what is in that folder:]\n{item.text}"
            for item in found
        )

    def spill_folder(self) -> str:
        """Return the session's own folder."""
        return self.conversation.log.folder

    async def ask(self, questions: Sequence[Question]) -> list[tuple[str, ...]] | None:
        """Ask one question after the other."""
        answers: list[tuple[str, ...]] = []
        self.state.act("question")
        try:
            for index, question in enumerate(questions):
                place = (index, len(questions))
                given = await self.prompts.ask(question, self.call_id, self.turn_id, place)
                if given is None:
                    return None
                answers.append(given)
        finally:
            self.state.act("tool")
        return answers

    def set_todos(self, todos: Sequence[Todo]) -> None:
        """Replace the list."""
        self.conversation.set_todos(tuple(todos))
        self.todos_changed()

    def todos(self) -> Sequence[Todo]:
        """Return the list."""
        return self.conversation.folded.todos

    def plan_written(self, path: str, title: str | None, size: int, *, replaced: bool) -> None:
        """Tell the client that the plan is in a file."""
        self.conversation.set_plan(path)
        self.emit(PlanWritten(path, title, size, self.turn_id, self.call_id, replaced))

    async def delegate(
        self, prompt: str, *, kind: Literal["explore", "general"], description: str
    ) -> str:
        """Run a sub-agent to its end."""
        if self.delegates is None:
            raise InputRefused("a sub-agent cannot start another one")
        return await self.delegates(self, prompt, kind, description)
