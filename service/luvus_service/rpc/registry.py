"""All methods and events of the product, found by name.

Built from family classes for everything that only describes, and from their instances for what
also calls.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from luvus_service.rpc.declare import EventSpec, FamilySpec, MethodSpec, family_spec

Handler = Callable[..., Coroutine[Any, Any, Any]]


@dataclass(frozen=True, slots=True)
class Bound:
    """A method together with the coroutine function that does it."""

    spec: MethodSpec
    handler: Handler


class Catalogue:
    """What the product offers, without anything that could be called."""

    def __init__(self, families: Iterable[FamilySpec]) -> None:
        self.families = _joined(families)
        self.methods: Mapping[str, MethodSpec] = _unique(
            (spec.name, spec) for group in self.families for spec in group.methods
        )
        self.events: Mapping[str, EventSpec] = _unique(
            (spec.name, spec) for group in self.families for spec in group.events
        )


class Registry:
    """The methods of a running service."""

    def __init__(self, families: Iterable[object]) -> None:
        instances = tuple(families)
        self.catalogue = Catalogue(family_spec(type(instance)) for instance in instances)
        self._bound: dict[str, Bound] = {}
        for instance in instances:
            for spec in family_spec(type(instance)).methods:
                self._bound[spec.name] = Bound(spec, getattr(instance, spec.attribute))

    def find(self, name: str) -> Bound | None:
        """Return a method by its wire name, or None."""
        return self._bound.get(name)


def _joined(families: Iterable[FamilySpec]) -> tuple[FamilySpec, ...]:
    """Return families with those of one name together; title and text are the first one's."""
    found: dict[str, FamilySpec] = {}
    for group in families:
        first = found.get(group.name)
        if first is None:
            found[group.name] = group
            continue
        found[group.name] = replace(
            first,
            methods=(*first.methods, *group.methods),
            events=(*first.events, *group.events),
            examples=(*first.examples, *group.examples),
        )
    return tuple(found.values())


def _unique(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise TypeError(f"{name} is declared by two families")
        found[name] = value
    return found
