"""The asciicast v2 format: a header line, then one line for each event of a recording."""

from __future__ import annotations

import codecs
import json
from collections.abc import Mapping


class Cast:
    """Writes the lines of one recording.

    Times are seconds of one clock; they count from the header. Output may be cut anywhere, also
    inside a character; what is no UTF-8 becomes U+FFFD.
    """

    def __init__(self, began: float) -> None:
        self._began = began
        self._last = 0.0
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def header(
        self,
        cols: int,
        rows: int,
        *,
        timestamp: int,
        idle_limit: float | None,
        title: str | None,
        env: Mapping[str, str],
    ) -> bytes:
        """Return the first line; `timestamp` is in Unix seconds."""
        fields: dict[str, object] = {
            "version": 2,
            "width": cols,
            "height": rows,
            "timestamp": timestamp,
        }
        if idle_limit is not None:
            fields["idle_time_limit"] = idle_limit
        if title is not None:
            fields["title"] = title
        return _line({**fields, "env": dict(env)})

    def output(self, now: float, data: bytes) -> bytes:
        """Return the line for output, or nothing while a character is incomplete."""
        text = self._decoder.decode(data)
        return self._event(now, "o", text) if text else b""

    def resize(self, now: float, cols: int, rows: int) -> bytes:
        """Return the line for another size."""
        return self._event(now, "r", f"{cols}x{rows}")

    def finish(self, now: float) -> bytes:
        """Return the line for what is left of an incomplete character, or nothing."""
        text = self._decoder.decode(b"", final=True)
        return self._event(now, "o", text) if text else b""

    def _event(self, now: float, code: str, data: str) -> bytes:
        # Players refuse times that run backwards.
        self._last = max(self._last, now - self._began)
        return _line([round(self._last, 6), code, data])


def _line(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
