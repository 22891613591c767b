from __future__ import annotations

import json
from typing import Any

import pytest

from luvus_bridge.envelope import Refusal
from luvus_bridge.limits import FRAME_BYTES, Limits
from luvus_bridge.replies import (
    acknowledge,
    busy_line,
    error_line,
    internal_line,
    refusal_line,
    too_large_line,
    wrap,
)


def read(line: bytes) -> Any:
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    return json.loads(line)


def test_a_result_is_wrapped_byte_for_byte() -> None:
    assert wrap("a:1", "result", b'{"n":1.50}') == b'{"id":"a:1","result":{"n":1.50}}\n'


def test_an_error_is_wrapped_byte_for_byte() -> None:
    line = wrap("1", "error", b'{"code":"not_found","message":"no such pane: 42"}')

    assert line == b'{"id":"1","error":{"code":"not_found","message":"no such pane: 42"}}\n'


def test_line_ends_in_a_body_do_not_break_the_frame() -> None:
    assert read(wrap("1", "result", b'\n{\n "a": 1\n}\n')) == {"id": "1", "result": {"a": 1}}


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\u0085"])
@pytest.mark.parametrize("around", ["%s", "é%s\u2027ਨ", "%s%s\u00e8\u00e9\u0145"])
def test_a_character_that_some_reader_splits_at_is_escaped(separator: str, around: str) -> None:
    text = around.replace("%s", separator)
    body = json.dumps({"text": text, separator: 1}, ensure_ascii=False).encode()

    answer = wrap("1", "result", body)
    started = acknowledge("1", b'{"result":' + body + b"}")

    assert answer.decode().splitlines() == [answer.decode()[:-1]]
    assert read(answer) == read(started) == {"id": "1", "result": {"text": text, separator: 1}}


def test_an_answer_that_only_escaping_brings_over_the_cap_becomes_an_internal_error() -> None:
    body = json.dumps({"t": "\u2028" * 300_000}, ensure_ascii=False).encode()

    assert len(body) < FRAME_BYTES
    assert read(wrap("1", "result", body))["error"]["code"] == "internal"


@pytest.mark.parametrize("body", [b"", b"Internal Server Error", b"[]", b"null", b"{"])
def test_a_body_that_is_no_object_becomes_an_internal_error(body: bytes) -> None:
    assert wrap("1", "error", body) == internal_line("1")


def test_an_answer_may_fill_the_cap_and_no_more() -> None:
    room = FRAME_BYTES - len(wrap("1", "result", b'{"t":""}'))
    full = wrap("1", "result", b'{"t":"%b"}' % (b"x" * room))
    over = wrap("1", "result", b'{"t":"%b"}' % (b"x" * (room + 1)))

    assert len(full) == FRAME_BYTES
    assert read(over) == {
        "id": "1",
        "error": {
            "code": "internal",
            "message": "the answer has 1048577 bytes and the limit is 1048576; ask for less",
        },
    }


@pytest.mark.parametrize(
    ("first", "line"),
    [
        (b'{"result":{"type":"x"}}', b'{"id":"7","result":{"type":"x"}}\n'),
        (b' {\n"error":{"code":"c"}} ', b'{"id":"7", "error":{"code":"c"}}\n'),
        (b"{}", internal_line("7")),
        (b"", internal_line("7")),
        (b"[1]", internal_line("7")),
    ],
)
def test_an_acknowledgement_gets_the_id_as_its_first_member(first: bytes, line: bytes) -> None:
    assert acknowledge("7", first) == line


def test_an_acknowledgement_over_the_cap_becomes_an_internal_error() -> None:
    found = read(acknowledge("7", b'{"result":{"a":"b"}}', limit=10))

    assert (found["id"], found["error"]["code"]) == ("7", "internal")


def test_the_bridges_own_errors() -> None:
    assert read(error_line("1", "c", "m")) == {"id": "1", "error": {"code": "c", "message": "m"}}
    assert read(refusal_line(Refusal("0", "invalid_request", "bad json"))) == {
        "id": "0",
        "error": {"code": "invalid_request", "message": "bad json"},
    }
    assert read(too_large_line(Limits())) == {
        "id": "0",
        "error": {
            "code": "frame_too_large",
            "message": "a request may have at most 1048576 bytes with its line end",
        },
    }
    assert read(busy_line(Limits())) == {
        "id": "0",
        "error": {
            "code": "server_busy",
            "message": "all 80 connections are in use; try again in a moment",
            "retryable": True,
        },
    }
