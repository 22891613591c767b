from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from luvus_service.uhp.domain.agents.keys import encode, pattern
from luvus_service.uhp.domain.errors import InvalidRequest


@pytest.mark.parametrize(
    ("key", "data"),
    [
        *((name, b"\r") for name in ("enter", "Return", "CR")),
        *((name, b"\x1b") for name in ("esc", "Escape")),
        ("tab", b"\t"),
        ("space", b" "),
        *((name, b"\x7f") for name in ("backspace", "BS")),
        *((name, b"\x1b[3~") for name in ("delete", "del")),
        ("up", b"\x1b[A"),
        ("down", b"\x1b[B"),
        ("right", b"\x1b[C"),
        ("left", b"\x1b[D"),
        ("home", b"\x1b[H"),
        ("end", b"\x1b[F"),
        *((name, b"\x1b[5~") for name in ("pageup", "pgup")),
        *((name, b"\x1b[6~") for name in ("pagedown", "pgdn")),
        ("ctrl+c", b"\x03"),
        ("CTRL+Z", b"\x1a"),
        ("c-a", b"\x01"),
        ("x", b"x"),
        ("é", "é".encode()),
        ("🙂", "🙂".encode()),
        (" ", b" "),
    ],
)
def test_a_key_is_sent_as_its_bytes(key: str, data: bytes) -> None:
    assert encode([key]) == data


@pytest.mark.parametrize(
    "key",
    [
        "",
        "f13",
        "ctrl+",
        "ctrl+1",
        "ctrl+cc",
        "ctrl+\u212a",
        "c-\u017f",
        "\r",
        "\x7f",
        "\x85",
        "\ud800",
        "enter ",
        "alt+x",
        "🙂🙂",
        "shift+tab",
    ],
)
def test_one_that_is_no_key_refuses_the_batch(key: str) -> None:
    with pytest.raises(InvalidRequest):
        encode(["enter", key])


def test_cursor_keys_follow_the_mode_of_the_program() -> None:
    assert encode(["up", "end", "delete", "x"], application_cursor=True) == b"\x1bOA\x1bOF\x1b[3~x"


@given(
    st.text(max_size=8)
    | st.sampled_from(
        ["enter", "Return", "pageUP", "ctrl+c", "C-Z", "c-1", "ctrl+", "ctrl+\u212a", "up\n", "e\n"]
    )
)
def test_the_schema_tells_keys_apart_as_reading_them_does(key: str) -> None:
    # `$` also fits before a last line end here, and does not in the language of schemas.
    fits = re.fullmatch(pattern(), key) is not None

    if fits:
        assert encode([key]) != b""
    else:
        with pytest.raises(InvalidRequest):
            encode([key])


@given(st.lists(st.text(max_size=8), max_size=8))
def test_any_batch_is_encoded_whole_or_refused(keys: list[str]) -> None:
    try:
        data = encode(keys)
    except InvalidRequest:
        return
    assert data == b"".join(encode([key]) for key in keys)
