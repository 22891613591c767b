from __future__ import annotations

import json
from typing import Annotated, Any

import pytest
from pydantic import Field, ValidationError

from luvus_service.codegen.jsonschema import document
from luvus_service.rpc.models import Params
from luvus_service.rpc.spelling import HEX, Spelled
from luvus_service.rpc.validation import explain

Code = Annotated[str, Field(max_length=8), Spelled("^[a-z]+$", "must have only a to z")]


class Spelt(Params):
    """Texts of a certain spelling in every place."""

    code: Code = "a"
    maybe: Code | None = None
    codes: list[Code] = []  # noqa: RUF012
    table: dict[Code, int] = {}  # noqa: RUF012
    hex: Annotated[str, HEX] = "0" * 32


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"code": "A"}, "`code` must have only a to z, got 'A'"),
        ({"code": ""}, "`code` must have only a to z, got ''"),
        ({"code": "a\n"}, "`code` must have only a to z, got 'a\\n'"),
        ({"code": 1}, "`code` must be a string, got 1"),
        ({"code": "a" * 9}, "`code` must have at most 8 characters, got 'aaaaaaaaa'"),
        ({"maybe": "A"}, "`maybe` must have only a to z, got 'A'"),
        ({"codes": ["a", "1"]}, "`codes[1]` must have only a to z, got '1'"),
        (
            {"hex": "0" * 31},
            f"`hex` must be 32 hexadecimal digits, the letters small, got '{'0' * 31}'",
        ),
    ],
)
def test_what_is_misspelled_is_told_in_words(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Spelt.model_validate_json(json.dumps(given))

    assert explain(caught.value, given) == said


def test_what_is_spelled_right_is_taken() -> None:
    given = {"code": "ab", "maybe": None, "codes": ["x"], "table": {"x": 1}, "hex": "f" * 32}

    assert Spelt.model_validate_json(json.dumps(given)).model_dump() == given


def test_the_schema_shows_the_regular_expression() -> None:
    shown = document(Spelt, "validation", "x")["properties"]

    assert shown["codes"]["items"] == {"type": "string", "maxLength": 8, "pattern": "^[a-z]+$"}
    assert shown["hex"]["pattern"] == "^[0-9a-f]{32}$"
