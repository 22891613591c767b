"""Declares the frames of a conversation: actions a client sends, events it reads.

The sibling of `declare` for protocols without replies. Knows no action and no event; everything
is checked when the declaring module is imported.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, is_dataclass
from typing import Any, Literal, TypeAlias, TypeVar, get_type_hints

from pydantic import TypeAdapter

from luvus_service.rpc.refusals import Refused

H = TypeVar("H", bound=Callable[..., Any])
C = TypeVar("C", bound=type)
Needs: TypeAlias = Literal["idle", "turn", "anything"]

_MARK = "__frame_action__"
_GROUP = "__frame_group__"


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """One action as everything else derives from it."""

    kind: str
    summary: str
    description: str
    needs: Needs
    """What must be true of the session: no turn running, a turn running, or nothing."""
    writes_github: bool
    changes: bool
    """Whether a read-only session refuses it."""
    attribute: str
    waits: bool
    """Whether the handler is a coroutine; the others run at once, in the order of the frames."""
    content: Any
    """The annotation of its content, or None when it has none."""


@dataclass(frozen=True, slots=True)
class GroupSpec:
    """Actions and events that belong together."""

    name: str
    summary: str
    actions: tuple[ActionSpec, ...]
    events: tuple[type, ...]


@dataclass(frozen=True, slots=True)
class _Declared:
    kind: str
    needs: Needs
    writes_github: bool
    changes: bool


def action(
    kind: str, *, needs: Needs = "anything", writes_github: bool = False, changes: bool = False
) -> Callable[[H], H]:
    """Declare a handler `(self)` or `(self, content)` as the action of this kind."""

    def mark(handler: H) -> H:
        setattr(handler, _MARK, _Declared(kind, needs, writes_github, changes))
        return handler

    return mark


def group(name: str, *, events: tuple[type, ...] = ()) -> Callable[[C], C]:
    """Declare a class as a group of actions.

    `events` are dataclasses with their kind in `frame`.
    """

    def build(cls: C) -> C:
        actions = tuple(
            _spec(attribute, handler, getattr(handler, _MARK))
            for attribute, handler in vars(cls).items()
            if hasattr(handler, _MARK)
        )
        for event in events:
            if not isinstance(getattr(event, "frame", None), str) or not is_dataclass(event):
                raise TypeError(f"{event!r} is no event: a dataclass with a `frame`")
            _doc(event, repr(event))
        setattr(cls, _GROUP, GroupSpec(name, _doc(cls, name)[0], actions, events))
        return cls

    return build


def group_spec(cls: type) -> GroupSpec:
    """Return what `@group` found in a class."""
    spec = getattr(cls, _GROUP, None)
    if not isinstance(spec, GroupSpec):
        raise TypeError(f"{cls.__qualname__} is no group of frames")
    return spec


@dataclass(frozen=True, slots=True)
class BoundAction:
    """An action together with what does it and what reads its content."""

    spec: ActionSpec
    handler: Callable[..., Any]
    adapter: TypeAdapter[Any] | None


class Actions:
    """The actions of one live session, found by kind.

    What reads a content is made when its action is first asked for: a session starts sooner.
    """

    def __init__(self, groups: Iterable[object]) -> None:
        self._known: dict[str, tuple[ActionSpec, object]] = {}
        self._bound: dict[str, BoundAction] = {}
        for instance in groups:
            for spec in group_spec(type(instance)).actions:
                if spec.kind in self._known:
                    raise TypeError(f"{spec.kind} is declared twice")
                self._known[spec.kind] = (spec, instance)

    def find(self, kind: str) -> BoundAction:
        """Return an action.

        Raises:
            Refused: This build has none of that kind.
        """
        if (bound := self._bound.get(kind)) is not None:
            return bound
        if kind not in self._known:
            raise Refused("unknown_action", f"unknown action `{kind[:128]}`", kind=kind[:128])
        spec, instance = self._known[kind]
        adapter = None if spec.content is None else TypeAdapter[Any](spec.content)
        self._bound[kind] = BoundAction(spec, getattr(instance, spec.attribute), adapter)
        return self._bound[kind]

    def kinds(self) -> tuple[str, ...]:
        """Return every kind, sorted."""
        return tuple(sorted(self._known))


def frame_schema(groups: Iterable[type]) -> Mapping[str, Any]:
    """Return the JSON Schema of every frame, both directions."""
    actions: dict[str, Any] = {}
    events: dict[str, Any] = {}
    for spec in map(group_spec, groups):
        for item in spec.actions:
            content = None if item.content is None else TypeAdapter[Any](item.content).json_schema()
            actions[item.kind] = _frame(item.kind, content, item.summary, _optional(item.content))
        for event in spec.events:
            kind = str(getattr(event, "frame"))  # noqa: B009 - events share no base class
            content = TypeAdapter[Any](event).json_schema(mode="serialization")
            events[kind] = _frame(kind, content, _doc(event, kind)[0], optional=False)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Luxe frames",
        "actions": dict(sorted(actions.items())),
        "events": dict(sorted(events.items())),
    }


def _frame(
    kind: str, content: Mapping[str, Any] | None, summary: str, optional: bool
) -> dict[str, Any]:
    properties: dict[str, Any] = {"kind": {"const": kind}}
    required = ["kind"]
    if content is not None:
        properties["content"] = content
        if not optional:
            required.append("content")
    return {
        "description": summary,
        "type": "object",
        "properties": properties,
        "required": required,
    }


def _optional(content: Any) -> bool:
    return type(None) in getattr(content, "__args__", ())


def _spec(attribute: str, handler: Any, declared: _Declared) -> ActionSpec:
    summary, description = _doc(handler, declared.kind)
    hints = get_type_hints(handler, include_extras=True)
    arguments = list(inspect.signature(handler).parameters)[1:]
    if len(arguments) > 1:
        raise TypeError(f"{declared.kind}: an action takes its content and nothing else")
    if arguments and arguments[0] not in hints:
        raise TypeError(f"{declared.kind}: the content needs a type")
    return ActionSpec(
        kind=declared.kind,
        summary=summary,
        description=description,
        needs=declared.needs,
        writes_github=declared.writes_github,
        changes=declared.changes,
        attribute=attribute,
        waits=inspect.iscoroutinefunction(handler),
        content=hints[arguments[0]] if arguments else None,
    )


def _doc(thing: Any, name: str) -> tuple[str, str]:
    text = inspect.cleandoc(thing.__doc__ or "")
    if not text:
        raise TypeError(f"{name} has no docstring; it is the text of its reference page")
    summary, _, description = text.partition("\n")
    return summary.strip(), description.strip()
