"""Runs the git program for bytes, off the loop, bounded in time and size."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import suppress
from dataclasses import dataclass

TIMEOUT_S = 10.0
OUTPUT_BYTES = 32 * 1024 * 1024
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
        process = await asyncio.create_subprocess_exec(
            *_WITHOUT_LOCKS,
            folder,
            *words,
            stdin=asyncio.subprocess.DEVNULL if feed is None else asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={**os.environ, **_QUIET},
            start_new_session=True,
        )
    except OSError as fault:
        return GitAnswer(127, b"", f"git cannot be started: {fault.strerror}")
    try:
        async with asyncio.timeout(timeout):
            out, error = await process.communicate(feed)
    except TimeoutError:
        raise GitTimeout(f"git {words[0]} took longer than {timeout:.0f} s") from None
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
    if len(out) > OUTPUT_BYTES:
        raise GitTimeout(f"git {words[0]} said more than {OUTPUT_BYTES} bytes")
    return GitAnswer(process.returncode or 0, out, error.decode("utf-8", "replace")[:2000])
