from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from luvus_client.errors import BadAnswer, LuvusError, NotFound, RequestRefused
from luvus_client.wire import FRAME_LIMIT, LineBuffer, frame, read_answer, request_frame


def lines_of(pieces: list[bytes]) -> list[bytes]:
    buffer = LineBuffer()
    found: list[bytes] = []
    for piece in pieces:
        buffer.feed(piece)
        while (line := buffer.next_line()) is not None:
            found.append(line)
    return found


@given(st.lists(st.binary(max_size=40).map(lambda b: b.replace(b"\n", b"")), max_size=8), st.data())
def test_any_cutting_of_lines_reads_the_same_lines(lines: list[bytes], data: st.DataObject) -> None:
    raw = b"".join(line + b"\n" for line in lines)
    pieces: list[bytes] = []
    while raw:
        size = data.draw(st.integers(1, len(raw)))
        pieces.append(raw[:size])
        raw = raw[size:]

    assert lines_of(pieces) == lines


def test_a_line_of_the_largest_size_is_read_whole() -> None:
    line = b"x" * (FRAME_LIMIT - 1)

    assert lines_of([line[:-5], line[-5:] + b"\n"]) == [line]


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_a_line_over_the_limit_is_refused(end: bytes) -> None:
    buffer = LineBuffer()
    buffer.feed(b"x" * FRAME_LIMIT + end)

    with pytest.raises(BadAnswer, match="1048576 bytes"):
        buffer.next_line()


def test_a_request_holds_the_token_and_the_params() -> None:
    raw = request_frame("pane.send", {"text": "é\u2028"}, token="luv_tok_1")

    assert raw.endswith(b"\n") and raw.count(b"\n") == 1
    assert json.loads(raw) == {
        "id": "1",
        "method": "pane.send",
        "auth": "luv_tok_1",
        "params": {"text": "é\u2028"},
    }


@pytest.mark.parametrize(
    "params",
    [{"x": float("nan")}, {"x": "\ud800"}, {"x": object()}, {"x": "y" * FRAME_LIMIT}],
    ids=["nan", "surrogate", "object", "too large"],
)
def test_what_is_no_frame_is_refused_before_it_is_sent(params: dict[str, object]) -> None:
    with pytest.raises(RequestRefused):
        frame({"params": params})


def test_an_answer_gives_its_result() -> None:
    assert read_answer(b'{"id":"1","result":{"type":"ok"}}') == {"type": "ok"}


def test_a_refusal_is_raised_as_the_class_of_its_code() -> None:
    with pytest.raises(NotFound) as caught:
        read_answer(b'{"id":"1","error":{"code":"not_found","message":"no pane 9","pane":"9"}}')

    assert (caught.value.code, caught.value.message) == ("not_found", "no pane 9")
    assert caught.value.data == {"pane": "9"}


def test_an_unknown_code_is_still_a_refusal() -> None:
    with pytest.raises(LuvusError) as caught:
        read_answer(b'{"id":"0","error":{"code":"from_the_future","message":"m"}}')

    assert type(caught.value) is LuvusError
    assert str(caught.value) == "from_the_future: m"


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"[]",
        b"not json",
        b"\xff",
        b'{"id":"1"}',
        b'{"id":"2","result":{}}',
        b'{"id":"0","result":{}}',
        b'{"id":"2","error":{"code":"x","message":"m"}}',
        b'{"id":"1","result":{},"error":{"code":"x","message":"m"}}',
        b'{"id":"1","result":7}',
        b'{"id":"1","result":{"a":1,"a":2}}',
        b'{"id":"1","result":{"deep":[{"a":1,"a":2}]}}',
        b'{"id":"1","result":{"a":NaN}}',
        b'{"id":"1","result":{"a":1e999}}',
        b'{"id":"1","result":{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}}",
    ],
)
def test_what_is_no_answer_is_refused(raw: bytes) -> None:
    with pytest.raises(BadAnswer) as caught:
        read_answer(raw)

    assert caught.value.possibly_executed
