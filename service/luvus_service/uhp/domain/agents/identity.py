"""Which agent is in a pane: from its processes, else from what was launched, titled or shown.

When the process table saw anything of the pane it is the whole answer; texts only count when
nothing can be seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from luvus_service.uhp.domain.agents.states import IdentitySource

_TOKEN = re.compile(r"[a-z0-9_.@/-]+")


@dataclass(frozen=True, slots=True)
class Names:
    """The words that stand for one agent."""

    distinct: tuple[str, ...] = ()
    """Mean this agent wherever they are read."""
    ambiguous: tuple[str, ...] = ()
    """Ordinary words too: they count for programs and titles, not for text on a screen."""
    packages: tuple[str, ...] = ()
    """Parts of a script's path that give away its package."""
    priority: int = 0
    """Of two agents whose names a program has, the higher one."""


@dataclass(frozen=True, slots=True)
class Identity:
    """An agent and how it was told."""

    agent: str
    source: IdentitySource


NOBODY = Identity("", "none")


@dataclass(frozen=True, slots=True)
class Known:
    """Everything that can be told of a pane without asking it."""

    observed: bool
    """Whether the process table saw the pane's processes."""
    programs: tuple[str, ...] = ()
    """Of each process the path of its program, or of its script."""
    command: tuple[str, ...] = ()
    """What was started in the pane."""
    title: str = ""
    screen: str = ""
    before: str = ""
    """The agent that was there at the last reading."""


@dataclass(frozen=True, slots=True)
class Registry:
    """The agents in order of precedence, by name."""

    agents: Mapping[str, Names] = field(default_factory=dict[str, Names])

    def identify(self, known: Known) -> Identity:
        """Return who is there."""
        if known.observed:
            found = self._of_programs(known.programs)
            return Identity(found, "process_tree") if found else NOBODY
        sources: tuple[tuple[IdentitySource, str, bool], ...] = (
            ("launch_command", " ".join(known.command), True),
            ("osc_title", known.title, True),
            ("screen_text", known.screen, False),
        )
        for source, text, ambiguous in sources:
            found = self.in_text(text, ambiguous=ambiguous)
            if found:
                return Identity(found, source)
        if known.before in self.agents:
            return Identity(known.before, "prior_identity")
        word = base_name(known.command[0]) if known.command else ""
        return Identity(word, "command_fallback") if word else NOBODY

    def in_text(self, text: str, *, ambiguous: bool) -> str:
        """Return the first agent with a whole word in a text, or ""."""
        lowered = text.lower()
        tokens = {part for token in _TOKEN.findall(lowered) for part in (token, base_name(token))}
        for agent, names in self.agents.items():
            words = (*names.distinct, *(names.ambiguous if ambiguous else ()))
            if any(_spoken(word, tokens, lowered) for word in words):
                return agent
        return ""

    def _of_programs(self, programs: Iterable[str]) -> str:
        best, priority = "", -1
        for program in programs:
            path = program.lower().replace("\\", "/")
            name = base_name(path)
            for agent, names in self.agents.items():
                if names.priority > priority and _is_program(names, name, path):
                    best, priority = agent, names.priority
            if best:
                return best
        return best


def base_name(word: str) -> str:
    """Return a program's name: no folders, no `.exe`, no leading dash, lower case."""
    name = word.replace("\\", "/").rstrip("/").rpartition("/")[2].lstrip("-").lower()
    return name.removesuffix(".exe")


def _is_program(names: Names, name: str, path: str) -> bool:
    if name in names.distinct or name in names.ambiguous:
        return True
    return any(f"/{package}/" in f"/{path}" for package in names.packages)


def _spoken(word: str, tokens: set[str], text: str) -> bool:
    if " " in word:
        return re.search(rf"(?<![a-z0-9]){re.escape(word)}(?![a-z0-9])", text) is not None
    return word in tokens
