from __future__ import annotations

import pytest

from luvus_service.rpc.errors import (
    MESSAGE_LIMIT,
    Forbidden,
    InvalidRequest,
    Kind,
    RpcError,
    error_class,
)


def test_a_code_belongs_to_one_class_only() -> None:
    with pytest.raises(TypeError, match="error code 'forbidden' belongs to Forbidden already"):

        class Another(RpcError):
            """Another one."""

            code = "forbidden"

    assert error_class("forbidden") is Forbidden


def test_a_class_that_is_made_again_replaces_itself() -> None:
    def make() -> type[RpcError]:
        class TestMadeTwice(RpcError):
            """The same error, imported twice."""

            code = "test_made_twice"

        return TestMadeTwice

    make()
    second = make()

    assert error_class("test_made_twice") is second


@pytest.mark.parametrize("text", [None, "", "  \n "])
def test_an_error_without_a_docstring_stops_the_import(text: str | None) -> None:
    with pytest.raises(TypeError, match="error 'test_silent' has no docstring"):
        type("Silent", (RpcError,), {"code": "test_silent", "__doc__": text})

    assert error_class("test_silent") is None


def test_the_summary_is_the_first_line_of_the_docstring() -> None:
    class TestTwoLines(RpcError):
        """The first line.

        The rest.
        """

        code = "test_two_lines"

    assert TestTwoLines.summary == "The first line."


def test_an_error_that_refines_another_has_a_summary_of_its_own() -> None:
    class TestNarrower(InvalidRequest):
        """Something narrower."""

        code = "test_narrower"

    assert TestNarrower.summary == "Something narrower."
    assert TestNarrower.kind is Kind.INVALID


def test_an_error_that_only_refines_the_class_keeps_the_code() -> None:
    class Refined(InvalidRequest):
        """Carries more."""

    assert Refined("x").body() == {"code": "invalid_request", "message": "x"}
    assert error_class("invalid_request") is InvalidRequest


def test_a_long_message_is_cut() -> None:
    error = InvalidRequest("ä" * (MESSAGE_LIMIT + 1))

    assert error.body() == {"code": "invalid_request", "message": "ä" * MESSAGE_LIMIT}


def test_an_error_carries_what_it_was_given_besides() -> None:
    error = InvalidRequest("no", expected=1, actual=None)

    assert error.body() == {
        "code": "invalid_request",
        "message": "no",
        "expected": 1,
        "actual": None,
    }


def test_an_unknown_code_has_no_class() -> None:
    assert error_class("test_nobody_has_this") is None
