"""What a refusal says is in the caller's words: names as on the wire, values as in JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import ValidationError

from luvus_service.codegen.jsonschema import document
from luvus_service.rpc.validation import explain
from luvus_service.uhp.catalogue import catalogue

_PRODUCT = catalogue()
METHODS = sorted(name for name, method in _PRODUCT.methods.items() if method.alias_of is None)
NOT_OURS = re.compile(r"\b(None|True|False|inf|nan)\b|_`|\btag\b|function-|constrained|pydantic")
"""Words of Python and of its libraries, which no caller wrote."""
BAD: tuple[Any, ...] = (
    None,
    True,
    -1,
    1.5,
    10**30,
    "",
    " \n",
    [],
    [None],
    {},
    {"kind": None},
    {"kind": "x"},
    {"kind": "sibling"},
    {"x": [True]},
    "\x00 ?\n",
)
REGULAR_EXPRESSION = re.compile(r"\bpattern\b|\[[^\]]*a-z|\[0-9|\{\d+,\d*\}|\^.*\$")
"""What a refusal shows when it tells people a rule that is made for programs."""


def example_of(name: str) -> dict[str, Any]:
    """Return parameters that fit, as far as an example shows them."""
    shown = [e.params for family in _PRODUCT.families for e in family.examples if e.method == name]
    return dict(shown[0]) if shown else {}


def refusals(name: str) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield parameters with one that does not fit, and what is said about it."""
    model = _PRODUCT.methods[name].params
    for field in document(model, "validation", "x").get("properties", {}):
        for value in BAD:
            given = {**example_of(name), field: value}
            try:
                model.model_validate_json(json.dumps(given))
            except ValidationError as error:
                yield given, explain(error, given)


@pytest.mark.parametrize("name", METHODS)
def test_a_refusal_uses_no_word_of_the_language_it_is_made_with(name: str) -> None:
    told = [(given, said) for given, said in refusals(name) if NOT_OURS.search(said)]

    assert told == []


def misspelled(value: Any, given: Any) -> Iterator[Any]:
    """Yield a value with one of its texts, however deep, replaced by `given`."""
    if isinstance(value, str):
        yield given
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from ({**value, key: other} for other in misspelled(inner, given))
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            for other in misspelled(inner, given):
                yield [*value[:place], other, *value[place + 1 :]]


@pytest.mark.parametrize("name", METHODS)
def test_a_refusal_shows_no_regular_expression(name: str) -> None:
    model = _PRODUCT.methods[name].params
    told = [said for _, said in refusals(name)]
    for given in misspelled(example_of(name), "\x00 ?\n"):
        try:
            model.model_validate_json(json.dumps(given))
        except ValidationError as error:
            told.append(explain(error, given))

    assert [said for said in told if REGULAR_EXPRESSION.search(said)] == []


@pytest.mark.parametrize("name", METHODS)
def test_a_refusal_names_a_parameter_that_the_method_has(name: str) -> None:
    known = set(document(_PRODUCT.methods[name].params, "validation", "x").get("properties", {}))

    for given, said in refusals(name):
        first = re.match(r"`([A-Za-z_]+)", said)
        assert first is None or first[1] in known | set(given), (given, said)
