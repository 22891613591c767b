"""The C types that this folder names, told to cffi in two parses instead of one for each.

cffi parses the name of a type where it is used first, and each time declares every name of the
library again: six milliseconds a name, at the start of every server.
"""

from __future__ import annotations

from typing import Any, Final

POINTERS: Final = (
    *("GhosttyTerminal", "uint16_t", "size_t", "bool", "int", "uint64_t", "uint8_t *"),
    *("GhosttyTerminalModeConfig", "GhosttyString", "GhosttyPointS", "GhosttyGridRef"),
    *("GhosttySelection", "GhosttyTerminalSelectionFormatOptions", "GhosttyFormatter"),
    *("GhosttyFormatterTerminalOptions", "GhosttyCell", "GhosttyRow", "GhosttyColorRgb"),
    *("GhosttyRenderState", "GhosttyRenderStateRowIterator", "GhosttyWriter"),
    *("GhosttySnapshotDecoder", "GhosttyTerminalCompressionResult"),
)
"""What is allocated one at a time, as `X*`."""
FUNCTIONS: Final = (
    *("GhosttyTerminalWritePtyFn", "GhosttyTerminalBellFn", "GhosttyTerminalTitleChangedFn"),
    *("GhosttyTerminalPwdChangedFn", "GhosttyTerminalDesktopNotificationFn"),
    *("GhosttyTerminalXtversionFn", "GhosttyTerminalSizeFn", "GhosttyTerminalColorSchemeFn"),
    "GhosttyWriterFn",
)


def know_types(ffi: Any) -> None:
    """Let `ffi` know the types; where its memory of them is elsewhere, it parses as ever."""
    memory: Any = getattr(ffi, "_parsed_types", None)
    if memory is None:
        return
    names = [f"{name.replace(' ', '')}*" for name in POINTERS] + list(FUNCTIONS)
    fields = [f"{name} *t{number};" for number, name in enumerate(POINTERS)]
    fields += [f"{name} t{len(POINTERS) + number};" for number, name in enumerate(FUNCTIONS)]
    ffi.cdef("typedef struct { " + " ".join(fields) + " } LuvusKnownTypes;")
    known = ffi.typeof("LuvusKnownTypes").fields
    for name, (_, field) in zip(names, known, strict=True):
        memory.setdefault(name, (field.type, False))
