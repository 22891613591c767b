"""The published shape of a request tells every method's parameters apart."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

from luvus_service.codegen.protocol import protocol
from luvus_service.rpc.declare import Example
from luvus_service.uhp.catalogue import catalogue
from tests.support.judging import misfits
from tests.support.reference import lines, needs_reference

_PRODUCT = catalogue()
STRICT = sorted(name for name, method in _PRODUCT.methods.items() if not method.lenient)
ONLY_CODE_TELLS = {"create-1", "dup-1"}
"""A relative folder and a repeated key of JSON."""


@cache
def published() -> dict[str, Any]:
    return protocol(_PRODUCT)


@cache
def params() -> list[dict[str, Any]]:
    return [method["params"] for method in published()["methods"].values()]


def faults(request: dict[str, Any]) -> list[str]:
    """Return what is wrong with a request as `luvus uhp schema` describes requests."""
    return misfits(published()["request_schema"], request, params())


@pytest.mark.parametrize(
    "example",
    [example for family in _PRODUCT.families for example in family.examples],
    ids=lambda example: str(example.method),
)
def test_the_request_of_an_example_fits(example: Example) -> None:
    assert faults({"id": "1", "method": example.method, "params": example.params}) == []


@pytest.mark.parametrize("name", STRICT)
def test_a_parameter_that_the_method_does_not_know_does_not_fit(name: str) -> None:
    assert faults({"id": "1", "method": name, "params": {"unknown_to_all": 1}}) != []


@needs_reference
@pytest.mark.parametrize("folder", ["fixtures", "terminal/fixtures"])
def test_the_protocols_example_lines_are_told_apart(folder: str) -> None:
    known = _PRODUCT.methods
    valid = [json.loads(line) for line in lines(f"{folder}/valid/requests.jsonl")]
    invalid = [json.loads(line) for line in lines(f"{folder}/invalid/requests.jsonl")]

    assert [r["id"] for r in valid if r["method"] in known and faults(r)] == []
    passed = {r.get("id") for r in invalid if not faults(r)}
    assert passed <= ONLY_CODE_TELLS
