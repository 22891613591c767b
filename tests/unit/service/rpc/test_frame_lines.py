from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from luvus_service.rpc.frame_lines import (
    DEPTH,
    DIGITS,
    Frame,
    encode,
    event_line,
    read_frame,
    request_id_of,
)
from luvus_service.rpc.refusals import Refused

values = st.recursive(
    st.none() | st.booleans() | st.integers(-(1 << 70), 1 << 70) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=15,
)


def nested(depth: int) -> bytes:
    """Return a frame of this depth."""
    return b'{"kind":"a","content":' + b"[" * (depth - 1) + b"]" * (depth - 1) + b"}"


@pytest.mark.parametrize("line", [b"", b" ", b"\t \r", b"\r"])
def test_a_line_of_white_space_is_no_frame(line: bytes) -> None:
    assert read_frame(line) is None


@pytest.mark.parametrize(
    ("line", "frame"),
    [
        (b'{"kind":"stop"}', Frame("stop", None)),
        (b' {"kind":"say","content":{"text":"\xc3\xa4"}}\r', Frame("say", {"text": "ä"})),
        (b'{"kind":"","content":null,"more":1}', Frame("", None)),
        (b'{"kind":"a","kind":"b"}', Frame("b", None)),
        (b'{"kind":"a","content":' + b"-" + b"9" * DIGITS + b"}", Frame("a", -(10**DIGITS - 1))),
        (b'{"kind":"a","content":"' + b"[" * 100 + b'"}', Frame("a", "[" * 100)),
    ],
)
def test_a_frame_has_a_kind_and_perhaps_a_content(line: bytes, frame: Frame) -> None:
    assert read_frame(line) == frame


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{", "invalid JSON: Expecting property name enclosed in double quotes: "),
        (b'{"kind":"\xff"}', "invalid JSON: not UTF-8 at byte 9"),
        (b'{"kind":NaN}', "invalid JSON: NaN is not JSON"),
        (b'{"kind":"a","content":' + b"9" * (DIGITS + 1) + b"}", "invalid JSON: an integer of"),
        (b"[" * 5000 + b"]" * 5000, "invalid JSON: nested too deep"),
        (nested(DEPTH + 1), f"invalid JSON: nested deeper than {DEPTH}"),
        (b"[]", "a frame must be an object"),
        (b'"kind"', "a frame must be an object"),
        (b"{}", "a frame must have a string `kind`"),
        (b'{"kind":1}', "a frame must have a string `kind`"),
    ],
)
def test_what_is_no_frame_is_malformed(line: bytes, reason: str) -> None:
    with pytest.raises(Refused) as refused:
        read_frame(line)

    assert refused.value.code == "malformed"
    assert refused.value.reason.startswith(reason)


def test_a_frame_may_be_as_deep_as_the_limit_and_as_wide_as_it_likes() -> None:
    assert read_frame(nested(DEPTH)) is not None
    wide = b'{"kind":"a","content":[' + b",".join([b'{"b":[]}'] * 100) + b"]}"
    assert read_frame(wide) == Frame("a", [{"b": []}] * 100)


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (None, None),
        ([], None),
        ({}, None),
        ({"request_id": 1}, None),
        ({"request_id": ""}, None),
        ({"request_id": "r" * 129}, None),
        ({"request_id": "r" * 128}, "r" * 128),
        ({"request_id": "r1", "text": "x"}, "r1"),
    ],
)
def test_only_a_usable_request_id_is_found(content: Any, found: str | None) -> None:
    assert request_id_of(content) == found


@dataclass(frozen=True, slots=True)
class Inside:
    """A part of an event."""

    name: str
    note: str | None = None

    omitted: ClassVar = ("note",)


@dataclass(frozen=True, slots=True)
class Plain:
    """An event whose fields all go out."""

    text: str
    inside: Inside | None = None

    frame: ClassVar = "plain"


@dataclass(frozen=True, slots=True)
class Sparse:
    """An event that leaves out what it does not know."""

    text: str | None = None
    inside: Inside | None = None
    kept: int | None = None

    frame: ClassVar = "sparse"
    omitted: ClassVar = ("text", "inside")


@dataclass(frozen=True, slots=True)
class Pruned:
    """An event whose parts leave out what they do not know."""

    parts: tuple[Inside, ...] = ()
    text: str | None = None
    kept: int | None = None

    frame: ClassVar = "pruned"
    omitted: ClassVar = ("text",)
    prune: ClassVar = True


@pytest.mark.parametrize(
    ("event", "content"),
    [
        (Plain("x"), {"text": "x", "inside": None}),
        (Plain("x", Inside("i")), {"text": "x", "inside": {"name": "i", "note": None}}),
        (Sparse(), {"kept": None}),
        (Sparse("x"), {"text": "x", "kept": None}),
        (
            Sparse("x", Inside("i"), 1),
            {"text": "x", "inside": {"name": "i", "note": None}, "kept": 1},
        ),
        (Pruned(), {"parts": [], "kept": None}),
        (
            Pruned((Inside("i"), Inside("j", "n")), "t"),
            {"parts": [{"name": "i"}, {"name": "j", "note": "n"}], "text": "t", "kept": None},
        ),
    ],
)
def test_an_event_goes_out_with_what_it_knows(event: Any, content: Any) -> None:
    assert json.loads(event_line(event)) == {"kind": event.frame, "content": content}


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\u0085"])
def test_a_character_at_which_some_reader_splits_is_escaped(separator: str) -> None:
    line = event_line(Plain(f"a{separator}b\n"))

    assert json.loads(line)["content"]["text"] == f"a{separator}b\n"
    assert len(line.decode().splitlines()) == 1


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a\ud800b", '"a\ufffdb"'),
        ({"\udfff": ["\ud800"]}, '{"\ufffd":["\ufffd"]}'),
        ((1 << 70, None, True), f"[{1 << 70},null,true]"),
        (Inside("\ud800", "n"), '{"name":"\ufffd","note":"n"}'),
        ({1: 2}, '{"1":2}'),
    ],
)
def test_what_is_no_text_or_no_short_number_still_goes_out(value: Any, text: str) -> None:
    assert encode(value).decode() == text


@given(values)
def test_any_content_goes_out_on_one_line_and_comes_back(value: Any) -> None:
    line = encode({"kind": "any", "content": value})

    assert len(line.decode().splitlines()) == 1
    mended = json.loads(json.dumps(value).encode("utf-8", "replace"))
    text = json.dumps(mended, ensure_ascii=False)
    if not any("\ud800" <= char <= "\udfff" for char in text):
        assert json.loads(line)["content"] == mended


@given(st.binary(max_size=60))
def test_any_line_is_a_frame_or_refused(line: bytes) -> None:
    try:
        frame = read_frame(line)
    except Refused as refused:
        assert refused.code == "malformed"
    else:
        assert frame is None or isinstance(frame.kind, str)
