"""What `target` means: an alias, a pane, or the only live agent of a kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from luvus_service.uhp.domain.agents.errors import AmbiguousTarget
from luvus_service.uhp.domain.errors import DomainError, NotFound, shown
from luvus_service.uhp.domain.ids import parse_pane_id

SHOWN = 8
"""Candidates that an error text names."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A pane with an agent, as far as a target can mean it."""

    pane: int
    agent: str
    cwd: str


def resolve(
    target: str,
    aliases: Mapping[str, int],
    panes: frozenset[int],
    candidates: Sequence[Candidate],
    *,
    kinds: bool = True,
) -> int:
    """Return the live pane that is meant.

    Raises:
        NotFound: Nothing live answers to it.
        AmbiguousTarget: Several agents are of this kind; the text names them.
    """
    if target in aliases:
        return aliases[target]
    pane = _pane(target)
    if pane is not None:
        if pane not in panes:
            raise NotFound(f"no such pane: {pane}")
        return pane
    found = [c for c in candidates if kinds and c.agent == target.lower()]
    if len(found) == 1:
        return found[0].pane
    if found:
        named = ", ".join(f"pane {c.pane} in {c.cwd}" for c in found[:SHOWN])
        raise AmbiguousTarget(f"{len(found)} agents are of kind {target}: {named}; name one")
    if not kinds:
        raise NotFound(f"no live pane is named {shown(target)}; give an alias or a pane's id")
    raise NotFound(f"no live agent is named {shown(target)}, and none is of this kind")


def _pane(target: str) -> int | None:
    try:
        return parse_pane_id(target, "target")
    except DomainError:
        return None
