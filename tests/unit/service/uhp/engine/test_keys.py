"""The bytes of every logical key."""

from __future__ import annotations

from luvus_service.uhp.engine.keys import KEYS, key_bytes

FIXED = {
    "enter": b"\r",
    "escape": b"\x1b",
    "tab": b"\t",
    "backtab": b"\x1b[Z",
    "backspace": b"\x7f",
    "delete": b"\x1b[3~",
    "pageup": b"\x1b[5~",
    "pagedown": b"\x1b[6~",
    "ctrl-c": b"\x03",
    "ctrl-d": b"\x04",
    "ctrl-k": b"\x0b",
    "ctrl-u": b"\x15",
    "ctrl-w": b"\x17",
    "alt-d": b"\x1bd",
    "space": b" ",
    **{f"digit-{n}": str(n).encode() for n in range(10)},
}
MOVING = {"up": b"A", "down": b"B", "right": b"C", "left": b"D", "home": b"H", "end": b"F"}


def test_every_key_has_its_bytes_and_only_cursor_keys_follow_the_mode() -> None:
    normal = {key: key_bytes(key, application_cursor=False) for key in KEYS}
    application = {key: key_bytes(key, application_cursor=True) for key in KEYS}

    assert normal == FIXED | {key: b"\x1b[" + final for key, final in MOVING.items()}
    assert application == FIXED | {key: b"\x1bO" + final for key, final in MOVING.items()}


def test_the_key_that_would_stop_the_program_is_not_offered() -> None:
    assert "ctrl-z" not in KEYS
