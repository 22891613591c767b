"""Asks the git program about folders, off the loop and for a bounded time."""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress

from luvus_service.adapters.secret_variables import without_keys
from luvus_service.uhp.domain.ports import GitFacts

TIMEOUT_S = 5.0
"""How long one question may take before the answer is unknown."""
CONCURRENT = 4
"""Questions asked at one time."""
ANSWER_BYTES = 65_536

# Bounded by `TIMEOUT_S`, without locks that would get into the way of the user's own git.
_GIT = ("git", "--no-optional-locks", "-C")


class GitProgram:
    """The git program on PATH."""

    def __init__(self) -> None:
        self._places = asyncio.Semaphore(CONCURRENT)

    async def facts(self, folder: str) -> GitFacts:
        """Return a folder's branch, distance to upstream and repository."""
        async with self._places:
            shared = await _ask(folder, "rev-parse", "--path-format=absolute", "--git-common-dir")
            if shared is None:
                return GitFacts()
            branch = await _ask(folder, "symbolic-ref", "--short", "-q", "HEAD")
            counted = await _ask(folder, "rev-list", "--count", "--left-right", "@{u}...HEAD")
        behind, ahead = _counts(counted)
        return GitFacts(branch=branch, ahead=ahead, behind=behind, common_dir=shared)


def _counts(text: str | None) -> tuple[int | None, int | None]:
    words = (text or "").split()
    if len(words) != 2 or not all(word.isdigit() for word in words):
        return None, None
    return int(words[0]), int(words[1])


async def _ask(folder: str, *question: str) -> str | None:
    """Return the answer without its line end; None when there is none."""
    try:
        process = await asyncio.create_subprocess_exec(
            *_GIT,
            folder,
            *question,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env={**without_keys(os.environ), "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"},
        )
    except OSError:
        return None
    try:
        async with asyncio.timeout(TIMEOUT_S):
            assert process.stdout is not None
            answer = await process.stdout.read(ANSWER_BYTES)
            code = await process.wait()
    except TimeoutError:
        return None
    finally:
        # Also when whoever asked has been cancelled: the program must not outlive the question.
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    return answer.decode(errors="replace").strip() or None if code == 0 else None
