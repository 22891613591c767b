"""Neither emulator raises, hangs or grows without bound on hostile output."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from luvus_service.adapters.emulator.avt_terminal import AvtEmulator
from luvus_service.adapters.emulator.factory import make_emulator
from luvus_service.uhp.domain.ports import CaptureMode, Emulator

MEGABYTE = 1 << 20


def _use(emulator: Emulator) -> None:
    modes: tuple[CaptureMode, ...] = ("visible", "recent_unwrapped")
    for mode in modes:
        for ansi in (False, True):
            captured = emulator.capture(mode, 300, ansi=ansi, max_bytes=524_288)
            assert len(captured.text.encode()) <= 524_288
    emulator.dump(MEGABYTE)
    emulator.cursor()
    emulator.modes()
    emulator.history()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.binary(max_size=200), max_size=10), st.booleans())
def test_random_bytes_cut_anywhere_do_no_harm(pieces: list[bytes], fallback: bool) -> None:
    emulator = make_emulator(40, 10, history_bytes=100_000, fallback=fallback)
    for piece in pieces:
        emulator.feed(piece)
    _use(emulator)
    emulator.close()


@pytest.mark.parametrize(
    "opening", [b"\x1b]0;", b"\x1b]52;c;", b"\x1bP", b"\x1b_G", b"\x1b^", b"\x1bX"]
)
def test_a_string_of_a_megabyte_is_swallowed(emulator: Emulator, opening: bytes) -> None:
    emulator.feed(b"before " + opening)
    for _ in range(16):
        emulator.feed(b"x" * 65536)
    _use(emulator)
    emulator.feed(b"\x1b\\after")

    text = emulator.capture("visible", 9, ansi=False, max_bytes=999).text
    assert text == "before after"
    assert len(emulator.title() or "") <= 256


@pytest.mark.parametrize("final", list("@ABCDEFGHIJKLMPSTXZ`abcdefghlmnrstux"))
def test_huge_parameters_do_no_harm(emulator: Emulator, final: str) -> None:
    emulator.feed("漢字".encode() * 100)
    for number in ("65535", "4294967296", "99999999999999999999", "65535;65535", ";" * 100):
        emulator.feed(f"\x1b[{number}{final}x\x1b[?{number}{final}y".encode())
    _use(emulator)


def test_ten_megabytes_without_a_newline(emulator: Emulator) -> None:
    for _ in range(160):
        emulator.feed(b"y" * 65536)

    captured = emulator.capture("recent_unwrapped", 300, ansi=False, max_bytes=1000)
    assert (captured.text, captured.truncated) == ("y" * 1000, True)
    assert len(emulator.dump(MEGABYTE)) <= MEGABYTE


def test_a_storm_of_resizes(emulator: Emulator) -> None:
    chance = random.Random(3)
    for _ in range(150):
        emulator.resize(chance.randrange(1, 150), chance.randrange(1, 60))
        emulator.feed("some text, 漢字\r\n".encode() * 3 + b"\x1b[?1049h\x1b[2Jz\x1b[?1049l")
    _use(emulator)


def test_a_program_that_chooses_132_columns_leaves_the_size_alone(emulator: Emulator) -> None:
    emulator.feed(b"\x1b[?40h\x1b[?3htext" + b"x" * 130)

    assert emulator.size() == (80, 24)
    text = emulator.capture("visible", 9, ansi=False, max_bytes=999).text
    assert max(map(len, text.split("\n"))) <= 80
    emulator.feed(b"\x1b[?3l")
    _use(emulator)


def test_hyperlinks_without_end_do_no_harm(emulator: Emulator) -> None:
    for number in range(2000):
        emulator.feed(b"\x1b]8;id=%d;http://x\x1b\\x\x1b[30b" % number)
    emulator.feed(b"\x1b]8;;\x07\x1b[H\x1b[Jdone")

    assert emulator.capture("visible", 9, ansi=True, max_bytes=99).text == "done"


def test_a_panic_of_avt_empties_the_screen_and_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    class PanicException(BaseException):
        """Like the one of pyo3, which cannot be provoked on purpose."""

    class Broken:
        def feed_str(self, text: str) -> None:
            raise PanicException(text)

    emulator = AvtEmulator(80, 24, history_bytes=0)
    emulator.feed(b"\x1b]0;kept\x07lost")
    monkeypatch.setattr(emulator, "_vt", Broken())
    emulator.feed(b"breaks")
    emulator.feed(b"goes on")

    assert emulator.panics == 1
    assert emulator.capture("visible", 9, ansi=False, max_bytes=99).text == "goes on"
    assert emulator.title() == "kept"
