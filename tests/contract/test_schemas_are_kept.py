"""What a schema allows, validation accepts: nobody is refused for following the schema."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings

from luvus_service.asgi.status import OF_KIND
from luvus_service.codegen.openapi import PREFIX, openapi
from luvus_service.rpc.registry import Catalogue
from luvus_service.uhp.catalogue import catalogue
from tests.unit.service.codegen.sample import CATALOGUE as SAMPLE

EXAMPLES = 10
_PRODUCT = catalogue()


def as_written(value: Any) -> Any:
    """Write whole numbers without a fraction: a schema takes 15.0 for an integer, we do not."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [as_written(item) for item in value]
    if isinstance(value, dict):
        return {key: as_written(item) for key, item in value.items()}
    return value


@cache
def published(described: Catalogue) -> Any:
    document = openapi(described, "1", status_of_kind=OF_KIND, server_sent={})
    return schemathesis.openapi.from_dict(document)


def check(described: Catalogue, name: str) -> None:
    operation = published(described)[PREFIX + name]["POST"]
    params = described.methods[name].params
    cases = operation.as_strategy(generation_mode=schemathesis.GenerationMode.POSITIVE)

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=cases)
    def accepted(case: schemathesis.Case[Any]) -> None:
        if isinstance(case.body, dict):
            body = {key: as_written(value) for key, value in case.body.items()}
            body.pop("if_revision", None)
            params.model_validate_json(json.dumps(body))

    accepted()


@pytest.mark.parametrize("name", sorted(n for n, m in SAMPLE.methods.items() if not m.stream))
def test_parameters_that_fit_the_schema_of_the_sample_are_accepted(name: str) -> None:
    check(SAMPLE, name)


@pytest.mark.parametrize(
    "name", sorted(n for n, m in _PRODUCT.methods.items() if not m.stream and m.alias_of is None)
)
def test_parameters_that_fit_the_schema_are_accepted(name: str) -> None:
    check(_PRODUCT, name)
