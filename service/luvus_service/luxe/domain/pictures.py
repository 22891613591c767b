"""Tells pictures by their first bytes."""

from __future__ import annotations

_SIGNS = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)
MIMES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})


def picture_kind(data: bytes) -> str | None:
    """Return the MIME type of a picture the product takes, or None."""
    for sign, mime in _SIGNS:
        if data.startswith(sign):
            return mime
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return None
