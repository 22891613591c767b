"""Turns a failed validation into one sentence for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from luvus_service.rpc.wording import predicate

WHOLE_SENTENCE = "sentence"
"""The type of a custom error whose message names field and value itself."""
_SHOWN = 80


def explain(error: ValidationError) -> str:
    """Say which parameter is wrong, with which value, and what it should be."""
    first = error.errors(include_url=False, include_context=True)[0]
    name = _place(first["loc"])
    kind = first["type"]
    if kind == WHOLE_SENTENCE:
        return first["msg"]
    if kind == "missing":
        return f"`{name}` is required"
    if kind == "extra_forbidden":
        return f"unknown field `{name}`; leave it out"
    wanted = _wanted(kind, first.get("ctx") or {}, first["msg"])
    if not name:
        return wanted
    return f"`{name}` {wanted}, got {_shown(first['input'])}"


def _place(location: tuple[int | str, ...]) -> str:
    steps = [step for step in location if not _is_branch(step)]
    return "".join(f"[{s}]" if isinstance(s, int) else f".{s}" for s in steps).lstrip(".")


def _is_branch(step: int | str) -> bool:
    # pydantic names the branch of a union in the location ("function-before[...]", "int"); it is
    # no part of what the caller sent.
    return isinstance(step, str) and ("[" in step or step in {"int", "str", "bool", "float"})


def _wanted(kind: str, context: Mapping[str, Any], message: str) -> str:
    simple = {
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
    if kind in simple:
        return simple[kind]
    if kind in {"literal_error", "enum"}:
        return f"must be {context['expected']}"
    if kind in {"value_error", "assertion_error"}:
        return str(context.get("error", message))
    return predicate(message)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
