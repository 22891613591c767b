"""The two emulators agree on what is on the screen; each is the other's oracle.

Known differences, none of them met by the recordings: a wide character in the last column, emoji
joined by ZWJ, left and right margins, and protected cells.
"""

from __future__ import annotations

import random

from tests.unit.service.adapters.emulator.support import ALL_BYTES, Make

CUTS = 60


def test_text_cursor_and_modes_agree_at_many_cuts(
    recording: tuple[bytes, int, int], make: Make
) -> None:
    output, cols, rows = recording
    native, fallback = make("ghostty", cols, rows), make("avt", cols, rows)
    chance = random.Random(11)
    cuts = sorted({len(output), *(chance.randrange(len(output)) for _ in range(CUTS))})
    start = 0
    for cut in cuts:
        native.feed(output[start:cut])
        fallback.feed(output[start:cut])
        start = cut
        told = [
            (
                emulator.capture("visible", 99, ansi=False, max_bytes=ALL_BYTES),
                emulator.cursor(),
                emulator.modes(),
                emulator.title(),
                emulator.cwd(),
            )
            for emulator in (native, fallback)
        ]
        assert told[0] == told[1], f"after {cut} bytes"


def test_the_scrollback_agrees_after_a_shell_session(
    recording: tuple[bytes, int, int], make: Make
) -> None:
    output, cols, rows = recording
    native, fallback = make("ghostty", cols, rows), make("avt", cols, rows)
    native.feed(output)
    fallback.feed(output)

    mine = native.capture("recent_unwrapped", 300, ansi=False, max_bytes=ALL_BYTES)

    assert fallback.capture("recent_unwrapped", 300, ansi=False, max_bytes=ALL_BYTES) == mine
