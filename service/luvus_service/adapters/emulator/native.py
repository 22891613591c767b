"""One native terminal of libghostty-vt, behind typed methods.

The only file that knows cffi and the C interface. Decides nothing: what is safe to feed, how a
screen becomes text or a dump is the business of its callers. Importing it raises ImportError or
OSError where the library is missing.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any, Final

from luvus_service.adapters.emulator.callbacks import install_callbacks
from luvus_service.adapters.emulator.known_types import know_types
from luvus_service.adapters.emulator.noted import Noted
from luvus_service.uhp.domain.ports import Buffer

# The binding carries no types, so it enters as Any here and nowhere else.
_binding: Any = importlib.import_module("pyghostty._ffi")
_core: Any = importlib.import_module("pyghostty.core")
ffi: Any = _binding.ffi
lib: Any = _binding.lib
know_types(ffi)

MAX_CONTINUATION_BYTES: Final = 64 * 1024
"""How much of an unfinished sequence can be carried into a dump."""
MAX_IMAGE_BYTES: Final = 8 * 1024 * 1024
"""Stored kitty images per screen."""
MAX_APC_BYTES: Final = 64 * 1024
MAX_KITTY_APC_BYTES: Final = 1024 * 1024
MAX_CLIPBOARD_BYTES: Final = 64 * 1024
CELL_PIXELS: Final = (8, 16)

_GRID_REF: Final = _binding.union_fn(
    "ghostty_terminal_grid_ref", "GhosttyResult(*)(GhosttyTerminal, GhosttyPointS, GhosttyGridRef*)"
)
_TERM_NAME: Final = b"xterm-256color"
_FOREGROUND: Final = (0xE5, 0xE5, 0xE5)
_BACKGROUND: Final = (0x00, 0x00, 0x00)


@dataclass(frozen=True, slots=True)
class Extras:
    """Which state the formatter adds, as sequences: tab stops before the text, others after."""

    region: bool = False
    keyboard: bool = False
    tabstops: bool = False
    style: bool = False
    """Style, protection, kitty keyboard flags and character sets of the cursor."""


class NativeFault(RuntimeError):
    """A call into the library failed."""


def _check(result: int, what: str) -> None:
    if result:
        raise NativeFault(f"libghostty-vt refused to {what}: result {result}")


class NativeTerminal:
    """A terminal in native memory; freed by `close` and by nothing else.

    Rows are counted from the oldest row of the scrollback unless a name says `active`.
    """

    def __init__(self, handle: Any, noted: Noted | None) -> None:
        self._handle: Any = handle
        self._keep: list[Any] = []
        self._render: _Render | None = None
        self._make_scratch()
        if noted is not None:
            self._configure()
            self._keep.append(install_callbacks(ffi, lib, handle, noted))

    def _make_scratch(self) -> None:
        # Out parameters are made once: making them anew would cost more than the calls.
        self._u16: Any = ffi.new("uint16_t*")
        self._size: Any = ffi.new("size_t*")
        self._bool: Any = ffi.new("bool*")
        self._int: Any = ffi.new("int*")
        self._mode: Any = ffi.new("GhosttyTerminalModeConfig*")
        self._string: Any = ffi.new("GhosttyString*")
        self._point: Any = ffi.new("GhosttyPointS*")
        self._point.tag = lib.GHOSTTY_POINT_TAG_SCREEN
        self._ref: Any = _core.init_sized("GhosttyGridRef")
        self._selection: Any = _core.init_sized("GhosttySelection")
        self._options: Any = _core.init_sized("GhosttyTerminalSelectionFormatOptions")
        self._options.emit = lib.GHOSTTY_FORMATTER_FORMAT_PLAIN
        self._options.selection = self._selection
        self._state_options: Any = _core.init_sized("GhosttyFormatterTerminalOptions")
        self._state_options.emit = lib.GHOSTTY_FORMATTER_FORMAT_VT
        self._state_options.trim = True
        self._state_options.selection = self._selection
        self._formatter: Any = ffi.new("GhosttyFormatter*")
        self._out: Any = ffi.new("uint8_t**")
        self._cell: Any = ffi.new("GhosttyCell*")
        self._row: Any = ffi.new("GhosttyRow*")

    @classmethod
    def new(cls, cols: int, rows: int, noted: Noted) -> NativeTerminal:
        """Make an empty terminal whose events go to `noted`."""
        out: Any = ffi.new("GhosttyTerminal*")
        _check(lib.ghostty_terminal_new(ffi.NULL, out, cols, rows), "make a terminal")
        return cls(out[0], noted)

    def _configure(self) -> None:
        off: Any = ffi.new("bool*", False)
        for medium in ("FILE", "SHARED_MEM"):
            self._set(f"KITTY_IMAGE_MEDIUM_{medium}", off)
        # Unlike its neighbours this one is the folder of such files, none for off.
        self._set("KITTY_IMAGE_MEDIUM_TEMP_FILE", ffi.NULL)
        self._set("TITLE_REPORT", off)
        self._set("KITTY_IMAGE_STORAGE_LIMIT", ffi.new("uint64_t*", MAX_IMAGE_BYTES))
        self._set("APC_MAX_BYTES", ffi.new("size_t*", MAX_APC_BYTES))
        self._set("APC_MAX_BYTES_KITTY", ffi.new("size_t*", MAX_KITTY_APC_BYTES))
        self._set("CLIPBOARD_WRITE_MAX_BYTES", ffi.new("size_t*", MAX_CLIPBOARD_BYTES))
        self._set("CONTINUATION_MAX_BYTES", ffi.new("size_t*", MAX_CONTINUATION_BYTES))
        for name, colour in (("FOREGROUND", _FOREGROUND), ("BACKGROUND", _BACKGROUND)):
            self._set(f"COLOR_{name}", ffi.new("GhosttyColorRgb*", colour))
        name_bytes: Any = ffi.from_buffer("uint8_t[]", _TERM_NAME)
        self._keep.append(name_bytes)
        self._set("TERMINFO_NAME", ffi.new("GhosttyString*", (name_bytes, len(_TERM_NAME))))

    def _set(self, option: str, value: Any) -> None:
        key = getattr(lib, f"GHOSTTY_TERMINAL_OPT_{option}")
        _check(lib.ghostty_terminal_set(self._handle, key, value), f"set {option.lower()}")

    def set_scrollback_bytes(self, budget: int) -> None:
        """Set the byte budget of the scrollback."""
        self._set("SCROLLBACK_MAX_BYTES", ffi.new("size_t*", budget))

    def write(self, data: Buffer) -> None:
        """Feed output; the interpreter runs on meanwhile."""
        lib.ghostty_terminal_vt_write(self._handle, ffi.from_buffer(data), len(data))

    def write_until_ground(self, data: Buffer) -> int:
        """Feed just so much that the sequence in progress ends; return how much that was."""
        result: int = lib.ghostty_terminal_vt_write_until_ground(
            self._handle, ffi.from_buffer(data), len(data), self._size
        )
        return len(data) if result else int(self._size[0])

    def resize(self, cols: int, rows: int) -> None:
        """Change the size, reflowing the primary screen."""
        lib.ghostty_terminal_resize(self._handle, cols, rows, *CELL_PIXELS)

    def _get(self, key: int, out: Any) -> int:
        return int(out[0]) if lib.ghostty_terminal_get(self._handle, key, out) == 0 else 0

    def cols(self) -> int:
        """Return the columns, which a program may have changed (DECCOLM)."""
        return self._get(lib.GHOSTTY_TERMINAL_DATA_COLS, self._u16)

    def at_ground(self) -> bool:
        """Tell whether no sequence and no character is unfinished."""
        return bool(self._get(lib.GHOSTTY_TERMINAL_DATA_VT_GROUND, self._bool))

    def total_rows(self) -> int:
        """Return the rows of scrollback and screen together."""
        return self._get(lib.GHOSTTY_TERMINAL_DATA_TOTAL_ROWS, self._size)

    def scrollback_rows(self) -> int:
        """Return the rows of the scrollback."""
        return self._get(lib.GHOSTTY_TERMINAL_DATA_SCROLLBACK_ROWS, self._size)

    def cursor(self) -> tuple[int, int]:
        """Return the cursor's column and active row."""
        x = self._get(lib.GHOSTTY_TERMINAL_DATA_CURSOR_X, self._u16)
        return x, self._get(lib.GHOSTTY_TERMINAL_DATA_CURSOR_Y, self._u16)

    def cursor_visible(self) -> bool:
        """Tell whether the cursor is shown."""
        return bool(self._get(lib.GHOSTTY_TERMINAL_DATA_CURSOR_VISIBLE, self._bool))

    def pending_wrap(self) -> bool:
        """Tell whether the next character goes to the next row."""
        return bool(self._get(lib.GHOSTTY_TERMINAL_DATA_CURSOR_PENDING_WRAP, self._bool))

    def alternate(self) -> bool:
        """Tell whether the alternate screen is shown."""
        shown = self._get(lib.GHOSTTY_TERMINAL_DATA_ACTIVE_SCREEN, self._int)
        return shown == int(lib.GHOSTTY_TERMINAL_SCREEN_ALTERNATE)

    def mode(self, number: int, *, ansi: bool = False) -> bool:
        """Return a DEC private mode, or with `ansi` an ANSI mode; False when unknown."""
        self._mode.mode = number | (ansi << 15)
        key = lib.GHOSTTY_TERMINAL_DATA_MODE
        if lib.ghostty_terminal_get(self._handle, key, self._mode):
            return False
        return bool(self._mode.value)

    def clear_mode(self, number: int) -> None:
        """Switch a DEC private mode off without any other effect."""
        self._mode.mode = number
        self._mode.value = False
        self._set("MODE", self._mode)

    def _get_string(self, key: int) -> bytes:
        if lib.ghostty_terminal_get(self._handle, key, self._string) or not self._string.len:
            return b""
        return bytes(ffi.buffer(self._string.ptr, self._string.len))

    def title(self) -> bytes:
        """Return the title as the program sent it."""
        return self._get_string(lib.GHOSTTY_TERMINAL_DATA_TITLE)

    def pwd(self) -> bytes:
        """Return the payload of the last OSC 7."""
        return self._get_string(lib.GHOSTTY_TERMINAL_DATA_PWD).rstrip(b"\0")

    def colour(self, name: str) -> tuple[int, int, int] | None:
        """Return the colour in force: FOREGROUND, BACKGROUND, CURSOR, or one with _DEFAULT."""
        out: Any = ffi.new("GhosttyColorRgb*")
        key = getattr(lib, f"GHOSTTY_TERMINAL_DATA_COLOR_{name}")
        if lib.ghostty_terminal_get(self._handle, key, out):
            return None
        return int(out.r), int(out.g), int(out.b)

    def palette(self, *, default: bool = False) -> bytes:
        """Return the 256 colours in force, or those a reset brings back, three bytes each."""
        out: Any = ffi.new("GhosttyColorRgb[256]")
        suffix = "_DEFAULT" if default else ""
        key = getattr(lib, f"GHOSTTY_TERMINAL_DATA_COLOR_PALETTE{suffix}")
        _check(lib.ghostty_terminal_get(self._handle, key, out), "get the palette")
        return bytes(ffi.buffer(out))

    def _seek(self, x: int, y: int) -> Any:
        self._point.value.x = x
        self._point.value.y = y
        if result := _GRID_REF(self._handle, self._point[0], self._ref):
            raise NativeFault(f"libghostty-vt has no cell {x},{y}: result {result}")
        return self._ref

    def row_wraps(self, y: int) -> bool:
        """Tell whether the next row continues this one by a soft wrap."""
        return self._row_flag(y, lib.GHOSTTY_ROW_DATA_WRAP)

    def row_continues(self, y: int) -> bool:
        """Tell whether this row was begun by a soft wrap of the one above."""
        return self._row_flag(y, lib.GHOSTTY_ROW_DATA_WRAP_CONTINUATION)

    def _row_flag(self, y: int, flag: int) -> bool:
        _check(lib.ghostty_grid_ref_row(self._seek(0, y), self._row), "read a row")
        _check(lib.ghostty_row_get(self._row[0], flag, self._bool), "read a row")
        return bool(self._bool[0])

    def cell(self, x: int, y: int) -> int:
        """Return a cell in the library's packed form."""
        _check(lib.ghostty_grid_ref_cell(self._seek(x, y), self._cell), "read a cell")
        return int(self._cell[0])

    def screen_cells(self) -> list[memoryview]:
        """Return the cells of each row of the screen shown, in the library's packed form."""
        if self._render is None:
            self._render = _Render()
        return self._render.cells(self._handle)

    def select(self, start: tuple[int, int], end: tuple[int, int], *, box: bool = False) -> None:
        """Choose the cells that `text` and `extras` format; both ends belong to it."""
        self._selection.start = self._seek(*start)[0]
        self._selection.end = self._seek(*end)[0]
        self._selection.rectangle = box

    def text(self, *, styled: bool, unwrap: bool, trim: bool = True) -> bytes:
        """Format the selection: plain with LF, or styled with SGR sequences and CR LF."""
        if styled:
            # The shorter way below would put all colours of the palette before the text.
            return self._formatted(Extras(), unwrap=unwrap)
        options = self._options
        options.unwrap = unwrap
        options.trim = trim
        result = lib.ghostty_terminal_selection_format_alloc(
            self._handle, ffi.NULL, options[0], self._out, self._size
        )
        _check(result, "format text")
        return self._taken()

    def _taken(self) -> bytes:
        length = int(self._size[0])
        if not length:
            return b""
        data = bytes(ffi.buffer(self._out[0], length))
        lib.ghostty_free(ffi.NULL, self._out[0], length)
        return data

    def extras(self, extras: Extras) -> bytes:
        """Return the sequences that restore this state, without any text."""
        whole, text = self._formatted(extras), self._formatted(Extras())
        return whole.removesuffix(text) if extras.tabstops else whole.removeprefix(text)

    def _formatted(self, extras: Extras, *, unwrap: bool = False) -> bytes:
        options = self._state_options
        options.unwrap = unwrap
        options.extra.scrolling_region = extras.region
        options.extra.keyboard = extras.keyboard
        options.extra.tabstops = extras.tabstops
        for name in ("style", "protection", "kitty_keyboard", "charsets"):
            setattr(options.extra.screen, name, extras.style)
        formatter = self._formatter
        result = lib.ghostty_formatter_terminal_new(ffi.NULL, formatter, self._handle, options[0])
        _check(result, "make a formatter")
        try:
            result = lib.ghostty_formatter_format_alloc(
                formatter[0], ffi.NULL, self._out, self._size
            )
            _check(result, "format state")
            return self._taken()
        finally:
            lib.ghostty_formatter_free(formatter[0])

    def continuation(self) -> bytes | None:
        """Return the unfinished sequence, or None when it is longer than what is kept."""
        result = lib.ghostty_terminal_continuation_alloc(
            self._handle, ffi.NULL, self._out, self._size
        )
        return None if result else self._taken()

    def width(self, character: str) -> int:
        """Return how many cells a character takes."""
        return int(lib.ghostty_unicode_codepoint_width(ord(character)))

    def ask(self, query: bytes) -> bytes:
        """Feed a query to a copy that has no events of its own, and return the answer."""
        noted = Noted(1, 1)
        self._keep.append(install_callbacks(ffi, lib, self._handle, noted))
        self.write(query)
        return noted.take(title=None, cwd=None).replies

    def compress(self) -> None:
        """Compress the scrollback, whole pages only, and drop what only reading needs."""
        self._drop_render()
        done: Any = ffi.new("GhosttyTerminalCompressionResult*")
        lib.ghostty_terminal_compress(
            self._handle, lib.GHOSTTY_TERMINAL_COMPRESSION_MODE_FULL, done
        )

    def close(self) -> None:
        """Free the native memory; closing twice does nothing."""
        self._drop_render()
        if self._handle is not None:
            lib.ghostty_terminal_free(self._handle)
            self._handle = None
            self._keep.clear()

    def _drop_render(self) -> None:
        if self._render is not None:
            self._render.close()
            self._render = None

    @property
    def handle(self) -> Any:
        """The C handle, for the snapshot functions."""
        return self._handle


