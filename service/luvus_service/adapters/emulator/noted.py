"""Collects what a piece of output did beside changing the screen, within limits.

Shared by both emulators. Makes text of programs harmless: bounded and printable.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import unquote_to_bytes

from luvus_service.uhp.domain.ports import Fed

MAX_REPLY_BYTES: Final = 64 * 1024
"""Answers to queries per piece of output; a program that asks for more is not answered."""
MAX_BELLS: Final = 1024
MAX_TITLE_CHARS: Final = 256
MAX_NOTIFICATIONS: Final = 32
"""Desktop notifications per piece of output; further ones are dropped."""
MAX_NOTIFICATION_TITLE_BYTES: Final = 256
MAX_NOTIFICATION_BODY_BYTES: Final = 8192
MAX_CWD_BYTES: Final = 4096


def printable(raw: bytes, *, max_bytes: int, keep_lines: bool = False) -> str:
    """Return the printable characters of UTF-8 text, cut at whole characters."""
    # Four bytes of margin, because a replacement character may be longer than what it replaces.
    text = raw[: max_bytes + 4].decode("utf-8", "replace")
    kept = "".join(c for c in text if c.isprintable() or (keep_lines and c == "\n"))
    return cut_utf8(kept, max_bytes)


def cut_utf8(text: str, max_bytes: int) -> str:
    """Return the longest start of the text that has at most so many UTF-8 bytes."""
    encoded = text.encode("utf-8", "replace")
    if len(encoded) <= max_bytes:
        return text
    end = max_bytes
    while end and encoded[end] & 0xC0 == 0x80:
        end -= 1
    return encoded[:end].decode("utf-8")


def title_text(raw: bytes) -> str | None:
    """Return a title as people may see it, or None when there is nothing left of it."""
    return printable(raw, max_bytes=MAX_TITLE_CHARS * 4)[:MAX_TITLE_CHARS].strip() or None


def cwd_path(raw: bytes) -> str | None:
    """Return the path of an OSC 7 address (`file://host/path`, or a bare path), or None.

    Bytes that are no UTF-8 come back as Python's file system escapes (`surrogateescape`).
    """
    raw = raw.rstrip(b"\0")
    scheme, found, rest = raw.partition(b"://")
    if found:
        if scheme.lower() not in (b"file", b"kitty-shell-cwd"):
            return None
        slash = rest.find(b"/")
        if slash < 0:
            return None
        path = rest[slash:]
        if scheme.lower() == b"file":
            path = unquote_to_bytes(path)
    else:
        path = raw
    if not path.startswith(b"/") or len(path) > MAX_CWD_BYTES or b"\0" in path:
        return None
    return path.decode("utf-8", "surrogateescape")


class Noted:
    """What happened since the last `take`. Every part is bounded."""

    __slots__ = ("_notifications", "_replies", "bells", "cwd_changed", "size", "title_changed")

    def __init__(self, cols: int, rows: int) -> None:
        self.size = (cols, rows)
        """What a program that asks for the size is told."""
        self.bells = 0
        self.title_changed = False
        self.cwd_changed = False
        self._replies = bytearray()
        self._notifications: list[tuple[str, str]] = []

    def reply(self, data: bytes) -> None:
        """Note an answer for the program; a whole answer is dropped when there is no room."""
        if len(self._replies) + len(data) <= MAX_REPLY_BYTES:
            self._replies += data

    def bell(self) -> None:
        """Note a bell."""
        self.bells = min(self.bells + 1, MAX_BELLS)

    def notify(self, title: bytes, body: bytes) -> None:
        """Note a desktop notification."""
        if len(self._notifications) >= MAX_NOTIFICATIONS:
            return
        shown_title = printable(title, max_bytes=MAX_NOTIFICATION_TITLE_BYTES)
        shown_body = printable(body, max_bytes=MAX_NOTIFICATION_BODY_BYTES, keep_lines=True)
        self._notifications.append((shown_title, shown_body))

    def quiet(self) -> bool:
        """Tell whether nothing was noted."""
        return not (
            self._replies
            or self.bells
            or self.title_changed
            or self.cwd_changed
            or self._notifications
        )

    def take(self, *, title: str | None, cwd: str | None) -> Fed:
        """Return what was noted and begin anew; title and folder are those told as changed."""
        fed = Fed(
            replies=bytes(self._replies),
            bells=self.bells,
            title=title,
            cwd=cwd,
            notifications=tuple(self._notifications),
        )
        self._replies.clear()
        self._notifications.clear()
        self.bells = 0
        self.title_changed = self.cwd_changed = False
        return fed
