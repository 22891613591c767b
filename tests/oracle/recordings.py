"""Compares our emulators with alacritty's reference recordings: output with the expected grid.

The recordings stay where they are: pass the folder `alacritty_terminal/tests/ref` of a checkout.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.oracle.screens import OURS, first_difference, made, rows_of, trimmed

_HIDDEN = ("WIDE_CHAR_SPACER", "LEADING_WIDE_CHAR_SPACER")


def expected_rows(grid: dict[str, Any], rows: int) -> list[str]:
    """Return the visible text of a grid as it is stored, newest row first."""
    raw = grid["raw"]
    stored = raw["inner"]
    lines: list[str] = []
    for row in reversed(range(rows)):
        cells = stored[(raw["zero"] + row) % len(stored)]["inner"]
        lines.append("".join(_text(cell) for cell in cells))
    return trimmed(lines, rows)


def _text(cell: dict[str, Any]) -> str:
    if any(flag.strip() in _HIDDEN for flag in str(cell["flags"]).split("|")):
        return ""
    character = " " if cell["c"] == "\t" else str(cell["c"])
    extra = cell.get("extra") or {}
    return character + "".join(extra.get("zerowidth") or ())


def compare(folder: Path) -> dict[str, list[tuple[str, str]]]:
    """Return the differences of each of our emulators, as (case, what), and print the counts."""
    found: dict[str, list[tuple[str, str]]] = {name: [] for name in OURS}
    cases = sorted(case for case in folder.iterdir() if case.is_dir())
    complete = [case for case in cases if (case / "grid.json").exists()]
    for case in complete:
        size = json.loads((case / "size.json").read_bytes())
        cols, rows = size["columns"], size["screen_lines"]
        theirs = expected_rows(json.loads((case / "grid.json").read_bytes()), rows)
        for name, differences in found.items():
            emulator = made(name, cols, rows)
            emulator.feed((case / "alacritty.recording").read_bytes())
            what = first_difference(rows_of(emulator), theirs)
            emulator.close()
            if what is not None:
                differences.append((case.name, what))
    for name, differences in found.items():
        same = len(complete) - len(differences)
        print(f"{name}: {same} of {len(complete)} cases equal ({len(cases)} in the folder)")
        for case_name, what in differences:
            print(f"  {case_name}: {what}")
    return found
