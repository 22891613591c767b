"""The fallback emulator: what the scanner adds to avt."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from luvus_service.adapters.emulator.avt_scanner import MAX_UNFINISHED_CHARS, SWALLOW, Scanner
from luvus_service.adapters.emulator.noted import Noted
from luvus_service.uhp.domain.ports import Fed, Modes
from tests.unit.service.adapters.emulator.support import Make, state_of


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        (b"\x1b[c\x1bZ", b"\x1b[?62;22c\x1b[?62;22c"),
        (b"\x1b[>0c", b"\x1b[>1;0;0c"),
        (b"\x1b[5n", b"\x1b[0n"),
        (b"abc\x1b[6ndef\x1b[6n", b"\x1b[1;4R\x1b[1;7R"),
        (b"\x1b[>q", b"\x1bP>|luvus\x1b\\"),
        (b"\x1b[?25$p\x1b[?2027$p", b"\x1b[?25;1$y\x1b[?2027;0$y"),
        (b"\x1b[18t\x1b[14t", b"\x1b[8;24;80t\x1b[4;384;640t"),
        (b"\x1b]11;?\x1b\\", b"\x1b]11;rgb:0000/0000/0000\x1b\\"),
        (b"\x1b]52;c;?\x07\x1b[21t", b""),
    ],
)
def test_queries_are_answered_however_they_are_cut(make: Make, query: bytes, answer: bytes) -> None:
    for cut in range(len(query) + 1):
        emulator = make("avt")
        replies = emulator.feed(query[:cut]).replies + emulator.feed(query[cut:]).replies
        assert replies == answer


_EVENTS = (
    b"\x1b]0;t\x07\x07\x1b]7;file:///w%20x\x1b\\\x1b]9;n\x07\x1b]777;notify;a;b\x07\x1b]9;4;1\x07"
)


@given(st.integers(0, len(_EVENTS)))
def test_events_are_told_once_however_they_are_cut(cut: int) -> None:
    noted = Noted(80, 24)
    scanner = Scanner(noted)
    for piece in (_EVENTS[:cut], _EVENTS[cut:]):
        assert list(scanner.scan(piece.decode())) == []

    assert (scanner.title, scanner.cwd, noted.title_changed, noted.cwd_changed) == (
        *("t", "/w x"),
        *(True, True),
    )
    assert noted.take(title=None, cwd=None) == Fed(bells=1, notifications=(("", "n"), ("a", "b")))


def test_an_unfinished_sequence_is_kept_within_its_limit() -> None:
    scanner = Scanner(Noted(80, 24))

    list(scanner.scan("\x1b]0;" + "x" * (MAX_UNFINISHED_CHARS - 4)))
    assert len(scanner.unfinished) == MAX_UNFINISHED_CHARS

    list(scanner.scan("x"))
    assert scanner.unfinished == SWALLOW

    list(scanner.scan("y\x07\x1b]2;next\x07"))
    assert (scanner.unfinished, scanner.title) == ("", "next")


def test_a_mode_with_a_stray_character_is_passed_over(make: Make) -> None:
    emulator = make("avt")
    emulator.feed(b"\x1b[?$h\x1b[?1$h\x1b[?2004h")
    assert emulator.modes() == Modes(bracketed_paste=True)


def test_modes_are_tracked(make: Make) -> None:
    emulator = make("avt")
    emulator.feed(b"\x1b[?1049;2004;1;1004;1003;1006h\x1b=")
    assert emulator.modes() == Modes(
        alternate_screen=True,
        bracketed_paste=True,
        application_cursor=True,
        application_keypad=True,
        focus_events=True,
        mouse="any",
        mouse_sgr=True,
    )

    emulator.feed(b"\x1b[?47l\x1b>\x1bc")
    assert emulator.modes() == Modes()


def test_broken_utf8_is_replaced_and_a_split_character_is_whole(make: Make) -> None:
    emulator = make("avt")
    for piece in (b"a\xff\xe6", b"\xbc", b"\xa2b"):
        emulator.feed(memoryview(piece))

    assert emulator.capture("visible", 9, ansi=False, max_bytes=99).text == "a\ufffd漢b"


def test_a_recording_goes_on_the_same_after_a_dump(
    recording: tuple[bytes, int, int], make: Make
) -> None:
    output, cols, rows = recording
    chance = random.Random(5)
    for cut in (chance.randrange(len(output)) for _ in range(20)):
        model, rebuilt = make("avt", cols, rows), make("avt", cols, rows)
        model.feed(output[:cut])
        rebuilt.feed(model.dump(1 << 20))
        assert state_of(rebuilt) == state_of(model)
        model.feed(output[cut:])
        rebuilt.feed(output[cut:])
        assert state_of(rebuilt) == state_of(model)


def test_the_scrollback_survives_a_dump_and_a_new_budget(make: Make) -> None:
    model, rebuilt = make("avt"), make("avt")
    model.feed(b"".join(b"\x1b[31mline %d\x1b[m\r\n" % n for n in range(100)) + b"x" * 200)
    before = model.capture("recent_unwrapped", 200, ansi=True, max_bytes=1 << 20)

    rebuilt.feed(model.dump(1 << 20))
    model.set_history_budget(1 << 19)

    for emulator in (model, rebuilt):
        assert emulator.capture("recent_unwrapped", 200, ansi=True, max_bytes=1 << 20) == before
