"""Keys and chords as people write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from luvus_service.uhp.domain.config_keys import (
    Chord,
    bindings_fault,
    direct_fault,
    parse_chord,
    prefix_fault,
)


@pytest.mark.parametrize(
    ("text", "modifiers", "key"),
    [
        ("x", (), "x"),
        ("X", (), "X"),
        ("+", (), "+"),
        ("F5", (), "f5"),
        ("f12", (), "f12"),
        ("ctrl+space", ("ctrl",), "space"),
        ("Ctrl+Shift+A", ("ctrl", "shift"), "a"),
        ("alt++", ("alt",), "+"),
        ("ctrl+ä", ("ctrl",), "ä"),
        ("pageup", (), "pageup"),
    ],
)
def test_a_chord_is_read_as_modifiers_and_a_key(
    text: str, modifiers: tuple[str, ...], key: str
) -> None:
    assert parse_chord(text) == Chord(frozenset(modifiers), key)


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "ctrl", "ctrl+", "ctrl+ctrl+x", "hyper+x", "f13", "f0", "f1\n", "ctrl+x\n"),
        *("xy", "ctrl + x", "\t", "\x1b", "ctrl+\x00", "x" * 33, "++x"),
    ],
)
def test_anything_else_is_no_chord(text: str) -> None:
    assert parse_chord(text) is None


@given(st.text(max_size=40))
def test_any_text_is_read_without_a_fault(text: str) -> None:
    parse_chord(text)


@pytest.mark.parametrize("prefix", ["f1", "F12", "ctrl+a", "alt+space", "ctrl+shift+b"])
def test_a_function_key_or_a_chord_with_ctrl_or_alt_can_be_the_prefix(prefix: str) -> None:
    assert prefix_fault(prefix) is None


@pytest.mark.parametrize("prefix", ["", "a", "shift+a", "space", "ctrl+", "f13"])
def test_a_key_that_people_type_cannot_be_the_prefix(prefix: str) -> None:
    assert prefix_fault(prefix) is not None


def test_bindings_after_the_prefix_may_be_any_key_or_none() -> None:
    assert bindings_fault({"a": "x", "b": "ctrl+x", "c": ""}) is None
    assert bindings_fault({"a": "xy"}) is not None


def test_direct_bindings_are_no_typing_and_each_belongs_to_one_command() -> None:
    assert direct_fault({"a": "ctrl+x", "b": "f2", "c": ""}, "ctrl+space") is None
    assert direct_fault({"a": "x"}, "ctrl+space") is not None
    assert direct_fault({"a": "ctrl+x", "b": "CTRL+X"}, "ctrl+space") is not None
    assert direct_fault({"a": "ctrl+SPACE"}, "ctrl+space") is not None
