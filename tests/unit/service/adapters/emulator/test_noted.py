"""Limits and cleaning of what programs say of themselves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from luvus_service.adapters.emulator.noted import (
    MAX_NOTIFICATIONS,
    MAX_REPLY_BYTES,
    MAX_TITLE_CHARS,
    Noted,
    cut_utf8,
    cwd_path,
    printable,
    title_text,
)
from luvus_service.uhp.domain.ports import Fed


@pytest.mark.parametrize(
    ("raw", "path"),
    [
        (b"file://host/tmp/a%20b", "/tmp/a b"),
        (b"file:///x", "/x"),
        (b"kitty-shell-cwd://host/tmp/a%20b", "/tmp/a%20b"),
        (b"/plain", "/plain"),
        (b"file://host", None),
        (b"http://host/x", None),
        (b"relative", None),
        (b"file:///a%00b", None),
        (b"file:///" + b"a" * 5000, None),
        (b"file:///caf%e9", "/caf\udce9"),
        (b"file:///x\0", "/x"),
        (b"", None),
    ],
)
def test_the_folder_of_an_address_is_read(raw: bytes, path: str | None) -> None:
    assert cwd_path(raw) == path


def test_a_title_keeps_printable_characters_only() -> None:
    assert title_text(b" a\x00\x1b[31m\tb\xff\xe2\x80\xae ") == "a[31mb\ufffd"
    assert title_text(b"\x01\x02") is None
    assert title_text("é".encode() * 1000) == "é" * MAX_TITLE_CHARS


@given(st.binary(max_size=300), st.integers(0, 300))
def test_printable_text_is_within_its_bytes(raw: bytes, limit: int) -> None:
    assert len(printable(raw, max_bytes=limit).encode()) <= limit


@given(st.text(max_size=50), st.integers(0, 200))
def test_a_cut_text_is_a_start_of_the_text(text: str, limit: int) -> None:
    cut = cut_utf8(text, limit)

    assert text.startswith(cut)
    assert len(cut.encode("utf-8", "surrogatepass")) <= limit


def test_what_is_noted_is_bounded_and_taken_once() -> None:
    noted = Noted(80, 24)
    for _ in range(MAX_NOTIFICATIONS + 10):
        noted.notify(b"t\x07", b"a\nb")
    noted.reply(b"x" * MAX_REPLY_BYTES)
    noted.reply(b"y")
    noted.bell()

    assert noted.take(title="new", cwd=None) == Fed(
        replies=b"x" * MAX_REPLY_BYTES,
        bells=1,
        title="new",
        notifications=(("t", "a\nb"),) * MAX_NOTIFICATIONS,
    )
    assert noted.quiet()
    assert noted.take(title=None, cwd=None) == Fed()
