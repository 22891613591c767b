"""What every declaration has to satisfy beyond what its import already demands.

Each rule yields one sentence for each fault, so that a test can show all of them at once.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from pydantic import BaseModel, ValidationError

from luvus_service.codegen.commands import Argument, ways
from luvus_service.codegen.failures import catalogue_errors
from luvus_service.codegen.jsonschema import bundle, catalogue_models, document
from luvus_service.codegen.python_client import attribute, method_name
from luvus_service.rpc.declare import Example, MethodSpec
from luvus_service.rpc.registry import Catalogue
from tests.support.judging import check_schema, misfits

SUMMARY_LENGTH = 80
_NAME = re.compile(r"[a-z]+(_[a-z]+)*(\.[a-z]+(_[a-z]+)*)*")
_FIELD = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_CODE = re.compile(r"[a-z]+(_[a-z]+)*")
_WORD = re.compile(r"[a-z]+(-[a-z]+)*")
_OPTION = re.compile(r"--[a-z]+(-[a-z]+)*")


def summaries(catalogue: Catalogue) -> Iterator[str]:
    """The first line of a docstring is help, a page and an OpenAPI summary."""
    for spec in catalogue.methods.values():
        if len(spec.summary) > SUMMARY_LENGTH:
            yield f"{spec.name}: the summary has {len(spec.summary)} characters"
        if not (spec.summary[:1].isupper() and spec.summary.endswith(".")):
            yield f"{spec.name}: the summary {spec.summary!r} is no sentence"
    for event in catalogue.events.values():
        if not event.summary.endswith("."):
            yield f"{event.name}: the summary {event.summary!r} is no sentence"


def descriptions(catalogue: Catalogue) -> Iterator[str]:
    """Every parameter says what it means."""
    for spec in catalogue.methods.values():
        for name, info in spec.params.model_fields.items():
            if not (info.description or "").strip():
                yield f"{spec.name}: the parameter {name} has no description"


def names(catalogue: Catalogue) -> Iterator[str]:
    """Names are lower-case words, joined by underscores, parts by dots."""
    for name in (*catalogue.methods, *catalogue.events):
        if not _NAME.fullmatch(name):
            yield f"{name} is no method or event name"
    for group in catalogue.families:
        seen: dict[str, str] = {}
        for spec in group.methods:
            python = method_name(group.name, spec.name)
            if python in seen:
                yield f"{spec.name} and {seen[python]} have the same name in Python"
            seen[python] = spec.name
    attributes = [attribute(group.name) for group in catalogue.families]
    yield from (f"{name} is the attribute of two families" for name in _repeated(attributes))
    for model, mode in dict.fromkeys(catalogue_models(catalogue)):
        for field in document(model, mode, "x").get("properties", {}):
            if not _FIELD.fullmatch(field):
                yield f"{model.__name__}: {field} is no field name"


def errors(catalogue: Catalogue) -> Iterator[str]:
    """Every error tells a reader when it happens."""
    for code, error in catalogue_errors(catalogue).items():
        if not _CODE.fullmatch(code):
            yield f"{error.__name__}: {code!r} is no error code"
        if not error.summary.endswith("."):
            yield f"{error.__name__}: the summary {error.summary!r} is no sentence"


def schemas(catalogue: Catalogue) -> Iterator[str]:
    """Schemas are valid, and so are the defaults in them."""
    found = bundle(catalogue_models(catalogue))
    for name, schema in found.definitions.items():
        check_schema(schema)
        for field, described in schema.get("properties", {}).items():
            whole = {**described, "$defs": found.definitions}
            if "default" in described and misfits(whole, described["default"]):
                yield f"{name}.{field}: the default {described['default']!r} does not fit"


def examples(catalogue: Catalogue) -> Iterator[str]:
    """Examples fit the models and the schemas, in both directions."""
    for group in catalogue.families:
        for example in group.examples:
            yield from _example(catalogue.methods[example.method], example)


def commands(catalogue: Catalogue) -> Iterator[str]:
    """Every command can be typed and means one method."""
    seen: dict[tuple[str, ...], str] = {}
    for spec in catalogue.methods.values():
        for way in ways(spec):
            if way.words in seen:
                yield f"{spec.name} and {seen[way.words]} are the same command"
            seen[way.words] = spec.name
            yield from (
                f"{spec.name}: {w!r} is no command word"
                for w in way.words
                if not _WORD.fullmatch(w)
            )
            yield from (f"{spec.name}: {fault}" for fault in _arguments(way.arguments))


RULES: tuple[Callable[[Catalogue], Iterator[str]], ...] = (
    summaries,
    descriptions,
    names,
    errors,
    schemas,
    examples,
    commands,
)


def _example(spec: MethodSpec, example: Example) -> Iterator[str]:
    result = dict(example.result)
    if result.pop("revision", None) is not None and not spec.revision:
        yield f"{spec.name}: the example's result has a revision, the method's has none"
    for model, mode, value in (
        (spec.params, "validation", example.params),
        (spec.result, "serialization", result),
    ):
        where = f"{spec.name}: the example's {'params' if mode == 'validation' else 'result'}"
        yield from (f"{where}: {fault}" for fault in _faults(model, mode, value))


def _faults(model: type[BaseModel], mode: Any, value: dict[str, Any]) -> Iterator[str]:
    try:
        model.model_validate_json(json.dumps(value))
    except ValidationError as error:
        yield f"{error.errors()[0]['msg']} at {error.errors()[0]['loc']}"
    yield from misfits(document(model, mode, "x"), value)


def _arguments(found: tuple[Argument, ...]) -> Iterator[str]:
    options = [name for a in found for name in (*a.names, *(f for f, _ in a.values or ()))]
    yield from (f"{name!r} is no option" for name in options if not _OPTION.fullmatch(name))
    yield from (f"{name} is the option of two parameters" for name in _repeated(options))
    plain = [a for a in found if a.kind in {"positional", "rest"}]
    yield from (f"words come after the rest in {a.field}" for a in plain[:-1] if a.kind == "rest")
    for argument in found:
        if argument.kind == "value_flags" and argument.required and not argument.values:
            yield f"{argument.field} has no flags"


def _repeated(values: list[str]) -> list[str]:
    return sorted({value for value in values if values.count(value) > 1})
