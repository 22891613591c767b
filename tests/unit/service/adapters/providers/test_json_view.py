"""JSON of strangers, and our own that is odd."""

from __future__ import annotations

from typing import Any

import pytest

from luvus_service.adapters.providers.json_view import View, decoded, encoded


def test_what_is_missing_or_of_another_type_is_empty() -> None:
    view = decoded(b'{"s": "x", "n": 3, "f": 2.5, "b": true, "l": [1, {"a": 1}], "o": {"s": "y"}}')

    assert (view.text("s"), view.text("n"), view.text("none")) == ("x", "", "")
    assert (view.count("n"), view.count("f"), view.count("b"), view.count("s")) == (
        3,
        2,
        None,
        None,
    )
    assert view.at("o").text("s") == "y"
    assert view.at("s").text("s") == ""
    assert [item.count("a") for item in view.items("l")] == [None, 1]
    assert list(view.items("s")) == []
    assert View({"l": ["a", 1, None]}).strings("l") == ("a",)


@pytest.mark.parametrize("number", [-1, 2**53, True, "3", None, float("inf"), float("nan")])
def test_what_counts_nothing_is_no_count(number: Any) -> None:
    assert View({"n": number}).count("n") is None


def test_half_a_surrogate_pair_is_read_and_mended_when_written() -> None:
    view = decoded(b'{"s": "\\ud83d"}')

    assert view.text("s") == "\ud83d"
    assert encoded(view.raw) == '{"s":"\ufffd"}'.encode()


def test_what_is_nested_too_deeply_is_refused_both_ways() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]

    with pytest.raises(ValueError, match="deeply"):
        encoded(deep)
    with pytest.raises(ValueError):
        decoded(b"[" * 100_000 + b"]" * 100_000)
