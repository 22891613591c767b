"""What may be typed to an agent, and when a prompt counts as answered."""

from __future__ import annotations

import shlex
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from luvus_service.uhp.domain.agents.states import State, StateSource, WaitState
from luvus_service.uhp.domain.errors import InvalidRequest

PROMPT_CHARS = 262_144
QUIET_S = 1.2
"""Silence after new output that counts as the end of a turn too short to be seen working."""
LINE_READER_S = 5.0
"""Silence after which an agent without bracketed paste is taken to read lines, not to load."""
DEFAULT_UNTIL: tuple[WaitState, ...] = ("idle", "done", "blocked")
ARGS = 64
ARG_CHARS = 4096
_ALLOWED = "\n\r\t"

Evidence: TypeAlias = Literal["queued", "state_transition", "output_settled", "timeout"]


@dataclass(slots=True)
class Turn:
    """What was seen since a prompt was sent."""

    baseline: int
    """The content revision at the moment of sending."""
    observed: Literal["working", "blocked"] | None = None
    """The first new state that shows that the agent took it."""
    revision: int = 0
    changed_at: float = 0.0
    """When the output changed last."""

    def saw(self, state: State) -> None:
        """Note a state that was published after the prompt was sent."""
        if self.observed is None and state in ("working", "blocked"):
            self.observed = "blocked" if state == "blocked" else "working"

    def changed(self, revision: int, now: float) -> None:
        """Note a publication of the screen."""
        if revision > self.revision:
            self.revision = revision
            self.changed_at = now

    def settles_at(self) -> float | None:
        """Return when the output counts as settled if it stays silent; None before any came."""
        return self.changed_at + QUIET_S if self.revision > self.baseline else None

    def evidence(self, state: State, until: Sequence[WaitState], now: float) -> Evidence | None:
        """Return why the prompt counts as answered in this state, or None when it does not yet.

        The state before the prompt never counts: it takes a transition since, or new output that
        has fallen silent.
        """
        if state not in until:
            return None
        if self.observed is not None:
            return "state_transition"
        settled = self.settles_at()
        return "output_settled" if settled is not None and now >= settled else None


def check_prompt(text: str) -> None:
    """Refuse a text that would do more than be read.

    Raises:
        InvalidRequest: It is empty, too long, or has control characters.
    """
    if not text:
        raise InvalidRequest("text must not be empty")
    if len(text) > PROMPT_CHARS:
        raise InvalidRequest(f"text has at most {PROMPT_CHARS} characters, this has {len(text)}")
    for character in text:
        if unicodedata.category(character) in ("Cc", "Cs") and character not in _ALLOWED:
            raise InvalidRequest(
                f"text has the control character U+{ord(character):04X}; use agent.keys for keys"
            )


def takes_prompts(
    reading: State,
    source: StateSource,
    published: State,
    *,
    pastes: bool,
    silent_s: float,
) -> bool:
    """Tell whether an agent that has just started would take a prompt now.

    A process that runs may still be loading, and what is typed then is often thrown away when it
    sets its terminal up. So it takes its own word, or the sign that it has set the terminal up
    (`pastes`: bracketed paste is on) together with its composer on the screen or a state that has
    held; a program that never sets it up counts after it was silent for long.
    """
    if "blocked" in (reading, published) or reading not in ("idle", "done"):
        return False
    held = published in ("idle", "done")
    if source == "integration_report":
        return held
    return (pastes and (held or source == "manifest_rule")) or (held and silent_s >= LINE_READER_S)


def launch_command(kind: str, args: Sequence[str]) -> str:
    """Return the line that starts an agent in a shell.

    Raises:
        InvalidRequest: An argument is too long, or would end the line.
    """
    for number, arg in enumerate(args, 1):
        if len(arg) > ARG_CHARS:
            raise InvalidRequest(f"argument {number} has more than {ARG_CHARS} characters")
        if any(character in arg for character in "\n\r\0"):
            raise InvalidRequest(f"argument {number} has a line break or NUL")
        if any(unicodedata.category(c) in ("Cc", "Cs") for c in arg):
            raise InvalidRequest(f"argument {number} has a control character")
    return " ".join(shlex.quote(word) for word in (kind, *args))


def native_command(argv: Sequence[str], session_id: str) -> str:
    """Return a resume or fork command; `{id}` in a word stands for the quoted session id."""
    quoted = "'" + session_id.replace("'", "'\\''") + "'"
    return " ".join(word.replace("{id}", quoted) for word in argv)
