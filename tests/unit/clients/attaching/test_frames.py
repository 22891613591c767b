from __future__ import annotations

import pytest

from luvus_client.attaching.frames import clipped, drawn


@pytest.mark.parametrize(
    ("line", "cols", "kept"),
    [
        ("plain text", 5, "plain"),
        ("日本語", 5, "日本"),
        ("日本語", 6, "日本語"),
        ("e\u0301a\u0301b", 2, "e\u0301a\u0301"),
        ("\x1b[31mred\x1b[0m", 2, "\x1b[31mre\x1b[0m"),
        ("😀x", 2, "😀"),
    ],
)
def test_a_line_is_cut_by_columns_and_keeps_its_styles(line: str, cols: int, kept: str) -> None:
    assert clipped(line, cols) == kept


def test_the_rows_around_the_cursor_are_drawn() -> None:
    text = "\n".join(f"line {n}" for n in range(10))

    shown = drawn(text, {"offset": len(text), "padding_cells": 1}, 40, 3)

    assert shown == (
        "\x1b[?2026h\x1b[?25l\x1b[?7l"
        "\x1b[1;1H\x1b[mline 7\x1b[m\x1b[K\x1b[2;1H\x1b[mline 8\x1b[m\x1b[K"
        "\x1b[3;1H\x1b[mline 9\x1b[m\x1b[K\x1b[?7h\x1b[3;8H\x1b[?25h\x1b[?2026l"
    )


def test_a_cursor_right_of_the_window_is_not_drawn() -> None:
    assert "\x1b[?25h" not in drawn("a long line", {"offset": 11, "padding_cells": 0}, 5, 2)
    assert "\x1b[?25h" not in drawn("a", None, 5, 2)
