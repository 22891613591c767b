"""The lines of a recording."""

from __future__ import annotations

import json
from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from luvus_service.uhp.domain.asciicast import Cast


def outputs(lines: Iterable[bytes]) -> str:
    events = [json.loads(line) for line in lines if line]
    assert all(code == "o" for _, code, _ in events)
    return "".join(text for _, _, text in events)


def test_a_recording_begins_with_size_time_and_what_was_asked_for() -> None:
    header = Cast(5.0).header(
        80, 24, timestamp=1_700_000_000, idle_limit=2.5, title="é", env={"TERM": "x"}
    )

    assert json.loads(header) == {
        "version": 2,
        "width": 80,
        "height": 24,
        "timestamp": 1_700_000_000,
        "idle_time_limit": 2.5,
        "title": "é",
        "env": {"TERM": "x"},
    }
    assert header.endswith(b"}\n")


def test_times_count_from_the_beginning_and_never_run_backwards() -> None:
    cast = Cast(10.0)

    lines = [cast.output(10.5, b"a"), cast.resize(10.25, 99, 30), cast.output(12.0, b"b")]

    assert [json.loads(line) for line in lines] == [
        [0.5, "o", "a"],
        [0.5, "r", "99x30"],
        [2.0, "o", "b"],
    ]


@given(st.text(), st.data())
def test_text_cut_anywhere_is_written_whole(text: str, data: st.DataObject) -> None:
    raw = text.encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(raw)), max_size=5)))
    cast = Cast(0.0)

    pieces = [raw[a:b] for a, b in zip([0, *cuts], [*cuts, len(raw)], strict=True)]
    lines = [cast.output(0.0, piece) for piece in pieces]

    assert outputs([*lines, cast.finish(0.0)]) == text


@given(st.lists(st.binary(max_size=9), max_size=5))
def test_any_bytes_give_lines_of_json(pieces: list[bytes]) -> None:
    cast = Cast(0.0)

    lines = [*(cast.output(0.0, piece) for piece in pieces), cast.finish(0.0)]

    assert outputs(lines) == b"".join(pieces).decode(errors="replace")
    assert all(line.count(b"\n") == 1 for line in lines if line)
