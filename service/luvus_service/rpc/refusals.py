"""The refusal of a frame, and the sentence for a content that does not fit.

Imports pydantic for its types only: it is loaded when the first content is checked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from luvus_service.rpc.wording import predicate

if TYPE_CHECKING:
    from pydantic import ValidationError

REASON_CHARS = 500
RefusalCode: TypeAlias = Literal[
    "malformed",
    "missing_field",
    "invalid_field",
    "unknown_action",
    "busy",
    "idle",
    "not_found",
    "review_not_open",
    "github_writes_off",
    "read_only",
    "not_prepared",
    "locked",
    "closing",
    "failed",
]


class Refused(Exception):
    """A frame was refused and nothing happened.

    `reason` is the whole sentence; handlers give it without the kind, which the dispatcher puts
    in front when `kind` is None.
    """

    def __init__(self, code: RefusalCode, reason: str, *, kind: str | None = None) -> None:
        super().__init__(reason)
        self.code: RefusalCode = code
        self.reason = reason
        self.kind = kind


_TYPES: Mapping[str, str] = {
    "string_type": "a string",
    "string_sub_type": "a string",
    "int_type": "an integer",
    "int_from_float": "an integer",
    "bool_type": "true or false",
    "float_type": "a number",
    "dict_type": "an object",
    "model_type": "an object",
    "model_attributes_type": "an object",
    "dataclass_type": "an object",
    "list_type": "an array",
    "tuple_type": "an array",
}
_BOUNDS: Mapping[str, str] = {
    "string_too_long": "must have at most {max_length} characters",
    "string_too_short": "must have at least {min_length} characters",
    "too_long": "must have at most {max_length} entries",
    "too_short": "must have at least {min_length} entries",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
}


def content_refusal(error: ValidationError) -> Refused:
    """Turn a failed check of a content into the refusal for its first fault."""
    # Of a union every branch complains; the one that got deepest is what the client meant.
    faults = error.errors(include_url=False, include_context=True)
    first = max(faults, key=lambda fault: len(_steps(fault["loc"])))
    name = _name(_steps(first["loc"]))
    kind = first["type"]
    if kind == "missing":
        return Refused("missing_field", f"missing field `{name}`")
    context = cast("Mapping[str, Any]", first.get("ctx") or {})
    if kind in _TYPES:
        wrong = f"must be {_TYPES[kind]}"
    elif kind in {"literal_error", "enum"}:
        wrong = f"must be {context['expected']}"
    elif kind in _BOUNDS:
        wrong = _BOUNDS[kind].format(**context)
    elif kind in {"value_error", "assertion_error"}:
        wrong = str(context.get("error", first["msg"]))
    else:
        wrong = predicate(first["msg"])
    return Refused("invalid_field", f"field `{name}` {wrong}" if name else f"content {wrong}")


def _steps(location: tuple[int | str, ...]) -> list[int | str]:
    return [
        step
        for step in location
        if isinstance(step, int) or not (step[:1].isupper() or "[" in step or step in _BRANCHES)
    ]


_BRANCHES = frozenset({"str", "int", "bool", "none", "dict", "list", "nullable"})


def _name(steps: list[int | str]) -> str:
    return "".join(f"[{s}]" if isinstance(s, int) else f".{s}" for s in steps).lstrip(".")
