"""Runs one program in a session of its own and leaves nothing of it behind.

Its output is read as it comes; whatever it started is ended with it, at its own end, at a time
limit, or when the caller is cancelled.
"""

from __future__ import annotations

import asyncio
import os
import signal
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from luvus_service.adapters.tools import family
from luvus_service.luxe.domain.limits import TERM_S

CHUNK_BYTES = 64 * 1024
DRAIN_S = 0.25
"""How long output is still read after the program itself has ended."""
KILL_S = 1.5
"""How long killed processes may take to go."""
POLL_S = 0.01
POLL_MAX_S = 0.2


@dataclass(frozen=True, slots=True)
class Ending:
    """How a program ended."""

    how: Literal["exited", "timed_out", "flooded"]
    code: int | None
    """As the shell would say it: 128 and the signal's number for one that was killed."""
    left_over: int = 0
    """Processes that were still running when it had ended, and were ended too."""


class Child:
    """One running program."""

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        reader: asyncio.StreamReader,
        transport: asyncio.ReadTransport,
        mark: str,
        pipe: int,
    ) -> None:
        """Use `start`."""
        self._process = process
        self._reader = reader
        self._transport = transport
        self._mark = mark
        self._pipe = pipe

    @classmethod
    async def start(cls, words: Sequence[str], *, cwd: str, env: Mapping[str, str]) -> Child:
        """Start a program with its input closed and both outputs in one pipe.

        Cancelled, it ends what it started before it lets go.

        Raises:
            OSError: It cannot be started.
        """
        # A start that is cancelled half-way leaves processes that nobody knows: let it finish.
        starting = asyncio.get_running_loop().create_task(cls._begun(words, cwd, env))
        try:
            return await asyncio.shield(starting)
        except asyncio.CancelledError:
            starting.add_done_callback(_kill_at_once)
            await asyncio.wait({starting})
            if starting.exception() is None:
                await starting.result().dispose()
            raise

    @classmethod
    async def _begun(cls, words: Sequence[str], cwd: str, env: Mapping[str, str]) -> Child:
        mark = uuid.uuid4().hex
        out, into = os.pipe()
        try:
            process = await asyncio.create_subprocess_exec(
                *words,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=into,
                stderr=into,
                cwd=cwd,
                env={**env, family.MARK: mark},
                start_new_session=True,
            )
        except BaseException:
            os.close(out)
            raise
        finally:
            os.close(into)
        loop = asyncio.get_running_loop()
        pipe = os.fstat(out).st_ino
        reader = asyncio.StreamReader(limit=CHUNK_BYTES)
        transport, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(out, "rb", 0)
        )
        return cls(process, reader, transport, mark, pipe)

    async def finish(
        self, take: Callable[[bytes], bool], *, timeout: float | None = None
    ) -> Ending:
        """Read all output and wait for the end; `take` returns False when it is enough.

        Cancelled, it ends everything the program started before it lets go.
        """
        loop = asyncio.get_running_loop()
        reading = loop.create_task(self._read(take))
        waiting = loop.create_task(self._process.wait())
        both: set[asyncio.Task[Any]] = {reading, waiting}
        how: Literal["exited", "timed_out", "flooded"] = "exited"
        try:
            async with asyncio.timeout(timeout):
                await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
                if reading.done() and not reading.result():
                    how = "flooded"
                elif reading.done():
                    await waiting
                else:
                    await asyncio.wait({reading}, timeout=DRAIN_S)
        except TimeoutError:
            how = "timed_out"
        finally:
            own = None if waiting.done() else self._process.pid
            try:
                left = await self.end() - {own}
                await asyncio.wait({reading}, timeout=DRAIN_S)
            finally:
                self._transport.close()
                for task in both:
                    task.cancel()
                await asyncio.gather(*both, return_exceptions=True)
        code = self._process.returncode
        if code is not None and code < 0:
            code = 128 - code
        return Ending(how, code, len(left) if how == "exited" else 0)

    async def end(self) -> set[int]:
        """End the program and all it started; return which processes were still there.

        SIGTERM first, SIGKILL after `TERM_S`.
        """
        try:
            found = await asyncio.to_thread(self._members)
            if found or self._process.returncode is None:
                self._signal(found, signal.SIGTERM)
                # A stopped process would take the signal only when it goes on.
                self._signal(found, signal.SIGCONT)
                if not await self._wait_for_none(TERM_S):
                    self._signal(await asyncio.to_thread(self._members), signal.SIGKILL)
                    await self._wait_for_none(KILL_S)
        except asyncio.CancelledError:
            # Cancelled once more while ending: no time is left to be polite.
            self._signal(self._members(), signal.SIGKILL)
            await self._wait_for_none(KILL_S)
            raise
        return found

    async def dispose(self) -> None:
        """End the program where nobody reads it; for one whose `finish` never began."""
        try:
            await self.end()
        finally:
            self._transport.close()

    def kill(self) -> None:
        """Kill the program's own group, without looking for others."""
        family.send_group(self._process.pid, signal.SIGKILL)

    async def _wait_for_none(self, limit: float) -> bool:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + limit
        pause = POLL_S
        while True:
            left = await asyncio.to_thread(self._members)
            if not left and self._process.returncode is not None:
                return True
            if loop.time() >= deadline:
                return False
            if left == {self._process.pid} or not left:
                waiting = loop.create_task(self._process.wait())
                await asyncio.wait({waiting}, timeout=max(0.0, deadline - loop.time()))
                waiting.cancel()
            else:
                await asyncio.sleep(pause)
                pause = min(2 * pause, POLL_MAX_S)

    def _members(self) -> set[int]:
        pipe = None if self._reader.at_eof() else self._pipe
        return family.members(self._process.pid, self._mark, pipe)

    def _signal(self, pids: set[int], number: signal.Signals) -> None:
        if self._process.returncode is None or pids:
            family.send_group(self._process.pid, number)
        family.send(pids, number)

    async def _read(self, take: Callable[[bytes], bool]) -> bool:
        while data := await self._reader.read(CHUNK_BYTES):
            if not take(data):
                return False
        return True


def _kill_at_once(starting: asyncio.Task[Child]) -> None:
    # Also when whoever waits for the start is cancelled a second time.
    if not starting.cancelled() and starting.exception() is None:
        starting.result().kill()
