"""A workbench for one tool at a time: a real project folder, and a user who answers at once."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from luvus_service.adapters.tools.paths import ProjectPaths
from luvus_service.luxe.domain.permission_units import PathUnit
from luvus_service.luxe.domain.permissions import Policy, Rule, covered, decide
from luvus_service.luxe.domain.tool_ports import (
    FileStamp,
    InputRefused,
    Outcome,
    OutputStream,
    Tool,
)
from luvus_service.luxe.domain.values import Mode, Question, Todo


class RealClock:
    """Time as it is."""

    def time(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()


@dataclass
class Ledger:
    """What was read."""

    stamps: dict[str, FileStamp] = field(default_factory=dict[str, FileStamp])

    def seen(self, resolved: str) -> FileStamp | None:
        return self.stamps.get(resolved)

    def note(self, resolved: str, stamp: FileStamp) -> None:
        self.stamps[resolved] = stamp


@dataclass
class Said:
    """Collects progress."""

    texts: list[str] = field(default_factory=list[str])
    more: asyncio.Event = field(default_factory=asyncio.Event)

    def __call__(self, text: str, stream: OutputStream = "stdout") -> None:
        self.texts.append(text)
        self.more.set()

    async def saw(self, sign: str, limit: float = 10.0) -> None:
        """Wait until the progress holds a text."""
        async with asyncio.timeout(limit):
            while sign not in "".join(self.texts):
                self.more.clear()
                await self.more.wait()


@dataclass
class ToolBench:
    """Implements the workbench over a folder; `spill` is a folder beside it."""

    folder: Path
    spill: Path
    rules: tuple[Rule, ...] = ()
    answers: list[tuple[str, ...]] | None = None
    mode: Mode = "build"
    read_only: bool = False
    call_id: str = "call_1"
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    files: Ledger = field(default_factory=Ledger)
    clock: RealClock = field(default_factory=RealClock)
    asked: list[Question] = field(default_factory=list[Question])
    list_of_todos: list[Todo] = field(default_factory=list[Todo])
    plans: list[tuple[str, str | None, int, bool]] = field(
        default_factory=list[tuple[str, str | None, int, bool]]
    )
    delegated: list[tuple[str, str, str]] = field(default_factory=list[tuple[str, str, str]])
    refuse_delegation: str | None = None

    @property
    def paths(self) -> ProjectPaths:
        return ProjectPaths(str(self.folder), str(self.folder), home="/home/nobody")

    def policy(self) -> Policy:
        return Policy(rules=self.rules, home="/home/nobody", root=str(self.folder))

    def may_read(self, unit: PathUnit, folder: PathUnit) -> bool:
        return covered(unit, folder, self.policy())

    def spill_folder(self) -> str:
        self.spill.mkdir(mode=0o700, exist_ok=True)
        return str(self.spill)

    async def ask(self, questions: Sequence[Question]) -> list[tuple[str, ...]] | None:
        self.asked.extend(questions)
        return self.answers

    def set_todos(self, todos: Sequence[Todo]) -> None:
        self.list_of_todos = list(todos)

    def todos(self) -> Sequence[Todo]:
        return self.list_of_todos

    def plan_written(self, path: str, title: str | None, size: int, *, replaced: bool) -> None:
        self.plans.append((path, title, size, replaced))

    async def delegate(
        self, prompt: str, *, kind: Literal["explore", "general"], description: str
    ) -> str:
        if self.refuse_delegation is not None:
            raise InputRefused(self.refuse_delegation)
        self.delegated.append((prompt, kind, description))
        return f"report on {prompt}"

    async def call(self, tool: Tool, said: Said | None = None, **given: Any) -> Outcome:
        """Prepare and run a call whether it is permitted or not."""
        prepared = await tool.prepare(given, self)
        return await prepared.run(said or Said())

    async def verdict(self, tool: Tool, **given: Any) -> str:
        """Return what the permission rules say of a call."""
        prepared = await tool.prepare(given, self)
        return decide(prepared.preview.units, self.policy()).verdict


def bench_in(folder: Path, **more: Any) -> ToolBench:
    """Return a workbench whose project is `folder`/project."""
    project = folder / "project"
    project.mkdir(exist_ok=True)
    return ToolBench(project.resolve(), folder / "spill", **more)
