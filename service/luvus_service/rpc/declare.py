"""Turns a class into a method family, and its coroutines into methods.

Everything is checked when the module is imported: a missing docstring, a type that is no model, a
name outside the family or used twice stops the import, never a call.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Literal, TypeVar, cast, get_type_hints

from pydantic import BaseModel

from luvus_service.rpc.call import Call, Stream
from luvus_service.rpc.errors import InvalidRequest, RpcError
from luvus_service.rpc.models import EventData, LenientParams, Params, Result, Spelling
from luvus_service.rpc.scopes import Access, Scope

H = TypeVar("H", bound=Callable[..., Coroutine[Any, Any, Any]])
C = TypeVar("C", bound=type)
E = TypeVar("E", bound=type[EventData])

_MARK = "__rpc_declaration__"
_FAMILY = "__rpc_family__"
_EVENT = "__rpc_event__"


@dataclass(frozen=True, slots=True)
class Example:
    """A call that the reference page shows and a test runs."""

    method: str
    params: dict[str, Any]
    result: dict[str, Any]
    note: str = ""


@dataclass(frozen=True, slots=True)
class MethodSpec:
    """One method as everything else derives from it."""

    name: str
    summary: str
    description: str
    params: type[BaseModel]
    result: type[BaseModel]
    scope: Scope
    access: Access
    errors: tuple[type[RpcError], ...]
    attribute: str
    takes_call: bool
    stream: bool = False
    frames: tuple[type[BaseModel], ...] = ()
    """Of a stream: the models of the frames that follow the acknowledgement."""
    listens: bool = False
    """Of a stream: whether it reads what its client sends; otherwise anything may be sent."""
    revision: bool = True
    """Whether the result carries the revision."""
    idempotent: bool = False
    lenient: bool = False
    invalid: type[RpcError] = InvalidRequest
    """The error for parameters that do not fit."""
    alias_of: str | None = None
    command: tuple[str, ...] = ()
    """The words of the command line, such as ("pane", "split"); empty for none."""
    spellings: tuple[Spelling, ...] = ()
    """All ways to say it, where one is not enough; the first has the words of `command`."""


@dataclass(frozen=True, slots=True)
class EventSpec:
    """One event of the stream."""

    name: str
    data: type[EventData]
    summary: str


@dataclass(frozen=True, slots=True)
class FamilySpec:
    """A family: a prefix of names, a page of text, its methods and events."""

    name: str
    title: str
    description: str
    methods: tuple[MethodSpec, ...]
    events: tuple[EventSpec, ...] = ()
    examples: tuple[Example, ...] = ()


@dataclass(frozen=True, slots=True)
class _Declared:
    name: str
    access: Access
    scope: Scope | None
    errors: tuple[type[RpcError], ...]
    revision: bool
    idempotent: bool | None
    aliases: tuple[str, ...]
    command: str | None
    invalid: type[RpcError]
    stream: bool = False
    frames: tuple[type[BaseModel], ...] = ()
    acknowledges: type[Result] | None = None
    listens: bool = False
    spellings: tuple[Spelling, ...] = ()


def method(
    name: str,
    *,
    access: Access,
    errors: tuple[type[RpcError], ...] = (),
    scope: Scope | None = None,
    revision: bool = True,
    idempotent: bool | None = None,
    aliases: tuple[str, ...] = (),
    command: str | None = None,
    spellings: tuple[Spelling, ...] = (),
    invalid: type[RpcError] = InvalidRequest,
) -> Callable[[H], H]:
    """Declare a coroutine `(self, params) -> result` as the method of this wire name.

    A second parameter `call: Call` is passed to those that ask for it. `command` is the command
    line's spelling when it is not the name's own words; "" keeps it off the command line.
    `spellings` are given instead when there are several.
    """
    declared = _Declared(
        name,
        access,
        scope,
        errors,
        revision,
        idempotent,
        aliases,
        spellings[0].words if spellings else command,
        invalid,
        spellings=spellings,
    )

    def mark(handler: H) -> H:
        setattr(handler, _MARK, declared)
        return handler

    return mark


def stream(
    name: str,
    *,
    access: Access = Access.READ,
    frames: tuple[type[BaseModel], ...],
    acknowledges: type[Result],
    errors: tuple[type[RpcError], ...] = (),
    scope: Scope | None = None,
    command: str | None = None,
    invalid: type[RpcError] = InvalidRequest,
    listens: bool = False,
) -> Callable[[H], H]:
    """Declare a coroutine `(self, params, stream) -> None` as a stream of this wire name.

    One that `listens` reads what its client sends; another one's client may send anything.
    """
    declared = _Declared(
        name,
        access,
        scope,
        errors,
        False,
        False,
        (),
        command,
        invalid,
        True,
        frames,
        acknowledges,
        listens=listens,
    )

    def mark(handler: H) -> H:
        setattr(handler, _MARK, declared)
        return handler

    return mark


def event(name: str) -> Callable[[E], E]:
    """Declare a model as the data of the event of this name; its docstring is the page."""

    def mark(model: E) -> E:
        setattr(model, _EVENT, EventSpec(name, model, _doc(model, name)[0]))
        return model

    return mark


def family(
    prefix: str,
    *,
    scope: Scope,
    title: str | None = None,
    events: tuple[type[EventData], ...] = (),
    examples: tuple[Example, ...] = (),
    notes: str = "",
) -> Callable[[C], C]:
    """Declare a class as a family whose methods live under this prefix.

    `notes` is Markdown that follows the docstring on the page, made from tables of the rules.
    """

    def build(cls: C) -> C:
        summary, description = _doc(cls, prefix)
        methods: list[MethodSpec] = []
        for attribute, handler in vars(cls).items():
            declared = getattr(handler, _MARK, None)
            if declared is not None:
                methods.extend(_specs(prefix, scope, attribute, handler, declared))
        names = [m.name for m in methods]
        repeated = {n for n in names if names.count(n) > 1}
        if repeated:
            raise TypeError(f"family {prefix}: {sorted(repeated)} declared twice")
        for example in examples:
            if example.method not in names:
                raise TypeError(f"family {prefix}: example of unknown method {example.method}")
        spec = FamilySpec(
            prefix,
            title or prefix,
            "\n\n".join(part for part in (summary, description, notes) if part),
            tuple(methods),
            tuple(_event_spec(model) for model in events),
            examples,
        )
        setattr(cls, _FAMILY, spec)
        return cls

    return build


def family_spec(cls: type) -> FamilySpec:
    """Return what `@family` found in a class."""
    spec = getattr(cls, _FAMILY, None)
    if not isinstance(spec, FamilySpec):
        raise TypeError(f"{cls.__qualname__} is no method family")
    return spec


def _event_spec(model: type[EventData]) -> EventSpec:
    spec = getattr(model, _EVENT, None)
    if not isinstance(spec, EventSpec):
        raise TypeError(f"{model.__qualname__} is no event")
    return spec


def _doc(thing: Any, name: str) -> tuple[str, str]:
    text = inspect.cleandoc(thing.__doc__ or "")
    if not text:
        raise TypeError(f"{name} has no docstring; it is the text of its reference page")
    summary, _, description = text.partition("\n")
    return summary.strip(), description.strip()


def _specs(
    prefix: str, scope: Scope, attribute: str, handler: Any, declared: _Declared
) -> list[MethodSpec]:
    name = declared.name
    if not (name == prefix or name.startswith(prefix + ".")):
        raise TypeError(f"{name} is declared in family {prefix}")
    summary, description = _doc(handler, name)
    hints = get_type_hints(handler)
    arguments = list(inspect.signature(handler).parameters)[1:]
    if not inspect.iscoroutinefunction(handler):
        raise TypeError(f"{name} must be a coroutine function")
    if not 1 <= len(arguments) <= 2:
        raise TypeError(f"{name} takes params, and one thing more at most, not {arguments}")
    params = _model(name, hints.get(arguments[0]), (Params, LenientParams))
    takes_call = False
    if declared.stream:
        if len(arguments) != 2 or hints.get(arguments[1]) is not Stream:
            raise TypeError(f"{name}: a stream takes params and `stream: Stream`")
        result = _model(name, declared.acknowledges, (Result,))
    else:
        if len(arguments) > 1:
            if hints.get(arguments[1]) is not Call:
                raise TypeError(f"{name}: the second parameter is `call: Call`")
            takes_call = True
        result = _model(name, hints.get("return"), (Result,))
    idempotent = declared.idempotent
    if idempotent is None:
        idempotent = declared.access is Access.READ and not declared.stream
    spec = MethodSpec(
        name=name,
        summary=summary,
        description=description,
        params=params,
        result=result,
        scope=declared.scope or scope,
        access=declared.access,
        errors=declared.errors,
        attribute=attribute,
        takes_call=takes_call,
        stream=declared.stream,
        frames=declared.frames,
        listens=declared.listens,
        revision=declared.revision,
        idempotent=idempotent,
        lenient=issubclass(params, LenientParams),
        invalid=declared.invalid,
        command=_command(name, declared.command),
        spellings=_spellings(name, params, declared.spellings),
    )
    return [spec, *(_alias(spec, other) for other in declared.aliases)]


def _alias(spec: MethodSpec, name: str) -> MethodSpec:
    fields = {f: getattr(spec, f) for f in MethodSpec.__slots__}
    fields |= {"name": name, "alias_of": spec.name, "command": (), "spellings": ()}
    return MethodSpec(**fields)


def _command(name: str, spelled: str | None) -> tuple[str, ...]:
    if spelled is None:
        return tuple(word.replace("_", "-") for word in name.split("."))
    return tuple(spelled.split())


def _spellings(
    name: str, params: type[BaseModel], spellings: tuple[Spelling, ...]
) -> tuple[Spelling, ...]:
    known = {
        info.validation_alias if isinstance(info.validation_alias, str) else field
        for field, info in params.model_fields.items()
    }
    for spelling in spellings:
        unknown = {*spelling.fixed, *spelling.marks} - known
        if unknown:
            raise TypeError(f"{name}: {spelling.words!r} spells unknown {sorted(unknown)}")
    return spellings


def _model(name: str, found: Any, bases: tuple[type, ...]) -> type[BaseModel]:
    if isinstance(found, type) and issubclass(found, bases):
        return cast("type[BaseModel]", found)
    wanted: Literal["parameters", "result"] = "result" if Result in bases else "parameters"
    raise TypeError(f"{name}: the {wanted} must be a model, not {found!r}")
