"""The native emulator: events, captures, limits."""

from __future__ import annotations

import pytest

from luvus_service.adapters.emulator.ghostty import GhosttyEmulator
from luvus_service.uhp.domain.ports import Buffer, Captured, Cursor, Emulator, Fed, Modes
from tests.unit.service.adapters.emulator.support import Make


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        (b"\x1b[c", b"\x1b[?62;22c"),
        (b"\x1b[>c", b"\x1b[>1;0;0c"),
        (b"\x1b[5n", b"\x1b[0n"),
        (b"\x1b[3;4H\x1b[6n", b"\x1b[3;4R"),
        (b"\x1b[>q", b"\x1bP>|luvus\x1b\\"),
        (b"\x1b[?2004$p", b"\x1b[?2004;2$y"),
        (b"\x1b[?2004h\x1b[?2004$p", b"\x1b[?2004;1$y"),
        (b"\x1b[?2027$p", b"\x1b[?2027;0$y"),
        (b"\x1b[?2027h\x1b[?2027$p", b"\x1b[?2027;0$y"),
        (b"\x1b[?2048$p", b"\x1b[?2048;0$y"),
        (b"\x1b[18t", b"\x1b[8;24;80t"),
        (b"\x1b[14t", b"\x1b[4;384;640t"),
        (b"\x1b[16t", b"\x1b[6;16;8t"),
        (b"\x1b]10;?\x07", b"\x1b]10;rgb:e5e5/e5e5/e5e5\x07"),
        (b"\x1b]11;?\x1b\\", b"\x1b]11;rgb:0000/0000/0000\x1b\\"),
        (b"\x1b]4;1;?\x07", b"\x1b]4;1;rgb:cccc/6666/6666\x07"),
        (b"\x1b[?996n", b"\x1b[?997;1n"),
        (b"\x1bP+q544e\x1b\\", b"\x1bP1+r544E=787465726D2D323536636F6C6F72\x1b\\"),
        (b"\x1bP$qm\x1b\\", b"\x1bP1$r0m\x1b\\"),
        (b"\x1b]52;c;?\x07", b""),
        (b"\x1b]0;secret\x07\x1b[21t", b""),
        (b"\x05", b""),
    ],
)
def test_device_queries_are_answered_and_secrets_are_not(
    make: Make, query: bytes, answer: bytes
) -> None:
    assert make().feed(query).replies == answer


def test_replies_of_one_piece_are_bounded(make: Make) -> None:
    fed = make().feed(b"\x1b[5n" * 50_000)

    assert len(fed.replies) == 65536


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_events_of_one_piece_are_told_once(make: Make, kind: type[Buffer]) -> None:
    emulator = make()
    output = b"\x1b]0;ti\x01tle\x07\x07\x1b]7;file://h/tmp/a%20b\x07\x1b]9;note\x07" + (
        b"\x1b]777;notify;T;B\x1b\\"
    )

    assert emulator.feed(kind(output)) == Fed(
        bells=1, title="title", cwd="/tmp/a b", notifications=(("", "note"), ("T", "B"))
    )
    assert (emulator.title(), emulator.cwd()) == ("title", "/tmp/a b")
    assert emulator.feed(kind(b"\x1b]0;title\x07more")) == Fed()
    assert emulator.feed(b"\x1b]0;\x07") == Fed(title="")
    assert emulator.title() is None


def test_the_modes_in_force_are_told(make: Make) -> None:
    emulator = make()

    emulator.feed(b"\x1b[?1049h\x1b[?2004h\x1b[?1h\x1b=\x1b[?1004h\x1b[?1002h\x1b[?1006h\x1b[?25l")

    assert emulator.modes() == Modes(
        alternate_screen=True,
        bracketed_paste=True,
        application_cursor=True,
        application_keypad=True,
        focus_events=True,
        mouse="button",
        mouse_sgr=True,
    )
    assert emulator.cursor() == Cursor(0, 0, visible=False)


def test_a_visible_capture_keeps_soft_wrapped_rows_apart(emulator: Emulator) -> None:
    emulator.feed(b"one  \r\n" + b"x" * 100 + b"\r\n\x1b[31mred\x1b[0m $ ")

    rows = ["one", "x" * 80, "x" * 20, "red $"]
    assert emulator.capture("visible", 10, ansi=False, max_bytes=1000) == Captured(
        "\n".join(rows), truncated=False, cursor=(4 + 81 + 21 + 5, 1)
    )
    assert emulator.capture("visible", 2, ansi=False, max_bytes=1000) == Captured(
        "\n".join(rows[2:]), truncated=True, cursor=(21 + 5, 1)
    )


def test_a_recent_capture_joins_soft_wrapped_rows_and_reaches_into_the_scrollback(
    emulator: Emulator,
) -> None:
    emulator.feed(b"".join(b"%d \r\n" % n for n in range(500)) + b"y" * 200 + b"\r\n> ")

    expected = [*map(str, range(470, 500)), "y" * 200, ">"]
    assert emulator.capture("recent_unwrapped", 32, ansi=False, max_bytes=10_000) == Captured(
        "\n".join(expected), truncated=True, cursor=(30 * 4 + 201 + 1, 1)
    )
    assert emulator.capture("recent_unwrapped", 32, ansi=False, max_bytes=203) == Captured(
        "y" * 200 + "\n>", truncated=True, cursor=(202, 1)
    )


