"""The types of avt as far as they are used, and how to make its objects.

The package's own type hints do not export what it exports, so it enters as Any here only.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any, Protocol, cast


class Pen(Protocol):
    """The style of a cell."""

    bold: bool
    faint: bool
    italic: bool
    underline: bool
    blink: bool
    inverse: bool
    strikethrough: bool

    @property
    def foreground(self) -> object:
        """Return a colour or None."""
        ...

    @property
    def background(self) -> object:
        """Return a colour or None."""
        ...

    def is_default(self) -> bool:
        """Tell whether no style is set."""
        ...


class Cell(Protocol):
    """One cell; the right half of a wide character has the width 0."""

    @property
    def char(self) -> str:
        """Return the character."""
        ...

    @property
    def width(self) -> int:
        """Return 0, 1 or 2."""
        ...

    @property
    def pen(self) -> Pen:
        """Return the style."""
        ...


class Line(Protocol):
    """One row."""

    @property
    def cells(self) -> Sequence[Cell]:
        """Return the cells."""
        ...

    @property
    def text(self) -> str:
        """Return the text, padded to the full width."""
        ...


class Place(Protocol):
    """Where the cursor is."""

    @property
    def row(self) -> int:
        """Return the row."""
        ...

    @property
    def col(self) -> int:
        """Return the column; the number of columns when a wrap is pending."""
        ...

    @property
    def visible(self) -> bool:
        """Tell whether it is shown."""
        ...


class Vt(Protocol):
    """A terminal."""

    @property
    def cursor(self) -> Place:
        """Return the cursor."""
        ...

    def feed_str(self, text: str, /) -> object:
        """Take output."""
        ...

    def resize(self, cols: int, rows: int, /) -> object:
        """Change the size."""
        ...

    def view(self) -> Sequence[Line]:
        """Return the rows of the screen."""
        ...

    def lines(self) -> Sequence[Line]:
        """Return the rows of scrollback and screen."""
        ...

    def dump(self) -> str:
        """Return what rebuilds screen and parser."""
        ...


_avt: Any = importlib.import_module("avt")
_util: Any = importlib.import_module("avt.util")


def make_vt(cols: int, rows: int, scrollback_lines: int) -> Vt:
    """Make an empty terminal."""
    return cast("Vt", _avt.Vt(cols, rows, scrollback_lines))


def row_goes_on(row: Line) -> bool:
    """Tell whether the row after this one continues it by a soft wrap."""
    completed: str | None = _util.TextUnwrapper().push(row)
    return completed is None


def colour_code(base: int, colour: object) -> str:
    """Return the SGR parameters of a colour, `base` 38 for text and 48 for ground; "" for None."""
    value: Any = colour
    if isinstance(colour, _avt.Color.RGB):
        return f"{base};2;{value[0]};{value[1]};{value[2]}"
    if isinstance(colour, _avt.Color.Indexed):
        return f"{base};5;{value[0]}"
    return ""
