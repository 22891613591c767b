"""Manifests: what a TOML document says of an agent's names and rules.

Takes the parsed document. A bad rule is dropped and named; a bad document is refused as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from luvus_service.uhp.domain.agents.identity import Names, Registry
from luvus_service.uhp.domain.agents.rules import Rule
from luvus_service.uhp.domain.agents.states import State

GENERIC = "generic"
RULES = 512
"""Rules of one manifest."""
WORDS = 256
"""Words of one condition."""
_STATES = ("working", "blocked", "idle", "done")
_REGIONS = ("screen", "title")


class BadManifest(Exception):
    """A document that is no manifest; the text says why."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """One document."""

    agent: str
    """Empty for rules about all agents."""
    names: Names | None
    replaces: bool
    rules: tuple[Rule, ...]
    dropped: tuple[str, ...] = ()
    rows: int | None = None
    filled: bool = False


@dataclass(frozen=True, slots=True)
class Catalog:
    """All manifests together."""

    registry: Registry
    rules: tuple[Rule, ...]
    rows: Mapping[str, int]
    """Rows of the screen looked at, for agents that draw higher than others."""
    filled: frozenset[str]
    """Agents of whose screen only rows with text are counted."""


def parse(document: Mapping[str, Any]) -> Manifest:
    """Read a parsed TOML document.

    Raises:
        BadManifest: A key has the wrong type.
    """
    agent = _text(document.get("agent", GENERIC), "agent").lower()
    agent = "" if agent == GENERIC else agent
    identity = _table(document.get("identity", {}), "identity")
    names: Names | None = None
    if agent and "identity" in document:
        names = Names(
            distinct=_words(identity.get("distinct", []), "identity.distinct"),
            ambiguous=_words(identity.get("ambiguous", []), "identity.ambiguous"),
            packages=_words(identity.get("packages", []), "identity.packages"),
            priority=_integer(identity.get("priority", 0), "identity.priority"),
        )
    listed = document.get("rule", [])
    if not isinstance(listed, list):
        raise BadManifest("rule must be a list of tables, written [[rule]]")
    rules: list[Rule] = []
    dropped: list[str] = []
    for number, entry in enumerate(cast("list[object]", listed)[:RULES], 1):
        rule = _rule(_table(entry, f"rule {number}"), agent, number)
        if isinstance(rule, str):
            dropped.append(rule)
        else:
            rules.append(rule)
    screen = _table(document.get("screen", {}), "screen")
    rows = screen.get("rows")
    return Manifest(
        agent=agent,
        names=names,
        replaces=bool(identity.get("replace", False)),
        rules=tuple(rules),
        dropped=tuple(dropped),
        rows=None if rows is None else _integer(rows, "screen.rows"),
        filled=bool(screen.get("filled", False)),
    )


def assemble(manifests: Iterable[Manifest]) -> Catalog:
    """Put manifests together; later ones add to or replace what earlier ones said."""
    agents: dict[str, Names] = {}
    rules: list[Rule] = []
    rows: dict[str, int] = {}
    filled: set[str] = set()
    for manifest in manifests:
        rules.extend(manifest.rules)
        if not manifest.agent:
            continue
        known = agents.get(manifest.agent)
        if manifest.names is not None:
            agents[manifest.agent] = _merged(manifest, known)
        if manifest.rows is not None:
            rows[manifest.agent] = manifest.rows
        if manifest.filled:
            filled.add(manifest.agent)
    return Catalog(Registry(agents), tuple(rules), rows, frozenset(filled))


def _merged(manifest: Manifest, known: Names | None) -> Names:
    names = manifest.names or Names()
    if known is None or manifest.replaces:
        if not (names.distinct or names.ambiguous or names.packages):
            names = replace(names, distinct=(manifest.agent,))
        return names
    return Names(
        distinct=tuple(dict.fromkeys((*known.distinct, *names.distinct))),
        ambiguous=tuple(dict.fromkeys((*known.ambiguous, *names.ambiguous))),
        packages=tuple(dict.fromkeys((*known.packages, *names.packages))),
        priority=max(known.priority, names.priority),
    )


def _rule(table: Mapping[str, Any], agent: str, number: int) -> Rule | str:
    state, region = table.get("state"), table.get("region", "screen")
    if state not in _STATES:
        return f"rule {number}: the state {state!r} is none of {', '.join(_STATES)}"
    if region not in _REGIONS:
        return f"rule {number}: the region {region!r} is none of {', '.join(_REGIONS)}"
    groups = table.get("groups", [])
    if not isinstance(groups, list):
        raise BadManifest(f"rule {number}: groups must be a list of lists")
    rule = Rule(
        state=cast("State", state),
        priority=_integer(table.get("priority", 0), f"rule {number}: priority"),
        agent=agent,
        region=region,
        any=_words(table.get("any", []), f"rule {number}: any"),
        all=_words(table.get("all", []), f"rule {number}: all"),
        none=_words(table.get("not", []), f"rule {number}: not"),
        groups=tuple(
            _words(group, f"rule {number}: groups") for group in cast("list[object]", groups)
        ),
        spinner=bool(table.get("spinner", False)),
        starts_with=_words(table.get("starts_with", []), f"rule {number}: starts_with"),
        spinner_after=_words(table.get("spinner_after", []), f"rule {number}: spinner_after"),
    )
    return rule if rule.has_condition else f"rule {number} has no condition"


def _table(value: object, place: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise BadManifest(f"{place} must be a table")
    return cast("Mapping[str, Any]", value)


def _text(value: object, place: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise BadManifest(f"{place} must be a text")
    return value.strip()


def _integer(value: object, place: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise BadManifest(f"{place} must be a whole number")
    return value


def _words(value: object, place: str) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise BadManifest(f"{place} must be a list of texts")
    words = cast("list[object]", value)[:WORDS]
    if not all(isinstance(word, str) and word for word in words):
        raise BadManifest(f"{place} must have only texts that are not empty")
    return tuple(str(word).lower() for word in words)
