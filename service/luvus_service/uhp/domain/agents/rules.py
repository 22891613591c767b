"""Rules that read a state off a pane's title and the last rows of its screen.

A rule holds when all of its conditions hold; of the rules that hold the highest priority wins, and
of equal ones the later. Everything is compared in lower case.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from luvus_service.uhp.domain.agents.states import Region, State

ROWS = 14
"""Rows of the screen that are looked at, from the bottom."""
PICTURE = 3
"""So many spinner characters in a row are part of a picture; no spinner is that wide."""
HINT_LINES = 6
"""Lines from the bottom, blank ones not counted, in which a dialog's question is looked for."""
_BOX = "│┃║|╭╮╰╯─━┌┐└┘├┤╎╏▌▐ \t"

_BRAILLE = range(0x2801, 0x2900)
_MOONS = range(0x1F311, 0x1F319)
_QUARTERS = range(0x25D0, 0x25D4)


def is_spinner(character: str) -> bool:
    """Tell whether a character is one that spinners are drawn with."""
    code = ord(character)
    return code in _BRAILLE or code in _MOONS or code in _QUARTERS


def _pictures(line: str) -> bool:
    return len(line) >= PICTURE and all(map(is_spinner, line[:PICTURE]))


class Text:
    """A region's text, prepared once for all rules."""

    def __init__(self, text: str) -> None:
        self.text = text.lower()

    @cached_property
    def joined(self) -> str:
        """The text as one line without boxes, so that a narrow screen's breaks do not matter."""
        parts = (line.strip(_BOX) for line in self.text.split("\n"))
        return " ".join(part for part in parts if part)

    @cached_property
    def spins(self) -> bool:
        """Whether a line starts with a spinner, and not with a picture drawn in its letters."""
        lines = (line.strip() for line in self.text.split("\n"))
        return any(line and is_spinner(line[0]) and not _pictures(line) for line in lines)

    def has(self, part: str) -> bool:
        """Tell whether a part occurs, also across a line break."""
        return part in self.text or part in self.joined

    def spins_after(self, prefix: str) -> bool:
        """Tell whether a spinner follows a prefix at the start."""
        rest = self.text.strip().removeprefix(prefix)
        return rest != self.text.strip() and bool(rest) and is_spinner(rest[0])


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule; the empty agent stands for all."""

    state: State
    priority: int = 0
    agent: str = ""
    region: Region = "screen"
    any: tuple[str, ...] = ()
    all: tuple[str, ...] = ()
    none: tuple[str, ...] = ()
    groups: tuple[tuple[str, ...], ...] = ()
    """Of each group at least one."""
    spinner: bool = False
    starts_with: tuple[str, ...] = ()
    spinner_after: tuple[str, ...] = ()

    @property
    def has_condition(self) -> bool:
        """Whether anything has to hold; a rule without a condition is no rule."""
        conditions = (self.any, self.all, self.none, self.groups, self.starts_with)
        return self.spinner or bool(self.spinner_after) or any(map(bool, conditions))

    def holds(self, text: Text) -> bool:
        """Tell whether all conditions hold for its region's text."""
        return (
            (not self.any or any(map(text.has, self.any)))
            and all(map(text.has, self.all))
            and not any(map(text.has, self.none))
            and all(any(map(text.has, group)) for group in self.groups)
            and (not self.spinner or text.spins)
            and (not self.starts_with or text.text.strip().startswith(self.starts_with))
            and (not self.spinner_after or any(map(text.spins_after, self.spinner_after)))
        )


@dataclass(frozen=True, slots=True)
class Inspected:
    """What is looked at of a pane."""

    title: Text
    screen: Text

    def region(self, name: Region) -> Text:
        """Return one region."""
        return self.title if name == "title" else self.screen


def decide(rules: Iterable[Rule], agent: str, inspected: Inspected) -> Rule | None:
    """Return the rule that wins for an agent, or None when none holds."""
    best: Rule | None = None
    for rule in rules:
        if rule.agent not in ("", agent) or (best and rule.priority < best.priority):
            continue
        if rule.holds(inspected.region(rule.region)):
            best = rule
    return best


def bottom(text: str, *, rows: int = ROWS, filled: bool = False) -> str:
    """Return the last rows of a screen; with `filled` blank ones are not counted."""
    lines = text.split("\n")
    if filled:
        lines = [line for line in lines if line.strip()]
    return "\n".join(lines[-rows:])


def hint(text: str) -> str | None:
    """Return the question that is asked, or else the last line that says something.

    Answers stand below their question, so the last line alone often is no more than "2. No".
    """
    lines = [line for line in (line.strip(_BOX) for line in text.split("\n")) if line]
    questions = [line for line in lines[-HINT_LINES:] if line.endswith("?")]
    return next(reversed(questions or lines), None)
