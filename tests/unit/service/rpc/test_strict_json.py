from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from luvus_service.rpc.strict_json import BadJson, loads

SMILE = b'"\\ud83d\\ude00"'

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner),
    max_leaves=20,
)


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        (b"", "Expecting value: line 1 column 1 (char 0)"),
        (b'{"a":1,"a":1}', "key 'a' is repeated"),
        (b'[{"b":{"a":1,"b":2,"a":3}}]', "key 'a' is repeated"),
        (b'{"a":1,"\\u0061":2}', "key 'a' is repeated"),
        (b'{"' + b"k" * 100 + b'":1,"' + b"k" * 100 + b'":2}', f"key '{'k' * 64}' is repeated"),
        (b"NaN", "NaN is not JSON"),
        (b"[Infinity]", "Infinity is not JSON"),
        (b'{"a":-Infinity}', "-Infinity is not JSON"),
        (b'"\\ud83d"', "a lone surrogate is no text"),
        (b'{"\\uDE00":1}', "a lone surrogate is no text"),
        (b'["\\ude00\\ud83d"]', "a lone surrogate is no text"),
        (b"[" * 5000 + b"]" * 5000, "nested too deep"),
        (b'"\xff"', "'utf-8' codec can't decode byte 0xff in position 1: invalid start byte"),
        (b'"\xed\xa0\x80"', None),
        (b"{} {}", "Extra data: line 1 column 4 (char 3)"),
        (b"\xef\xbb\xbf{}", None),
        (b'"\n"', None),
        (b"{'a':1}", None),
        (b'{"a":1,}', None),
        (b"[01]", None),
        (b"9" * 5000, None),
        (b"1e400", "1e400 is beyond what a double can hold"),
        (b'{"a":[-1.5E+999]}', "-1.5E+999 is beyond what a double can hold"),
        (b"9" * 309, f"{'9' * 32}… is beyond what a double can hold"),
        (b"-" + b"9" * 400, f"-{'9' * 31}… is beyond what a double can hold"),
    ],
)
def test_what_is_not_strict_json_is_refused(raw: bytes, sentence: str | None) -> None:
    with pytest.raises(BadJson) as refused:
        loads(raw)

    assert sentence is None or str(refused.value) == sentence


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        (b' {"a" : [1, 2.5, null]}\r\n', {"a": [1, 2.5, None]}),
        (SMILE, "\U0001f600"),
        (b'"\\uD83D\\uDE00"', "\U0001f600"),
        (b'"\\\\ud800"', "\\ud800"),
        (b'[{"a":1},{"a":2}]', [{"a": 1}, {"a": 2}]),
        (b"123456789012345678901234567890", 123456789012345678901234567890),
        (b"1.7e308", 1.7e308),
        (b"9" * 308, int("9" * 308)),
    ],
)
def test_what_is_strict_json_is_read(raw: bytes, value: Any) -> None:
    assert loads(raw) == value


@pytest.mark.parametrize("text", [b"1", SMILE], ids=["plain", "surrogates"])
def test_at_every_depth_a_message_is_read_or_refused(text: bytes) -> None:
    outcomes = []
    limit = sys.getrecursionlimit()
    for depth in range(limit - 200, limit + 10):
        try:
            loads(b"[" * depth + text + b"]" * depth)
        except BadJson as refused:
            outcomes.append(str(refused))
        else:
            outcomes.append("read")

    assert set(outcomes) == {"read", "nested too deep"}


@given(values)
def test_whatever_json_can_say_is_read_as_it_was_meant(value: Any) -> None:
    assert loads(json.dumps(value).encode()) == value
    assert loads(json.dumps(value, ensure_ascii=False).encode()) == value


@given(st.binary(max_size=40) | st.text('{}[]":,\\ud8dc0ae1 ', max_size=40).map(str.encode))
def test_any_bytes_are_refused_or_read_as_json_reads_them(raw: bytes) -> None:
    try:
        value = loads(raw)
    except BadJson:
        return

    assert value == json.loads(raw)
