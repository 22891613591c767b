"""What the routes of agent sessions carry, collected from the frames and the values around them.

Knows no action and no event by name; the caller brings the groups and the values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import TypeAdapter

from luvus_service.codegen.jsonschema import Bound, Mode, Schema, bundle_types
from luvus_service.rpc.frames import ActionSpec, group_spec


@dataclass(frozen=True, slots=True)
class AgentApi:
    """The types behind the routes."""

    groups: Sequence[type]
    wish: type
    """What opens a session."""
    row: type
    """A session in the list."""
    shown: type
    """A session with what waits for an answer."""
    stored: type
    """A session on the disk."""
    model: type
    """A model that can be selected."""
    statuses: Mapping[str, int]
    """The status of each refusal that has one of its own."""
    otherwise: int
    """The status of every other refusal."""


@dataclass(frozen=True, slots=True)
class AgentSchemas:
    """The schemas of an `AgentApi` with their shared definitions."""

    definitions: Mapping[str, Schema]
    actions: Mapping[str, tuple[ActionSpec, Schema | None]]
    """By kind; without a schema when the action has no content."""
    events: Mapping[str, tuple[str, Schema]]
    """By kind, with the first line of what it is."""
    values: Mapping[str, Schema]
    """`wish`, `row`, `shown`, `stored` and `model`."""


@dataclass(slots=True)
class _Wanted:
    bound: list[Bound] = field(default_factory=list[Bound])

    def add(self, key: str, annotation: Any, *, read: bool) -> None:
        mode: Mode = "serialization" if read else "validation"
        self.bound.append((key, mode, TypeAdapter(annotation)))


def agent_schemas(api: AgentApi, template: str) -> AgentSchemas:
    """Return the schemas; `template` says where references point."""
    wanted = _Wanted()
    groups = [group_spec(cls) for cls in api.groups]
    actions = {spec.kind: spec for group in groups for spec in group.actions}
    events = {_kind(event): event for group in groups for event in group.events}
    for kind, spec in actions.items():
        if spec.content is not None:
            wanted.add(f"action {kind}", spec.content, read=False)
    for kind, event in events.items():
        wanted.add(f"event {kind}", event, read=True)
    wanted.add("wish", api.wish, read=False)
    for name in ("row", "shown", "stored", "model"):
        wanted.add(name, getattr(api, name), read=True)
    definitions, found = bundle_types(wanted.bound, template)
    return AgentSchemas(
        definitions,
        {kind: (spec, found.get(f"action {kind}")) for kind, spec in sorted(actions.items())},
        {
            kind: ((event.__doc__ or "").partition("\n")[0], found[f"event {kind}"])
            for kind, event in sorted(events.items())
        },
        {name: found[name] for name in ("wish", "row", "shown", "stored", "model")},
    )


def _kind(event: type) -> str:
    return str(getattr(event, "frame"))  # noqa: B009 - events share no base class
