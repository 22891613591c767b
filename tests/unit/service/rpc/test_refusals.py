from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest
from pydantic import AfterValidator, Field, TypeAdapter, ValidationError

from luvus_service.rpc.models import LenientParams
from luvus_service.rpc.refusals import Refused, content_refusal


class Point(LenientParams):
    """A place."""

    x: int
    y: Annotated[int, Field(ge=0, le=9)] = 0


def only_odd(value: int) -> int:
    """Let odd numbers through."""
    if value % 2 == 0:
        raise ValueError("must be odd")
    return value


class Content(LenientParams):
    """One field of every sort."""

    text: Annotated[str, Field(min_length=1, max_length=3)] = "x"
    number: int = 1
    flag: bool = False
    share: float = 0.5
    table: dict[str, int] | None = None
    point: Point | None = None
    names: Annotated[list[str], Field(min_length=1, max_length=2)] | None = None
    mode: Literal["a", "b"] = "a"
    odd: Annotated[int, AfterValidator(only_odd)] = 1
    positive: Annotated[int, Field(gt=0)] = 1


def refusal(content: Any, of: Any = Content) -> tuple[str, str]:
    """Return the code and the sentence for a content that does not fit."""
    with pytest.raises(ValidationError) as failed:
        TypeAdapter(of).validate_python(content, strict=True)
    refused = content_refusal(failed.value)
    assert refused.kind is None
    return refused.code, refused.reason


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ({"text": 1}, "field `text` must be a string"),
        ({"text": ""}, "field `text` must have at least 1 characters"),
        ({"text": "long"}, "field `text` must have at most 3 characters"),
        ({"number": "1"}, "field `number` must be an integer"),
        ({"flag": 1}, "field `flag` must be true or false"),
        ({"share": "x"}, "field `share` must be a number"),
        ({"table": []}, "field `table` must be an object"),
        ({"table": {"a": "b"}}, "field `table.a` must be an integer"),
        ({"point": {"x": 1, "y": 10}}, "field `point.y` must be at most 9"),
        ({"point": {"x": 1, "y": -1}}, "field `point.y` must be at least 0"),
        ({"names": "x"}, "field `names` must be an array"),
        ({"names": []}, "field `names` must have at least 1 entries"),
        ({"names": ["a"] * 3}, "field `names` must have at most 2 entries"),
        ({"names": ["a", 2]}, "field `names[1]` must be a string"),
        ({"mode": "c"}, "field `mode` must be 'a' or 'b'"),
        ({"odd": 2}, "field `odd` must be odd"),
        ({"positive": 0}, "field `positive` must be greater than 0"),
        ([], "content must be an object"),
    ],
)
def test_each_fault_of_a_content_has_its_sentence(content: Any, sentence: str) -> None:
    found = refusal(content)

    assert found == ("invalid_field", sentence)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [({}, "missing field `x`"), ({"y": "bad"}, "missing field `x`")],
)
def test_a_missing_field_has_a_code_of_its_own(content: Any, sentence: str) -> None:
    assert refusal(content, Point) == ("missing_field", sentence)


def test_a_missing_field_inside_is_named_with_its_place() -> None:
    assert refusal({"point": {}}) == ("missing_field", "missing field `point.x`")


def test_of_a_union_the_branch_that_got_deepest_speaks() -> None:
    found = refusal([{"x": 1}, {"x": "a"}], str | list[Point])

    assert found == ("invalid_field", "field `[1].x` must be an integer")


def test_a_content_that_is_no_branch_of_a_union_is_refused_as_a_whole() -> None:
    assert refusal(3, str | None) == ("invalid_field", "content must be a string")


def test_a_refusal_is_its_sentence() -> None:
    refused = Refused("busy", "a turn is running", kind="prompt")

    assert (str(refused), refused.code, refused.kind) == ("a turn is running", "busy", "prompt")
