"""A conversation made of screens: what the person said, and what the agent showed since.

Pure: screens go in as texts, messages come out. Knows no agent, no session and no HTTP.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Literal, TypeAlias

MOST_MESSAGES = 1000
"""Older messages are dropped; ids go on rising."""
MOST_CHARS = 262_144
"""The newest characters of a message that are kept."""
_ALIGNED = 8
"""Lines that must agree for two cut-off screens to be laid over each other."""
_GLYPHS = " \t>❯›»│┃|"
"""What agents draw before a prompt that they repeat."""

Role: TypeAlias = Literal["user", "agent"]


@dataclass(slots=True)
class Message:
    """A message; `version` tells when it was last changed."""

    id: int
    role: Role
    content: str
    time: str
    version: int


class Conversation:
    """The messages, newest last; the newest of the agent grows while the agent works."""

    def __init__(self, screen: str, now: str) -> None:
        self._messages: deque[Message] = deque(maxlen=MOST_MESSAGES)
        self._before: list[str] = []
        self._prompt = ""
        self._next = 0
        self.version = 0
        self.show(screen, now)

    def messages(self, after_version: int = 0) -> list[Message]:
        """Return the messages that were changed after a version, oldest first."""
        return [message for message in self._messages if message.version > after_version]

    def say(self, prompt: str, before: str, now: str) -> None:
        """Add what the person said; the agent's next message is what differs from this screen."""
        self._add("user", prompt, now)
        self._before = _lines(before)
        self._prompt = prompt

    def show(self, screen: str, now: str) -> bool:
        """Take the agent's present screen; return whether its message changed."""
        content = answer(self._before, _lines(screen), self._prompt)[-MOST_CHARS:]
        newest = self._messages[-1] if self._messages else None
        if newest is None or newest.role == "user":
            if newest is not None and not content:
                return False
            self._add("agent", content, now)
            return True
        if newest.content == content:
            return False
        newest.content = content
        newest.time = now
        newest.version = self._step()
        return True

    def _add(self, role: Role, content: str, now: str) -> None:
        self._messages.append(Message(self._next, role, content, now, self._step()))
        self._next += 1

    def _step(self) -> int:
        self.version += 1
        return self.version


def answer(before: list[str], after: list[str], prompt: str) -> str:
    """Return what a screen shows that an earlier one did not, without the prompt itself."""
    before = before[_shift(before, after) :]
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    end = 0
    while (
        end < min(len(before), len(after)) - start and before[len(before) - 1 - end] == after[~end]
    ):
        end += 1
    found = _without_prompt(after[start : len(after) - end], prompt)
    return "\n".join(found).strip("\n")


def _shift(before: list[str], after: list[str]) -> int:
    """Return how many lines have left the top since the earlier screen."""
    head = after[:_ALIGNED]
    if len(head) == _ALIGNED:
        for at in range(len(before) - _ALIGNED + 1):
            if before[at : at + _ALIGNED] == head:
                return at
    return 0


def _without_prompt(lines: list[str], prompt: str) -> list[str]:
    wanted = "".join(prompt.split())
    repeated = ""
    for count, line in enumerate(lines):
        repeated += "".join(line.lstrip(_GLYPHS).split())
        if not repeated:
            continue
        if repeated == wanted:
            return lines[count + 1 :]
        if not wanted.startswith(repeated):
            break
    return lines


def _lines(screen: str) -> list[str]:
    lines = [line.rstrip() for line in screen.splitlines()]
    while lines and not lines[-1]:
        lines.pop()
    return lines
