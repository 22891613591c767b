"""Background jobs of one session: at most `BACKGROUND_JOBS`, ended when the session closes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from luvus_service.adapters.tools.arguments import Arguments, Prepared, integer, schema, string
from luvus_service.adapters.tools.capture import Capture
from luvus_service.adapters.tools.child import Child, Ending
from luvus_service.luxe.domain.limits import BACKGROUND_JOBS, OUTPUT_BYTES
from luvus_service.luxe.domain.project_events import JobState
from luvus_service.luxe.domain.tool_ports import (
    InputRefused,
    Outcome,
    PreparedCall,
    Preview,
    Progress,
    Workbench,
)
from luvus_service.luxe.domain.values import Input, Mode, ToolKind

WAIT_S = 60
REMEMBERED = 64
"""Jobs that ended and can still be asked about."""


class JobsFull(Exception):
    """As many jobs run as may."""


@dataclass(slots=True)
class Job:
    """One background job."""

    name: str
    command: str
    child: Child
    capture: Capture
    started: float
    """By the wall clock."""
    task: asyncio.Task[Ending] | None = None
    fresh: bytearray = field(default_factory=bytearray)
    missed: int = 0
    news: asyncio.Event = field(default_factory=asyncio.Event)

    def take(self, data: bytes) -> bool:
        """Keep output for the next question."""
        self.capture.add(data)
        self.fresh += data
        self.news.set()
        if len(self.fresh) > OUTPUT_BYTES:
            self.missed += len(self.fresh) - OUTPUT_BYTES
            del self.fresh[:-OUTPUT_BYTES]
        return not self.capture.full

    def said(self) -> str:
        """Return what was printed since the last question."""
        text = self.fresh.decode("utf-8", "replace")
        if self.missed:
            text = f"[{self.missed} earlier bytes left out]\n{text}"
        self.fresh.clear()
        self.missed = 0
        self.news.clear()
        return text

    async def wait(self, seconds: float) -> None:
        """Wait for output or the end, at most so long."""
        loop = asyncio.get_running_loop()
        if self.task is None or self.task.done() or self.news.is_set() or not seconds:
            return
        news = loop.create_task(self.news.wait())
        try:
            await asyncio.wait(
                {news, self.task}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED
            )
        finally:
            news.cancel()

    @property
    def running(self) -> bool:
        """Whether it has not ended."""
        return self.task is not None and not self.task.done()

    def standing(self) -> JobState:
        """Return whether it runs, has exited by itself or was ended."""
        if self.task is None or not self.task.done():
            return "running"
        ended = self.task.cancelled() or self.task.exception() is not None
        return "ended" if ended else "exited"

    def state(self) -> str:
        """Return a line about how it stands."""
        standing = self.standing()
        if standing == "running" or self.task is None:
            return f"[{self.name} is running]"
        if standing == "ended":
            return f"[{self.name} was ended]"
        return f"[{self.name} has ended with exit code {self.task.result().code}]"


class Jobs:
    """The background jobs; the owner of their tasks."""

    def __init__(self, changed: Callable[[], None] = lambda: None) -> None:
        """`changed` is called when a job began or ended."""
        self._jobs: dict[str, Job] = {}
        self._count = 0
        self._changed = changed

    def listed(self) -> Sequence[Job]:
        """Return the jobs that can be asked about, oldest first."""
        return tuple(self._jobs.values())

    def add(self, child: Child, capture: Capture, command: str, started: float) -> str:
        """Take over a running program and return the job's name.

        Raises:
            JobsFull: Too many run; the program is still the caller's.
        """
        running = [job for job in self._jobs.values() if job.running]
        if len(running) >= BACKGROUND_JOBS:
            raise JobsFull(f"{BACKGROUND_JOBS} background jobs are running: end one with bash_kill")
        self._count += 1
        job = Job(f"job_{self._count}", command, child, capture, started)
        job.task = asyncio.get_running_loop().create_task(child.finish(job.take), name=job.name)
        job.task.add_done_callback(lambda _: self._changed())
        self._jobs[job.name] = job
        for name in [name for name, old in self._jobs.items() if not old.running][:-REMEMBERED]:
            self._jobs.pop(name).capture.finish()
        self._changed()
        return job.name

    def get(self, name: str) -> Job:
        """Return a job.

        Raises:
            InputRefused: There is none of this name.
        """
        if name not in self._jobs:
            known = ", ".join(self._jobs) or "none"
            raise InputRefused(f"there is no background job {name!r}; there are: {known}")
        return self._jobs[name]

    async def end(self, job: Job) -> None:
        """End a job and all it started."""
        if job.task is not None:
            job.task.cancel()
            await asyncio.gather(job.task, return_exceptions=True)
            # A task that is cancelled before its first step has ended nothing.
            await job.child.dispose()
        job.capture.finish()

    async def close(self) -> None:
        """End all jobs."""
        await asyncio.gather(*(self.end(job) for job in self._jobs.values()))
        self._jobs.clear()


class JobOutputTool:
    """Reads what a background job printed."""

    name = "bash_output"
    description = "Return what a background job printed since the last time, and whether it runs."
    parameters: Mapping[str, Any] = schema(
        ("id",),
        id=string("The job's id, such as job_1."),
        wait=integer("Seconds to wait for output when there is none; 0 if not given.", 0, WAIT_S),
    )
    kind: ToolKind = "execute"
    reads_only = True
    modes: frozenset[Mode] = frozenset({"build", "plan"})

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs

    async def prepare(self, given: Input, bench: Workbench) -> PreparedCall:
        """Find the job."""
        arguments = Arguments(given)
        job = self._jobs.get(arguments.text("id", "bash_id", "job"))
        seconds = arguments.number("wait", default=0, least=0, most=WAIT_S)

        async def work(_progress: Progress) -> Outcome:
            await job.wait(seconds)
            text = job.said()
            return Outcome(text + ("\n" if text and not text.endswith("\n") else "") + job.state())

        return Prepared(Preview(f"Output of {job.name}: {job.command}"), work)


class JobKillTool:
    """Ends a background job."""

    name = "bash_kill"
    description = "End a background job and everything it started."
    parameters: Mapping[str, Any] = schema(("id",), id=string("The job's id, such as job_1."))
    kind: ToolKind = "execute"
    reads_only = False
    modes: frozenset[Mode] = frozenset({"build", "plan"})

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs

    async def prepare(self, given: Input, bench: Workbench) -> PreparedCall:
        """Find the job."""
        job = self._jobs.get(Arguments(given).text("id", "bash_id", "job"))

        async def work(_progress: Progress) -> Outcome:
            await self._jobs.end(job)
            return Outcome(job.state())

        return Prepared(Preview(f"End {job.name}: {job.command}"), work)
