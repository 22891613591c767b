"""Turns a failed validation into one sentence for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from luvus_service.rpc.wording import predicate, shown

WHOLE_SENTENCE = "sentence"
"""The type of a custom error whose message names field and value itself."""

_BRANCHES = frozenset({"int", "str", "bool", "float", "constrained-str"})
_TAGS = frozenset({"union_tag_invalid", "union_tag_not_found"})
_SIMPLE: dict[str, str] = {
    "string_type": "must be a string",
    "int_type": "must be an integer",
    "bool_type": "must be true or false",
    "dict_type": "must be an object",
    "list_type": "must be an array",
    "tuple_type": "must be an array",
    "float_type": "must be a number",
    "finite_number": "must be a finite number",
    "model_type": "must be an object",
}


def explain(error: ValidationError, given: object = None) -> str:
    """Say which parameter is wrong, with which value, and what it should be.

    `given` is what was read, as JSON: it tells names that the caller wrote from those of branches.
    """
    faults = error.errors(include_url=False, include_context=True)
    first = faults[0]
    name = _place(first["loc"], given)
    kind = first["type"]
    context = first.get("ctx") or {}
    if kind == WHOLE_SENTENCE:
        return first["msg"]
    if kind == "missing":
        return f"`{name}` is required"
    if kind == "extra_forbidden":
        return f"unknown field `{name}`; leave it out"
    if kind in _TAGS:
        return _tag(name, first)
    if _branch(first["loc"]):
        of_union = [fault for fault in faults if fault["loc"][:-1] == first["loc"][:-1]]
        wanted = _wanted_of_any(of_union)
    else:
        wanted = _wanted(kind, context, first["msg"])
    if not name:
        return wanted
    return f"`{name}` {wanted}, got {shown(first['input'])}"


def _place(location: tuple[int | str, ...], given: object) -> str:
    steps: list[int | str] = []
    at = given
    for place, step in enumerate(location):
        if _is_branch(step) or (place < len(location) - 1 and _is_tag(step, at)):
            continue
        steps.append(step)
        at = _below(at, step)
    return "".join(f"[{s}]" if isinstance(s, int) else f".{s}" for s in steps).lstrip(".")


def _below(at: object, step: int | str) -> object:
    if isinstance(at, dict):
        return cast("dict[object, object]", at).get(step)
    if isinstance(at, list) and isinstance(step, int):
        items = cast("list[object]", at)
        return items[step] if step < len(items) else None
    return None


def _is_tag(step: int | str, at: object) -> bool:
    # The value of a tagged union's tag is in the location too; the caller wrote it as a value.
    if not isinstance(at, dict):
        return False
    fields = cast("dict[object, object]", at)
    return step not in fields and step in [v for v in fields.values() if isinstance(v, str)]


def _is_branch(step: int | str) -> bool:
    # pydantic names the branch of a union in the location ("function-before[...]", "int"); it is
    # no part of what the caller sent.
    return isinstance(step, str) and ("[" in step or step in _BRANCHES)


def _branch(location: tuple[int | str, ...]) -> bool:
    return bool(location) and location[-1] in _BRANCHES


def _tag(place: str, fault: ErrorDetails) -> str:
    context = fault.get("ctx") or {}
    field = str(context["discriminator"]).strip("'")
    name = f"{place}.{field}".lstrip(".")
    given: object = fault["input"]
    tag = cast("dict[str, object]", given).get(field) if isinstance(given, dict) else given
    if fault["type"] == "union_tag_not_found":
        return f"`{name}` is required"
    *others, last = str(context["expected_tags"]).split(", ")
    wanted = f"{', '.join(others)} or {last}" if others else last
    return f"`{name}` must be {wanted}, got {shown(tag)}"


def _wanted_of_any(faults: Sequence[ErrorDetails]) -> str:
    """Say what any branch of a union takes; the rule of one that takes the type comes first."""
    for fault in faults:
        if fault["type"] not in _SIMPLE:
            return _wanted(fault["type"], fault.get("ctx") or {}, fault["msg"])
    *others, last = [_SIMPLE[fault["type"]].removeprefix("must be ") for fault in faults]
    return f"must be {', '.join(others)} or {last}" if others else f"must be {last}"


def _wanted(kind: str, context: Mapping[str, Any], message: str) -> str:
    if kind in _SIMPLE:
        return _SIMPLE[kind]
    if kind in {"literal_error", "enum"}:
        return f"must be {context['expected']}"
    if kind in {"value_error", "assertion_error"}:
        return str(context.get("error", message))
    return predicate(message)
