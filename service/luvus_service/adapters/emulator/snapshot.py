"""Copies of a native terminal, to ask what the library tells about no running terminal.

A copy has its own memory and no callbacks, so one may feed it anything and then drop it.
"""

from __future__ import annotations

from typing import Any, Final

from luvus_service.adapters.emulator.native import NativeTerminal, ffi, lib

_SCREENS_ONLY_BYTES: Final = 256 * 1024
"""How much of a snapshot is written before a try without the scrollback."""


def copy_terminal(native: NativeTerminal, *, history: bool) -> NativeTerminal | None:
    """Return a copy, with all of its scrollback or without a promise of any.

    The caller closes it. None when the terminal cannot be copied, as in the middle of a sequence
    that is longer than what the library keeps of it.
    """
    if not history:
        data = _encoded(native, _SCREENS_ONLY_BYTES)
        copy = _decoded(data, ready=True)
        if copy is not None:
            return copy
    return _decoded(_encoded(native, None), ready=False)


def _encoded(native: NativeTerminal, limit: int | None) -> bytes:
    got = bytearray()

    def write(_user: Any, data: Any, length: int) -> bool:
        got.extend(ffi.buffer(data, length))
        return limit is None or len(got) < limit

    writer: Any = ffi.new("GhosttyWriter*")
    writer.write = callback = ffi.callback("GhosttyWriterFn", write, error=False)
    lib.ghostty_snapshot_encode(native.handle, writer[0])
    del callback
    return bytes(got)


def _decoded(data: bytes, *, ready: bool) -> NativeTerminal | None:
    decoder: Any = ffi.new("GhosttySnapshotDecoder*")
    source: Any = ffi.from_buffer(data)
    if lib.ghostty_snapshot_decoder_new_buf(ffi.NULL, decoder, source, len(data)):
        return None
    try:
        out: Any = ffi.new("GhosttyTerminal*")
        decode = (
            lib.ghostty_snapshot_decoder_ready if ready else lib.ghostty_snapshot_decoder_decode
        )
        if decode(decoder[0], out) or out[0] == ffi.NULL:
            return None
        return NativeTerminal(out[0], None)
    finally:
        lib.ghostty_snapshot_decoder_free(decoder[0])
