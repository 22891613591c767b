from __future__ import annotations

import json
from enum import StrEnum
from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, Field, ValidationError, field_validator, model_validator
from pydantic_core import PydanticCustomError

from luvus_service.rpc.models import LenientParams, Params
from luvus_service.rpc.validation import WHOLE_SENTENCE, explain


class Side(StrEnum):
    """A side."""

    LEFT = "left"
    RIGHT = "right"


class Inner(Params):
    """Something inside."""

    depth: Annotated[int, Field(ge=0)]


class Round(Params):
    """A round shape."""

    kind: Literal["round"]


class Square(Params):
    """A square shape."""

    kind: Literal["square"]
    side: int


class Everything(Params):
    """One field of every sort."""

    text: Annotated[str, Field(min_length=1, max_length=3)] = "x"
    code: Annotated[str, Field(pattern="^[a-z]+$")] = "x"
    number: Annotated[int, Field(ge=1, le=9)] = 1
    above: Annotated[int, Field(gt=0, lt=9)] = 1
    flag: bool = False
    share: Annotated[float, Field(allow_inf_nan=False)] = 0.5
    side: Side = Side.LEFT
    mode: Literal["a", "b"] = "a"
    names: Annotated[list[str], Field(min_length=1, max_length=2)] = ["x"]  # noqa: RUF012
    pair: tuple[int, int] = (1, 2)
    table: dict[str, int] = {}  # noqa: RUF012
    inner: Inner = Inner(depth=0)
    inners: list[Inner] = []  # noqa: RUF012
    either: int | str = 0
    where: dict[str, bool | int | Annotated[str, Field(max_length=2)] | None] = {}  # noqa: RUF012
    shape: Annotated[Round | Square, Field(discriminator="kind")] = Square(kind="square", side=1)
    odd: int = 1
    said: int = 1
    sure: int = 1
    source: Annotated[int, Field(alias="from")] = 0

    @field_validator("odd")
    @classmethod
    def _odd(cls, value: int) -> int:
        if value % 2 == 0:
            raise ValueError("must be odd")
        return value

    @field_validator("sure")
    @classmethod
    def _sure(cls, value: int) -> int:
        if value != 1:
            raise AssertionError("must be sure")
        return value

    @field_validator("said")
    @classmethod
    def _said(cls, value: int) -> int:
        if value != 1:
            raise PydanticCustomError(WHOLE_SENTENCE, "said is {said}", {"said": value})
        return value

    @model_validator(mode="after")
    def _together(self) -> Everything:
        if self.number == 2 and self.above == 2:
            raise ValueError("give either `number` or `above`")
        return self


class Needed(Params):
    """A field that is needed."""

    pane: int


