"""The functions that libghostty-vt calls back, one set for all terminals of the process.

Each finds the terminal's `Noted` through the user data pointer. None may raise into C: cffi
swallows what is raised and `_ignore` keeps it from being printed.
"""

from __future__ import annotations

import functools
from typing import Any, Final

from luvus_service.adapters.emulator.noted import (
    MAX_NOTIFICATION_BODY_BYTES,
    MAX_REPLY_BYTES,
    Noted,
)

_VERSION_NAME: Final = b"luvus"
_CELL_PIXELS: Final = (8, 16)


def _ignore(kind: Any, value: Any, trace: Any) -> None:
    """Drop an exception of a callback: there is nobody in C to take it."""


def install_callbacks(ffi: Any, lib: Any, handle: Any, noted: Noted) -> Any:
    """Lead the terminal's events to `noted`; the returned handle must outlive the terminal."""
    user_data = ffi.new_handle(noted)
    lib.ghostty_terminal_set(handle, lib.GHOSTTY_TERMINAL_OPT_USERDATA, user_data)
    for option, function in _functions(ffi).items():
        key = getattr(lib, f"GHOSTTY_TERMINAL_OPT_{option}")
        lib.ghostty_terminal_set(handle, key, function)
    return user_data


@functools.cache
def _functions(ffi: Any) -> dict[str, Any]:
    name: Any = ffi.from_buffer("uint8_t[]", _VERSION_NAME)

    def owner(user: Any) -> Noted:
        noted = ffi.from_handle(user)
        assert isinstance(noted, Noted)
        return noted

    def copied(string: Any, limit: int) -> bytes:
        return bytes(ffi.buffer(string.ptr, min(string.len, limit))) if string.len else b""

    def write_pty(_terminal: Any, user: Any, data: Any, length: int) -> None:
        if length <= MAX_REPLY_BYTES:
            owner(user).reply(bytes(ffi.buffer(data, length)))

    def bell(_terminal: Any, user: Any) -> None:
        owner(user).bell()

    def title_changed(_terminal: Any, user: Any) -> None:
        owner(user).title_changed = True

    def pwd_changed(_terminal: Any, user: Any) -> None:
        owner(user).cwd_changed = True

    def notification(_terminal: Any, user: Any, note: Any) -> None:
        limit = MAX_NOTIFICATION_BODY_BYTES + 4
        owner(user).notify(copied(note.title, limit), copied(note.body, limit))

    def version(_terminal: Any, _user: Any) -> Any:
        answer: Any = ffi.new("GhosttyString*")
        answer.ptr = name
        answer.len = len(_VERSION_NAME)
        return answer[0]

    def size(_terminal: Any, user: Any, told: Any) -> bool:
        told.columns, told.rows = owner(user).size
        told.cell_width, told.cell_height = _CELL_PIXELS
        return True

    def dark(_terminal: Any, _user: Any, scheme: Any) -> bool:
        scheme[0] = 1
        return True

    def make(kind: str, function: Any) -> Any:
        return ffi.callback(f"GhosttyTerminal{kind}Fn", function, onerror=_ignore)

    return {
        "WRITE_PTY": make("WritePty", write_pty),
        "BELL": make("Bell", bell),
        "TITLE_CHANGED": make("TitleChanged", title_changed),
        "PWD_CHANGED": make("PwdChanged", pwd_changed),
        "DESKTOP_NOTIFICATION": make("DesktopNotification", notification),
        "XTVERSION": make("Xtversion", version),
        "SIZE": make("Size", size),
        "COLOR_SCHEME": make("ColorScheme", dark),
    }