def test_the_cursor_inside_a_wrapped_line_counts_from_the_lines_start(emulator: Emulator) -> None:
    emulator.feed(b"a\r\n" + "漢".encode() * 50 + b"\r\nend\x1b[3;5H")

    place = emulator.capture("recent_unwrapped", 9, ansi=True, max_bytes=1000).cursor

    assert place == (2 + 42, 0)


def test_a_cursor_outside_the_text_or_hidden_has_no_place(emulator: Emulator) -> None:
    emulator.feed(b"text\r\n\r\n")
    assert emulator.capture("visible", 9, ansi=False, max_bytes=99).cursor is None

    emulator.feed(b"\x1b[1;3H")
    assert emulator.capture("visible", 9, ansi=False, max_bytes=99).cursor == (2, 0)

    emulator.feed(b"\x1b[?25l")
    assert emulator.capture("visible", 9, ansi=False, max_bytes=99).cursor is None


def test_a_styled_capture_holds_only_sgr_and_ends_reset(make: Make) -> None:
    emulator = make()
    emulator.feed(b"\x1b]8;;http://x\x07\x1b[1;38;2;1;2;3mlink\x1b]8;;\x07\x1b[4:3mcurly")

    assert emulator.capture("visible", 9, ansi=True, max_bytes=999).text == (
        "\x1b[0m\x1b[1m\x1b[38;2;1;2;3mlink\x1b[0m\x1b[1m\x1b[4:3m\x1b[38;2;1;2;3mcurly\x1b[0m"
    )


def test_painted_blank_rows_show_and_unwritten_gaps_do_not(make: Make) -> None:
    emulator = make(cols=20, rows=5)
    emulator.feed(b"\x1b[44mab\x1b[5Ccd\x1b[0m\r\n\x1b[42m\x1b[K\x1b[0m\r\nend")

    blue, green = "\x1b[0m\x1b[48;5;4m", "\x1b[0m\x1b[48;5;2m"
    assert emulator.capture("visible", 9, ansi=True, max_bytes=999).text == (
        f"{blue}ab\x1b[0m     {blue}cd\x1b[0m\n{green}{' ' * 20}\x1b[0m\nend\x1b[0m"
    )


def test_a_tiny_terminal_is_larger_inside_but_never_shows_more_than_asked(make: Make) -> None:
    emulator = make(cols=4, rows=2)
    emulator.feed(b"abcdefgh\r\n2\r\n3\r\n4")

    assert emulator.size() == (4, 2)
    assert emulator.capture("visible", 9, ansi=False, max_bytes=99) == Captured(
        "3\n4", truncated=False, cursor=(3, 0)
    )
    assert emulator.cursor() == Cursor(1, 1, visible=True)
    assert emulator.feed(b"\x1b[18t").replies == b"\x1b[8;2;4t"


@pytest.mark.parametrize(("asked", "told"), [((0, -5), (1, 1)), ((9999, 9999), (1000, 1000))])
def test_sizes_are_clamped(
    emulator: Emulator, asked: tuple[int, int], told: tuple[int, int]
) -> None:
    emulator.resize(*asked)

    assert emulator.size() == told
    emulator.feed("漢字 text".encode())


def test_the_scrollback_stays_within_its_budget(emulator: Emulator) -> None:
    budget = 2 * 1024 * 1024
    emulator.set_history_budget(budget)
    emulator.feed(b"a line of text\r\n" * 50_000)

    history = emulator.history()
    assert history.budget_bytes == budget
    # Whole pages are kept, so a page above the budget is in order.
    assert budget / 2 < history.used_bytes <= budget + 512 * 1024
    assert history.rows > 500


def test_a_compacted_scrollback_reads_the_same(make: Make) -> None:
    emulator = make()
    emulator.feed(b"".join(b"line %d\r\n" % n for n in range(5000)))
    before = emulator.capture("recent_unwrapped", 300, ansi=True, max_bytes=1 << 20)

    emulator.compact()

    assert emulator.capture("recent_unwrapped", 300, ansi=True, max_bytes=1 << 20) == before
    emulator.feed(b"more\r\n" * 100)


def test_the_unsafe_mode_never_stays_on_however_it_is_cut() -> None:
    output = b"a\x1b[?2027hb\x1b[?1;20\n27hc\x1b_\x9b?2027hd\x1b\\\x1b[?2027h"
    for cut in range(len(output) + 1):
        emulator = GhosttyEmulator(80, 24, history_bytes=0)
        emulator.feed(output[:cut])
        emulator.feed(output[cut:])
        emulator.feed("👩\u200d👩".encode() * 50)
        assert emulator.feed(b"\x1b[?2027$p").replies == b"\x1b[?2027;0$y"
        assert not emulator._native.mode(2027)
        emulator.close()
