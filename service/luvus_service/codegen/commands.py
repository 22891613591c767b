"""The command line's arguments of a method, derived from its parameters and their `Cli` marks.

Says how words become parameters; parsing them is the client's work.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from luvus_service.codegen.jsonschema import Bundle, Schema, bundle, resolve, takes_guard
from luvus_service.rpc.declare import MethodSpec
from luvus_service.rpc.models import Cli, Spelling

Kind: TypeAlias = Literal["positional", "rest", "option", "flag", "negative", "value_flags"]
ValueType: TypeAlias = Literal["string", "path", "integer", "number", "boolean", "json"]


@dataclass(frozen=True, slots=True)
class Argument:
    """One parameter as the command line spells it."""

    field: str
    """The name of the parameter on the wire."""
    kind: Kind
    type: ValueType
    names: tuple[str, ...] = ()
    metavar: str | None = None
    env: str | None = None
    required: bool = False
    repeat: bool = False
    choices: tuple[Any, ...] | None = None
    values: tuple[tuple[str, Any], ...] | None = None
    help: str = ""
    default: Any = None

    def described(self) -> dict[str, Any]:
        """Return the argument as `protocol.json` carries it."""
        return {
            "field": self.field,
            "kind": self.kind,
            "names": list(self.names),
            "metavar": self.metavar,
            "env": self.env,
            "required": self.required,
            "repeat": self.repeat,
            "type": self.type,
            "choices": None if self.choices is None else list(self.choices),
            "values": None if self.values is None else [list(pair) for pair in self.values],
            "help": self.help,
            "default": self.default,
        }


@dataclass(frozen=True, slots=True)
class _Shape:
    """What the command line needs to know of a type."""

    type: ValueType
    repeat: bool = False
    choices: tuple[Any, ...] | None = None


IF_REVISION = Argument(
    field="if_revision",
    kind="option",
    type="integer",
    names=("--if-revision",),
    metavar="N",
    help="Run only if the state is still at this revision.",
)

_METAVARS: dict[str, str] = {"integer": "N", "number": "X", "json": "JSON", "boolean": "BOOL"}
_ORDER: dict[str, int] = {"positional": 0, "rest": 1}


@dataclass(frozen=True, slots=True)
class Way:
    """One way to say a method: its words, what follows them, and what they give by themselves."""

    words: tuple[str, ...]
    arguments: tuple[Argument, ...]
    fixed: Mapping[str, Any]

    def described(self) -> dict[str, Any]:
        """Return the way as `protocol.json` carries it."""
        plain: dict[str, Any] = {
            "words": list(self.words),
            "arguments": [argument.described() for argument in self.arguments],
        }
        return {**plain, "fixed": dict(self.fixed)} if self.fixed else plain


def ways(spec: MethodSpec) -> tuple[Way, ...]:
    """Return all ways to say a method on the command line; none when it has no command."""
    if not spec.command:
        return ()
    spellings = spec.spellings or (Spelling(" ".join(spec.command)),)
    return tuple(Way(tuple(s.words.split()), _arguments_of(spec, s), s.fixed) for s in spellings)


def arguments(spec: MethodSpec) -> tuple[Argument, ...]:
    """Return the arguments of a method: positionals in the order of the model, then options."""
    return _arguments_of(spec, Spelling(" ".join(spec.command)))


def spell(spec: MethodSpec, params: dict[str, Any]) -> list[str] | None:
    """Return the words that make these parameters; None when the command line cannot say them."""
    for way in ways(spec):
        if all(name in params and params[name] == value for name, value in way.fixed.items()):
            left = {name: value for name, value in params.items() if name not in way.fixed}
            words = _spelled(way, left)
            if words is not None:
                return words
    return None


def _arguments_of(spec: MethodSpec, spelling: Spelling) -> tuple[Argument, ...]:
    found = bundle([(spec.params, "validation")])
    made = list(_arguments(spec.params, found, spelling))
    if takes_guard(spec):
        made.append(IF_REVISION)
    return tuple(sorted(made, key=lambda argument: _ORDER.get(argument.kind, 2)))


def _spelled(way: Way, params: dict[str, Any]) -> list[str] | None:
    by_field = {argument.field: argument for argument in way.arguments}
    if any(field not in by_field for field in params):
        return None
    head: list[str] = []
    tail: list[str] = []
    for field, argument in by_field.items():
        if field not in params:
            continue
        words = _words(argument, params[field])
        if words is None:
            return None
        (head if argument.kind in _ORDER else tail).extend(words)
    return ["luvus", *way.words, *head, *tail]


def _words(argument: Argument, value: object) -> list[str] | None:
    if argument.kind in {"flag", "negative"}:
        if not isinstance(value, bool):
            return None
        return list(argument.names[:1]) if value is (argument.kind == "flag") else []
    if argument.kind == "value_flags":
        for flag, stands_for in argument.values or ():
            if stands_for == value:
                return [flag]
        if value == argument.default:
            return []
        return [argument.names[0], _word(argument, value)] if argument.names else None
    if argument.kind in _ORDER:
        flags = [flag for flag, stands_for in argument.values or () if stands_for == value]
        if flags:
            return flags
        return [_word(argument, item) for item in _items(argument, value)]
    name = argument.names[0]
    items = _items(argument, value)
    return [word for item in items for word in (name, _word(argument, item))]


def _items(argument: Argument, value: object) -> list[object]:
    return [*value] if argument.repeat and isinstance(value, list) else [value]


def _word(argument: Argument, value: object) -> str:
    if isinstance(value, str) and argument.type != "json":
        return value
    return json.dumps(value, ensure_ascii=False)


def _arguments(model: type[BaseModel], found: Bundle, spelling: Spelling) -> Iterator[Argument]:
    properties: Schema = found.of(model, "validation").get("properties", {})
    for name, info in model.model_fields.items():
        wire = info.validation_alias if isinstance(info.validation_alias, str) else None
        known_as = wire or info.alias or name
        own = next((m for m in info.metadata if isinstance(m, Cli)), Cli())
        mark = spelling.marks.get(known_as, own)
        if not mark.hidden and known_as not in spelling.fixed:
            yield _argument(known_as, info, mark, _shape(properties[known_as], found))


def _argument(field: str, info: FieldInfo, mark: Cli, shape: _Shape) -> Argument:
    kind = _kind(info, mark, shape)
    takes_value = kind in {"positional", "rest", "option"}
    return Argument(
        field=field,
        kind=kind,
        type="path" if mark.path else shape.type,
        names=_names(field, kind, mark),
        metavar=_metavar(field, kind, shape) if takes_value else None,
        env=mark.env,
        required=info.is_required(),
        repeat=shape.repeat,
        choices=shape.choices if takes_value else None,
        values=mark.values or None,
        help=info.description or "",
        default=_default(info),
    )


def _kind(info: FieldInfo, mark: Cli, shape: _Shape) -> Kind:
    if mark.rest:
        return "rest"
    if mark.positional:
        return "positional"
    if mark.values:
        return "value_flags"
    if mark.negative:
        return "negative"
    if shape.type == "boolean" and not shape.repeat and not info.is_required():
        return "negative" if info.default is True else "flag"
    return "option"


def _names(field: str, kind: Kind, mark: Cli) -> tuple[str, ...]:
    words = field.replace("_", "-")
    if kind in {"positional", "rest"}:
        return ()
    if kind == "negative":
        return (mark.negative or f"--no-{words}",)
    if kind == "value_flags":
        return (mark.option,) if mark.option else ()
    return (mark.option or f"--{words}",)


def _metavar(field: str, kind: Kind, shape: _Shape) -> str:
    if kind == "option" and shape.type in _METAVARS:
        return _METAVARS[shape.type]
    return field.replace("_", "-").upper()


def _default(info: FieldInfo) -> object:
    if info.is_required() or info.default_factory is not None:
        return None
    try:
        return json.loads(json.dumps(info.default))
    except (TypeError, ValueError):
        return None


def _shape(schema: Schema, found: Bundle) -> _Shape:
    schema = resolve(schema, found.definitions)
    either: list[Schema] = schema.get("anyOf") or schema.get("oneOf") or []
    branches = [resolve(branch, found.definitions) for branch in either]
    branches = [b for b in branches if b.get("type") != "null"]
    if len(branches) == 1:
        return _shape(branches[0], found)
    if branches:
        types = {str(b.get("type")) for b in branches}
        if types <= {"string", "integer", "number"}:
            # A number that may also come as text is left as text for the server to judge.
            return _Shape("string" if "string" in types else "number")
        return _Shape("json")
    choices = tuple(schema["enum"]) if "enum" in schema else None
    if schema.get("type") == "array":
        item = _shape(schema.get("items", {}), found)
        if item.repeat or item.type == "json":
            return _Shape("json")
        return _Shape(item.type, repeat=True, choices=item.choices)
    return _Shape(_scalar(schema), choices=choices)


def _scalar(schema: Schema) -> ValueType:
    match schema.get("type"):
        case "string":
            return "string"
        case "integer":
            return "integer"
        case "number":
            return "number"
        case "boolean":
            return "boolean"
        case _:
            return "string" if isinstance(schema.get("const"), str) else "json"
