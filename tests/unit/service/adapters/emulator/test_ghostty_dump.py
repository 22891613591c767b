"""A dump rebuilds the terminal, wherever the output is cut."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from luvus_service.adapters.emulator.ghostty import GhosttyEmulator
from luvus_service.uhp.domain.ports import Fed
from tests.unit.service.adapters.emulator.support import ALL_BYTES, HISTORY_BYTES, Make, state_of

DUMP_BYTES = 1 << 20
CUTS = 40


def _same_after_dump(output: bytes, cut: int, cols: int, rows: int) -> None:
    model = GhosttyEmulator(cols, rows, history_bytes=HISTORY_BYTES)
    rebuilt = GhosttyEmulator(cols, rows, history_bytes=HISTORY_BYTES)
    try:
        model.feed(output[:cut])
        rebuilt.feed(model.dump(DUMP_BYTES))
        assert state_of(rebuilt) == state_of(model)
        model.feed(output[cut:])
        rebuilt.feed(output[cut:])
        assert state_of(rebuilt) == state_of(model)
    finally:
        model.close()
        rebuilt.close()


def test_a_recording_goes_on_the_same_after_a_dump(recording: tuple[bytes, int, int]) -> None:
    output, cols, rows = recording
    chance = random.Random(7)
    for cut in [0, len(output), *(chance.randrange(len(output)) for _ in range(CUTS))]:
        _same_after_dump(output, cut, cols, rows)


_number = st.integers(0, 24).map(lambda n: b"%d" % n)
_pieces = st.one_of(
    st.text("abc  xyzé", min_size=1, max_size=30).map(str.encode),
    st.text("ab 漢字", min_size=1, max_size=15).map(str.encode),
    st.just(b"\r\n"),
    st.sampled_from(
        [b"\n", b"\t", b"\b", b"\x1bM", b"\x1bD", b"\x1bE", b"\x1bH", b"\x1b[g", b"\x1b[3g"]
    ),
    st.sampled_from([b"\x1b7", b"\x1b8", b"\x1b[?1049h", b"\x1b[?1049l", b"\x1b[!p", b"\x1bc"]),
    st.sampled_from([b"\x1b#8", b"\x1b[s", b"\x1b[u", b"\x1b[4h", b"\x1b[4l", b"\x1b=", b"\x1b>"]),
    st.sampled_from([b"\x1b[3 q", b"\x1b[=1;1u", b"\x1b]4;7;#102030\x07", b"\x1b]11;#010203\x07"]),
    st.sampled_from([b"\x1b]0;a title\x07", b"\x1b]2;\x07", b"\x1b]7;file:///a%20b\x1b\\"]),
    st.tuples(_number, _number).map(lambda p: b"\x1b[%b;%bH" % p),
    st.tuples(_number, _number).map(lambda p: b"\x1b[%b;%br" % p),
    st.tuples(_number, st.sampled_from(list(b"ABCDEFGIZdLMPX@ST"))).map(lambda p: b"\x1b[%b%c" % p),
    st.tuples(st.integers(0, 3), st.sampled_from([b"J", b"K"])).map(lambda p: b"\x1b[%d%b" % p),
    st.sampled_from(
        [b"0", b"1", b"7", b"31", b"44", b"48;5;200", b"38;2;1;2;3", b"4:3", b"49"]
    ).map(lambda code: b"\x1b[%bm" % code),
    st.tuples(
        st.sampled_from([1, 5, 6, 7, 25, 45, 66, 69, 1000, 1003, 1004, 1006, 2004]),
        st.sampled_from([b"h", b"l"]),
    ).map(lambda p: b"\x1b[?%d%b" % p),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(_pieces, max_size=25), st.data())
def test_made_up_output_goes_on_the_same_after_a_dump(
    pieces: list[bytes], data: st.DataObject
) -> None:
    output = b"".join(pieces)
    cut = data.draw(st.integers(0, len(output)))

    _same_after_dump(output, cut, 20, 6)


@pytest.mark.parametrize(
    "unfinished",
    [b"\x1b", b"\x1b[3", b"\x1b]0;half a ti", b"\xe6\xbc", b"\x1bPq#0", b"\x1b_Ga=t", b"\x1b[?20"],
)
def test_an_unfinished_sequence_goes_on(make: Make, unfinished: bytes) -> None:
    model, rebuilt = make(), make()
    model.feed(b"text " + unfinished)

    rebuilt.feed(model.dump(DUMP_BYTES))

    for rest in (b"1mX\x07\x1b\\", b"\xa2tle\x07 more"):
        assert model.feed(rest) == rebuilt.feed(rest)
        assert state_of(model) == state_of(rebuilt)


def test_a_sequence_too_long_to_keep_is_swallowed_to_its_end(make: Make) -> None:
    model, rebuilt = make(), make()
    model.feed(b"text\x1b]52;c;" + b"A" * 1_000_000)

    rebuilt.feed(model.dump(DUMP_BYTES))
    rebuilt.feed(b"AAAA\x07 after")

    assert rebuilt.capture("visible", 9, ansi=False, max_bytes=99).text == "text after"


def test_both_screens_and_the_scrollback_survive(make: Make) -> None:
    model, rebuilt = make(), make()
    model.feed(b"".join(b"line %d\r\n" % n for n in range(100)) + b"$ vi\x1b[?1049h\x1b[Hediting")

    rebuilt.feed(model.dump(DUMP_BYTES))

    assert rebuilt.capture("visible", 99, ansi=False, max_bytes=9999).text == "editing"
    for emulator in (model, rebuilt):
        emulator.feed(b"\x1b[?1049l")
    assert state_of(rebuilt) == state_of(model)
    recent = model.capture("recent_unwrapped", 200, ansi=True, max_bytes=ALL_BYTES)
    assert recent.text.count("\n") == 100
    assert rebuilt.capture("recent_unwrapped", 200, ansi=True, max_bytes=ALL_BYTES) == recent


def test_a_dump_keeps_the_newest_scrollback_within_its_bytes(make: Make) -> None:
    model, rebuilt = make(), make()
    model.feed(b"".join(b"\x1b[32mline %d\x1b[0m\r\n" % n for n in range(5000)) + b"$ ")

    dump = model.dump(20_000)
    rebuilt.feed(dump)

    assert 15_000 < len(dump) <= 20_000
    assert state_of(rebuilt) == state_of(model)
    last = rebuilt.capture("recent_unwrapped", 300, ansi=False, max_bytes=ALL_BYTES)
    assert last == model.capture("recent_unwrapped", 300, ansi=False, max_bytes=ALL_BYTES)


def test_a_screen_larger_than_the_dump_loses_its_oldest_rows_only(make: Make) -> None:
    model, rebuilt = make(cols=200, rows=50), make(cols=200, rows=50)
    for row in range(50):
        model.feed(b"\x1b[%d;1H%d " % (row + 1, row) + b"w" * 190)

    dump = model.dump(5000)
    rebuilt.feed(dump)

    assert len(dump) <= 5000
    lines = model.capture("visible", 50, ansi=False, max_bytes=ALL_BYTES).text.split("\n")
    kept = rebuilt.capture("visible", 50, ansi=False, max_bytes=ALL_BYTES).text.split("\n")
    assert len(kept) == 50
    assert kept[-20:] == lines[-20:]
    assert kept[0] == ""
    assert rebuilt.cursor() == model.cursor()


@pytest.mark.parametrize("scrollback_bytes", [0, 1, 40, 1000])
def test_a_dump_with_little_scrollback_has_the_whole_screen(
    make: Make, scrollback_bytes: int
) -> None:
    model, rebuilt = make(), make()
    model.feed(b"".join(b"row %d\r\n" % n for n in range(60)) + b"w" * 900 + b"\r\nlast\r\n$ ")

    rebuilt.feed(model.dump(DUMP_BYTES, scrollback_bytes=scrollback_bytes))

    assert state_of(rebuilt) == state_of(model)


def test_replaying_a_dump_answers_nothing_and_tells_the_names(make: Make) -> None:
    model, rebuilt = make(), make()
    model.feed(b"\x1b]0;name\x07\x1b]7;file:///w\x07\x1b[?2004h")

    assert rebuilt.feed(model.dump(DUMP_BYTES)) == Fed(title="name", cwd="/w")


def test_a_dump_feeds_the_fallback_emulator(recording: tuple[bytes, int, int], make: Make) -> None:
    output, cols, rows = recording
    for cut in (len(output) // 3, len(output) // 2, len(output)):
        model, fallback = make("ghostty", cols, rows), make("avt", cols, rows)
        model.feed(output[:cut])
        fallback.feed(model.dump(DUMP_BYTES))
        mine = model.capture("visible", 99, ansi=False, max_bytes=ALL_BYTES)
        assert fallback.capture("visible", 99, ansi=False, max_bytes=ALL_BYTES) == mine
        assert fallback.modes() == model.modes()
