"""Runs the git program for bytes, off the loop, bounded in time and size."""

from __future__ import annotations

import asyncio
import os
import signal
import tempfile
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import IO

from luvus_service.adapters.secret_variables import without_keys

TIMEOUT_S = 10.0
OUTPUT_BYTES = 32 * 1024 * 1024
LITERAL = "--literal-pathspecs"
"""First of the words of a call whose paths are names: what was judged is what git looks at."""
_WITHOUT_LOCKS = ("git", "--no-optional-locks", "-C")
_QUIET = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_PAGER": "cat",
    "GIT_EDITOR": "true",
    "LC_ALL": "C",
}


class GitTimeout(Exception):
    """Git did not answer in time."""


@dataclass(frozen=True, slots=True)
class GitAnswer:
    """How git ended and what it said."""

    code: int
    out: bytes
    error: str = ""


async def git(
    folder: str, *words: str, feed: bytes | None = None, timeout: float = TIMEOUT_S
) -> GitAnswer:
    """Run git in a folder.

    Raises:
        GitTimeout: It took too long, or said too much; it is ended.
    """
    try:
        # A file and no pipe: git may end before it has read everything.
        with _fed(feed) as source:
            process = await _started(folder, words, source)
    except OSError as fault:
        return GitAnswer(127, b"", f"git cannot be started: {fault.strerror}")
    try:
        async with asyncio.timeout(timeout):
            out, error = await process.communicate()
    except TimeoutError:
        raise GitTimeout(f"git {words[0]} took longer than {timeout:.0f} s") from None
    finally:
        await _ended(process)
    if len(out) > OUTPUT_BYTES:
        raise GitTimeout(f"git {words[0]} said more than {OUTPUT_BYTES} bytes")
    return GitAnswer(process.returncode or 0, out, error.decode("utf-8", "replace")[:2000])


@contextmanager
def _fed(feed: bytes | None) -> Generator[IO[bytes] | int]:
    """Yield a file with these bytes that git reads from its beginning."""
    if feed is None:
        yield asyncio.subprocess.DEVNULL
        return
    with tempfile.TemporaryFile() as file:
        file.write(feed)
        file.seek(0)
        yield file


async def _started(
    folder: str, words: tuple[str, ...], source: IO[bytes] | int
) -> asyncio.subprocess.Process:
    # A start that is cancelled half-way leaves a process that nobody waits for: let it finish.
    start = asyncio.get_running_loop().create_task(
        asyncio.create_subprocess_exec(
            *_WITHOUT_LOCKS,
            folder,
            *words,
            stdin=source,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={**without_keys(os.environ), **_QUIET},
            start_new_session=True,
        )
    )
    try:
        return await asyncio.shield(start)
    except asyncio.CancelledError:
        await asyncio.wait({start})
        if start.exception() is None:
            await _ended(start.result())
        raise


async def _ended(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
