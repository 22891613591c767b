"""The port to what an agent keeps of its own: sessions it can resume, tokens it has used.

Also the pure arithmetic on usage. Where an agent keeps its files is its adapter's business.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from luvus_service.uhp.domain.errors import InvalidRequest, shown

SESSION_ID = r"[A-Za-z0-9._:/-]{1,256}"
_SESSION_ID = re.compile(SESSION_ID)


@dataclass(frozen=True, slots=True)
class StoredSession:
    """A conversation that the agent itself has on disk."""

    agent: str
    session_id: str
    cwd: str
    updated: float
    """Unix seconds."""
    path: str = ""


@dataclass(frozen=True, slots=True)
class Usage:
    """What a session has used; input without what came from the cache."""

    model: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    cache_read: int = 0
    cache_write: int = 0
    cost: float | None = None
    """US dollars as the agent says; None when it does not."""
    context: int | None = None
    """Tokens of the last request: how full the window was."""

    @property
    def cache(self) -> int:
        """Tokens read from and written to the cache."""
        return self.cache_read + self.cache_write

    def plus(self, other: Usage) -> Usage:
        """Return both together; the other one is the newer."""
        costs = [cost for cost in (self.cost, other.cost) if cost is not None]
        return Usage(
            model=other.model or self.model,
            tokens_in=self.tokens_in + other.tokens_in,
            tokens_out=self.tokens_out + other.tokens_out,
            cache_read=self.cache_read + other.cache_read,
            cache_write=self.cache_write + other.cache_write,
            cost=sum(costs) if costs else None,
            context=other.context if other.context is not None else self.context,
        )


def summed(parts: Iterable[Usage]) -> Usage | None:
    """Return parts together, the newest last; None when there is none."""
    total: Usage | None = None
    for part in parts:
        total = part if total is None else total.plus(part)
    return total


class AgentAdapter(Protocol):
    """What Luvus knows of one agent program."""

    id: str
    aliases: tuple[str, ...]
    launch: str
    """The word that starts it."""
    resume: tuple[str, ...]
    """The command that continues a session, `{id}` for its id; empty for none."""
    fork: tuple[str, ...]
    """The command that branches off a session; empty for none."""
    guesses: bool
    """Whether the newest session of a folder may stand for an unknown one."""

    def sessions(self, limit: int) -> Sequence[StoredSession]:
        """Return the newest sessions on disk, newest first; blocking, bounded, never raises."""
        ...

    def usage(self, session: StoredSession) -> Usage | None:
        """Return what a session has used, or None when that is not known; blocking."""
        ...


class Prices(Protocol):
    """Knows what tokens cost."""

    def cost(self, agent: str, usage: Usage, *, wait: bool = True) -> float | None:
        """Return US dollars, or None when the price is unknown; blocks unless told not to."""
        ...


def check_session_id(session_id: str, field: str = "session_id") -> None:
    """Refuse what is no session id.

    Raises:
        InvalidRequest: It is none.
    """
    if not _SESSION_ID.fullmatch(session_id):
        raise InvalidRequest(
            f"{field} has 1 to 256 letters, digits and ._:/-, not {shown(session_id)}"
        )


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens."""

    tokens_in: float
    tokens_out: float
    cache: float

    def cost(self, usage: Usage) -> float:
        """Return what this usage costs."""
        millionths = (
            usage.tokens_in * self.tokens_in
            + usage.tokens_out * self.tokens_out
            + usage.cache * self.cache
        )
        return millionths / 1_000_000


TABLE: tuple[tuple[str, Price], ...] = (
    ("opus", Price(15, 75, 1.5)),
    ("sonnet", Price(3, 15, 0.3)),
    ("haiku", Price(0.8, 4, 0.08)),
    ("gpt-4o", Price(2.5, 10, 1.25)),
    ("gpt-4.1", Price(2.5, 10, 1.25)),
    ("gpt-5", Price(2.5, 10, 1.25)),
    ("o1", Price(15, 60, 7.5)),
    ("o3", Price(15, 60, 7.5)),
)
"""Prices by part of a model's name, for when no better list is at hand."""
_SHORT_WINDOW = ("gpt", "o1", "o3")


def table_price(model: str, overrides: Mapping[str, Price] | None = None) -> Price | None:
    """Return the price of a model by part of its name; overrides win."""
    lowered = model.lower()
    for part, price in (overrides or {}).items():
        if part and part.lower() in lowered:
            return price
    return next((price for part, price in TABLE if part in lowered), None)


def context_fraction(usage: Usage) -> float | None:
    """Return how full the model's window was, 0 to 1, or None when unknown."""
    if usage.context is None or not usage.model:
        return None
    window = 128_000 if any(part in usage.model.lower() for part in _SHORT_WINDOW) else 200_000
    if window == 200_000 and usage.context > window:
        window = 1_000_000
    return min(1.0, usage.context / window)