class _Render:
    """The library's copy of a screen for drawing: the one quick way to all cells."""

    def __init__(self) -> None:
        self._state: Any = ffi.new("GhosttyRenderState*")
        self._rows: Any = ffi.new("GhosttyRenderStateRowIterator*")
        self._view: Any = ffi.new("GhosttyCellsView*")
        _check(lib.ghostty_render_state_new(ffi.NULL, self._state), "make a render state")
        result = lib.ghostty_render_state_row_iterator_new(ffi.NULL, self._rows)
        _check(result, "make a row iterator")

    def cells(self, handle: Any) -> list[memoryview]:
        _check(lib.ghostty_render_state_update(self._state[0], handle), "read the screen")
        key = lib.GHOSTTY_RENDER_STATE_DATA_ROW_ITERATOR
        _check(lib.ghostty_render_state_get(self._state[0], key, self._rows), "read the rows")
        raw = lib.GHOSTTY_RENDER_STATE_ROW_DATA_CELLS_RAW
        rows: list[memoryview] = []
        while lib.ghostty_render_state_row_iterator_next(self._rows[0]):
            result = lib.ghostty_render_state_row_get(self._rows[0], raw, self._view)
            _check(result, "read a row")
            # Copied: the view is good until the terminal changes.
            data = bytes(ffi.buffer(self._view.ptr, self._view.len * 8))
            rows.append(memoryview(data).cast("Q"))
        return rows

    def close(self) -> None:
        lib.ghostty_render_state_row_iterator_free(self._rows[0])
        lib.ghostty_render_state_free(self._state[0])
