"""Tools of a few lines that implement the ports of the agent's tools."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from luvus_service.luxe.domain.permission_units import CommandUnit, Unit
from luvus_service.luxe.domain.tool_ports import (
    InputRefused,
    Outcome,
    PreparedCall,
    Preview,
    Progress,
    Workbench,
)
from luvus_service.luxe.domain.values import Input, Mode, Question, ToolKind


@dataclass
class Prepared:
    """A call that does what it was given."""

    preview: Preview
    work: Callable[[Progress], Any]

    async def run(self, progress: Progress) -> Outcome:
        outcome: Outcome = await self.work(progress)
        return outcome


@dataclass
class Running:
    """What a test knows of calls under way."""

    started: dict[str, asyncio.Event] = field(default_factory=dict[str, asyncio.Event])
    release: dict[str, asyncio.Event] = field(default_factory=dict[str, asyncio.Event])
    order: list[str] = field(default_factory=list[str])
    cancelled: list[str] = field(default_factory=list[str])

    def begun(self, name: str) -> asyncio.Event:
        return self.started.setdefault(name, asyncio.Event())

    def gate(self, name: str) -> asyncio.Event:
        return self.release.setdefault(name, asyncio.Event())


@dataclass
class FakeTool:
    """A tool that says what it was given; `hold` makes it wait for its gate of that name."""

    name: str
    kind: ToolKind = "read"
    reads_only: bool = True
    units: Callable[[Input, Workbench], tuple[Unit, ...]] = lambda _given, _bench: ()
    running: Running = field(default_factory=Running)
    description: str = "A tool of a test."
    parameters: Mapping[str, Any] = field(default_factory=lambda: {"type": "object"})
    modes: frozenset[Mode] = frozenset({"build", "plan"})

    async def prepare(self, given: Input, bench: Workbench) -> PreparedCall:
        if given.get("refuse"):
            raise InputRefused(str(given["refuse"]))
        tag = str(given.get("tag", self.name))

        async def work(progress: Progress) -> Outcome:
            self.running.order.append(tag)
            self.running.begun(tag).set()
            progress(f"{tag} begins\n")
            try:
                if given.get("hold"):
                    await self.running.gate(tag).wait()
            except asyncio.CancelledError:
                self.running.cancelled.append(tag)
                raise
            if given.get("burst"):
                raise RuntimeError("burst")
            return Outcome(f"{tag} done", changed=tuple(given.get("changes", ())))

        preview = Preview(f"{self.name} {tag}", self.units(given, bench))
        return Prepared(preview, work)


@dataclass
class AskingTool(FakeTool):
    """A tool that asks the user."""

    async def prepare(self, given: Input, bench: Workbench) -> PreparedCall:
        async def work(_progress: Progress) -> Outcome:
            answers = await bench.ask([Question(text) for text in given["questions"]])
            return Outcome("declined" if answers is None else repr(answers))

        return Prepared(Preview("ask"), work)


def shell(given: Input, _bench: Workbench) -> tuple[Unit, ...]:
    """Return the unit of a command that asks, with the pattern that `always` would store."""
    command = str(given["command"])
    words = tuple(command.split())
    return (CommandUnit(command, words, always=f"{words[0]} *"),)