def sentence(given: str, model: type[BaseModel] = Everything) -> str:
    """Return the sentence for parameters that do not fit."""
    with pytest.raises(ValidationError) as failed:
        model.model_validate_json(given)
    try:
        return explain(failed.value, json.loads(given))
    except RecursionError:
        return explain(failed.value)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ('{"text":1}', "`text` must be a string, got 1"),
        ('{"text":""}', "`text` must have at least 1 character, got ''"),
        ('{"text":"long"}', "`text` must have at most 3 characters, got 'long'"),
        ('{"code":"A"}', "`code` must match pattern '^[a-z]+$', got 'A'"),
        ('{"number":"1"}', "`number` must be an integer, got '1'"),
        ('{"number":true}', "`number` must be an integer, got true"),
        ('{"number":null}', "`number` must be an integer, got null"),
        ('{"number":1.5}', "`number` must be an integer, got 1.5"),
        ('{"number":0}', "`number` must be greater than or equal to 1, got 0"),
        ('{"number":10}', "`number` must be less than or equal to 9, got 10"),
        ('{"above":0}', "`above` must be greater than 0, got 0"),
        ('{"above":9}', "`above` must be less than 9, got 9"),
        ('{"flag":1}', "`flag` must be true or false, got 1"),
        ('{"flag":"yes"}', "`flag` must be true or false, got 'yes'"),
        ('{"share":"x"}', "`share` must be a number, got 'x'"),
        ('{"share":1e999}', "`share` must be a finite number, got Infinity"),
        ('{"side":"up"}', "`side` must be 'left' or 'right', got 'up'"),
        ('{"mode":"c"}', "`mode` must be 'a' or 'b', got 'c'"),
        ('{"names":"x"}', "`names` must be an array, got 'x'"),
        ('{"names":["a",2]}', "`names[1]` must be a string, got 2"),
        ('{"names":[]}', "`names` must have at least 1 item, not 0, got []"),
        (
            '{"names":["a","b","c"]}',
            '`names` must have at most 2 items, not 3, got ["a", "b", "c"]',
        ),
        ('{"pair":1}', "`pair` must be an array, got 1"),
        ('{"pair":[1]}', "`pair[1]` is required"),
        ('{"table":[]}', "`table` must be an object, got []"),
        ('{"table":{"a":"b"}}', "`table.a` must be an integer, got 'b'"),
        ('{"inner":1}', "`inner` must be an object, got 1"),
        ('{"inner":{"depth":-1}}', "`inner.depth` must be greater than or equal to 0, got -1"),
        ('{"inner":{}}', "`inner.depth` is required"),
        ('{"inner":{"depth":1,"x":2}}', "unknown field `inner.x`; leave it out"),
        ('{"inners":[{"depth":1},{"depth":""}]}', "`inners[1].depth` must be an integer, got ''"),
        ('{"either":[]}', "`either` must be an integer or a string, got []"),
        (
            '{"where":{"a":[1]}}',
            "`where.a` must be true or false, an integer or a string, got [1]",
        ),
        (
            '{"where":{"a":{"b":null}}}',
            '`where.a` must be true or false, an integer or a string, got {"b": null}',
        ),
        ('{"where":{"a":"xyz"}}', "`where.a` must have at most 2 characters, got 'xyz'"),
        ('{"shape":{"kind":"oval"}}', "`shape.kind` must be 'round' or 'square', got 'oval'"),
        ('{"shape":{}}', "`shape.kind` is required"),
        ('{"shape":{"kind":"square"}}', "`shape.side` is required"),
        ('{"shape":{"kind":"square","side":"x"}}', "`shape.side` must be an integer, got 'x'"),
        ('{"shape":{"kind":"round","side":1}}', "unknown field `shape.side`; leave it out"),
        ('{"shape":"x"}', "`shape` must be an object, got 'x'"),
        ('{"odd":2}', "`odd` must be odd, got 2"),
        ('{"sure":2}', "`sure` must be sure, got 2"),
        ('{"said":2}', "said is 2"),
        ('{"number":2,"above":2}', "give either `number` or `above`"),
        ('{"from":"x"}', "`from` must be an integer, got 'x'"),
        ('{"source":1}', "unknown field `source`; leave it out"),
        ('{"x":1}', "unknown field `x`; leave it out"),
        ("[]", "must be an object"),
    ],
)
def test_each_fault_has_its_sentence(given: str, said: str) -> None:
    assert sentence(given) == said


def test_a_missing_field_is_named() -> None:
    assert sentence("{}", Needed) == "`pane` is required"


def test_only_the_first_of_many_faults_is_told() -> None:
    assert sentence('{"text":1,"number":"x"}') == "`text` must be a string, got 1"


def test_a_long_value_is_shown_in_part() -> None:
    said = sentence('{"number":"' + "x" * 1000 + '"}')

    assert said == "`number` must be an integer, got '" + "x" * 78 + "…"


def test_nesting_beyond_what_is_read_is_said_so() -> None:
    said = sentence('{"either":' + "[" * 300 + "]" * 300 + "}")

    assert said.startswith("invalid JSON: recursion limit exceeded")


def test_unknown_fields_of_an_older_method_are_ignored() -> None:
    class Older(LenientParams):
        """An older method."""

        pane: int

    assert Older.model_validate_json('{"pane":1,"more":2}') == Older(pane=1)
    assert sentence('{"pane":"x"}', Older) == "`pane` must be an integer, got 'x'"
