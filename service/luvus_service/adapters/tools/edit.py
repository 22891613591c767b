"""The `edit` tool: exact replacements in one file, all of them or none."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from luvus_service.adapters.tools import files
from luvus_service.adapters.tools.arguments import Arguments, boolean, schema, string
from luvus_service.adapters.tools.file_diff import file_diff
from luvus_service.adapters.tools.write import Change, line_end, prepared_change, present
from luvus_service.luxe.domain.permission_units import PathUnit
from luvus_service.luxe.domain.permissions import shown
from luvus_service.luxe.domain.tool_ports import InputRefused, PreparedCall, Workbench
from luvus_service.luxe.domain.values import Input, Mode, ToolKind

EDITS = 50
PLACES_SHOWN = 5

_OLD = ("old", "old_string", "oldString", "oldText", "old_str")
_NEW = ("new", "new_string", "newString", "newText", "new_str")
_ALL = ("all", "replace_all", "replaceAll")
_FIELDS: Mapping[str, Mapping[str, Any]] = {
    "old": string("The exact text that is there, blanks and line ends included."),
    "new": string("What takes its place."),
    "all": boolean("Replace every occurrence; without it `old` must be there once."),
}


@dataclass(frozen=True, slots=True)
class Replacement:
    """One wanted replacement."""

    old: str
    new: str
    everywhere: bool = False


class EditTool:
    """Edits files."""

    name = "edit"
    description = (
        "Replace exact texts in a file that was read in this session. Each `old` must be there"
        " exactly once unless `all` is set. Several `edits` are matched against the file as it is"
        " now, must not overlap, and are all made or none."
    )
    parameters: Mapping[str, Any] = schema(
        ("path",),
        path=string("Path, relative to the project folder or absolute."),
        edits={
            "type": "array",
            "minItems": 1,
            "maxItems": EDITS,
            "items": {"type": "object", "properties": _FIELDS, "required": ["old", "new"]},
        },
        **_FIELDS,
    )
    kind: ToolKind = "edit"
    reads_only = False
    modes: frozenset[Mode] = frozenset({"build"})

    async def prepare(self, given: Input, bench: Workbench) -> PreparedCall:
        """Make the replacements in memory."""
        arguments = Arguments(given)
        unit = bench.paths.locate(arguments.path(), "edit")
        wanted = _wanted(arguments)
        try:
            change = await asyncio.to_thread(_change, bench, unit, wanted)
        except files.FileFault as fault:
            raise InputRefused(str(fault)) from fault
        return prepared_change(f"Edit {shown(unit)}", change, bench, overwrites=True)


def _wanted(arguments: Arguments) -> list[Replacement]:
    listed = arguments.objects("edits", EDITS)
    each = [Arguments(item) for item in listed] if listed else [arguments]
    found: list[Replacement] = []
    for item in each:
        wanted = Replacement(
            item.text(*_OLD, limit=files.WHOLE_BYTES),
            item.text(*_NEW, limit=files.WHOLE_BYTES),
            item.flag(*_ALL),
        )
        if not wanted.old:
            raise InputRefused("`old` is empty: give the text to replace, or use `write`")
        if wanted.old == wanted.new:
            raise InputRefused("`old` and `new` are the same")
        found.append(wanted)
    return found


def _change(bench: Workbench, unit: PathUnit, wanted: Sequence[Replacement]) -> Change:
    old = present(bench, unit)
    if old is None:
        raise files.FileFault(f"there is no file {shown(unit)}; use `write` to make it")
    if bench.paths.locate(unit.written, "read").private:
        return Change(unit, b"", file_diff("", "", shown(unit)), old.mode, old.stamp)
    before = files.text_of(old.raw, shown(unit))
    after = replaced(before, wanted, shown(unit))
    raw = after.encode("utf-8")
    if old.raw.startswith(files.BOM):
        raw = files.BOM + raw
    if len(raw) > files.WHOLE_BYTES:
        raise files.FileFault(f"{shown(unit)} would have more than {files.WHOLE_BYTES} bytes")
    return Change(unit, raw, file_diff(before, after, shown(unit)), old.mode, old.stamp)


def replaced(text: str, wanted: Sequence[Replacement], name: str) -> str:
    """Return a text after replacements that were all matched against it as it was.

    Raises:
        FileFault: One does not match as it must, or two overlap.
    """
    spans: list[tuple[int, int, str]] = []
    for number, item in enumerate(wanted, 1):
        which = f"edit {number}: " if len(wanted) > 1 else ""
        spans.extend(_spans(text, item, name, which))
    spans.sort()
    parts: list[str] = []
    at = 0
    for start, end, new in spans:
        if start < at:
            line = text.count("\n", 0, start) + 1
            raise files.FileFault(f"two edits overlap at line {line} of {name}; nothing is changed")
        parts += [text[at:start], new]
        at = end
    return "".join([*parts, text[at:]])


def _spans(text: str, item: Replacement, name: str, which: str) -> list[tuple[int, int, str]]:
    old, new = item.old, item.new
    starts = _starts(text, old)
    if not starts and "\r" not in old and "\r\n" in text:
        # Models write line feeds; the file's own line ends are kept.
        old = old.replace("\n", "\r\n")
        starts = _starts(text, old)
    if line_end(text) == "\r\n" and "\r" not in new:
        new = new.replace("\n", "\r\n")
    if not starts:
        raise files.FileFault(f"{which}`old` is not in {name}{_hint(text, item.old)}")
    if len(starts) > 1 and not item.everywhere:
        lines = [str(text.count("\n", 0, start) + 1) for start in starts[:PLACES_SHOWN]]
        more = ", …" if len(starts) > PLACES_SHOWN else ""
        raise files.FileFault(
            f"{which}`old` is {len(starts)} times in {name} (lines {', '.join(lines)}{more}):"
            " give more of what is around it, or set `all`"
        )
    return [(start, start + len(old), new) for start in starts]


def _starts(text: str, old: str) -> list[int]:
    found: list[int] = []
    at = text.find(old)
    while at >= 0:
        found.append(at)
        at = text.find(old, at + len(old))
    return found


def _hint(text: str, old: str) -> str:
    first = next((line.strip() for line in old.split("\n") if line.strip()), "")
    if first:
        for number, line in enumerate(text.split("\n"), 1):
            if line.strip() == first:
                return f"; line {number} is alike but blanks or the lines after it differ"
    return "; read it again"
