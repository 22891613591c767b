"""The `write` tool: a whole file, new or in the place of one that was read."""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from luvus_service.adapters.tools import files
from luvus_service.adapters.tools.arguments import Arguments, Prepared, failed, schema, string
from luvus_service.adapters.tools.file_diff import FileDiff, file_diff
from luvus_service.luxe.domain.permission_units import PathUnit
from luvus_service.luxe.domain.permissions import shown
from luvus_service.luxe.domain.tool_ports import (
    FileStamp,
    InputRefused,
    Outcome,
    PreparedCall,
    Preview,
    Progress,
    Workbench,
)
from luvus_service.luxe.domain.values import Input, Mode, ToolKind


@dataclass(frozen=True, slots=True)
class Change:
    """One file's new content, frozen when it was shown."""

    unit: PathUnit
    raw: bytes
    diff: FileDiff
    mode: int | None = None
    """Of the file that is there; None for a new one."""
    expected: FileStamp | None = None


class WriteTool:
    """Writes files."""

    name = "write"
    description = (
        "Write a whole file; missing folders are made. A file that exists must have been read in"
        " this session. Prefer `edit` for changing a part of a file."
    )
    parameters: Mapping[str, Any] = schema(
        ("path", "content"),
        path=string("Path, relative to the project folder or absolute."),
        content=string("The whole content of the file."),
    )
    kind: ToolKind = "edit"
    reads_only = False
    modes: frozenset[Mode] = frozenset({"build"})

    async def prepare(self, given: Input, bench: Workbench) -> PreparedCall:
        """Compare the content with what is there."""
        arguments = Arguments(given)
        written = arguments.path()
        content = arguments.text("content", "contents", "file_text", limit=files.WHOLE_BYTES)
        unit = bench.paths.locate(written, "edit")
        try:
            old = await asyncio.to_thread(present, bench, unit)
            change = await asyncio.to_thread(_change, unit, content, old)
        except files.FileFault as fault:
            raise InputRefused(str(fault)) from fault
        title = f"{'Write' if old is None else 'Overwrite'} {shown(unit)}"
        return prepared_change(title, change, bench, overwrites=old is not None)


def present(bench: Workbench, unit: PathUnit) -> files.WholeFile | None:
    """Return the file that is there, which this session must have read, or None.

    Raises:
        FileFault: It was not read, changed since, or cannot be replaced.
    """
    if not os.path.lexists(unit.resolved):
        return None
    if bench.paths.locate(unit.written, "read").private:
        # The permission rules refuse the call; its content is not looked at before.
        return files.WholeFile(b"", FileStamp(0, 0, ""), 0o600)
    found = files.whole(unit.resolved, shown(unit))
    seen = bench.files.seen(unit.resolved)
    if seen is None:
        raise files.FileFault(f"{shown(unit)} exists and was not read in this session; read it")
    if not files.unchanged(seen, found.stamp):
        raise files.FileFault(f"{shown(unit)} has changed since it was read; read it again")
    return found


def prepared_change(
    title: str, change: Change, bench: Workbench, *, overwrites: bool
) -> PreparedCall:
    """Return the call that makes a change; one that overwrites shows what it reads."""
    unit = change.unit
    reading = bench.paths.locate(unit.written, "read")
    units = (unit, reading) if overwrites and reading.private else (unit,)
    preview = Preview(title, units, (shown(unit),), path=shown(unit), diff=change.diff.text)

    async def work(_progress: Progress) -> Outcome:
        return await _apply(change, bench)

    return Prepared(preview, work)


async def _apply(change: Change, bench: Workbench) -> Outcome:
    unit = change.unit
    try:
        await asyncio.to_thread(
            files.replace_whole,
            unit.resolved,
            change.raw,
            mode=change.mode,
            expected=change.expected,
        )
        stamp = await asyncio.to_thread(files.stamp_of, unit.resolved, shown(unit))
    except files.FileFault as fault:
        return failed(str(fault))
    # Only what was written counts as known: somebody may have been faster than the stamp.
    if stamp.sha256 in {"", hashlib.sha256(change.raw).hexdigest()}:
        bench.files.note(unit.resolved, stamp)
    diff = change.diff
    summary = f"{shown(unit)} is written: {len(change.raw)} bytes"
    if diff.text and change.expected is not None:
        summary += f"\n{diff.text}"
    return Outcome(
        summary,
        diff=diff.text,
        additions=diff.additions,
        deletions=diff.deletions,
        changed=(unit.relative,) if unit.relative is not None else (),
    )


def _change(unit: PathUnit, content: str, old: files.WholeFile | None) -> Change:
    if old is None:
        if Path(unit.resolved).name in {"", ".", ".."}:
            raise files.FileFault(f"{unit.written} is no name of a file")
        return Change(unit, content.encode("utf-8"), file_diff(None, content, shown(unit)))
    try:
        before = files.text_of(old.raw, shown(unit))
    except files.FileFault:
        before = ""
    if line_end(before) == "\r\n" and "\r" not in content:
        content = content.replace("\n", "\r\n")
    raw = content.encode("utf-8")
    if old.raw.startswith(files.BOM) and not raw.startswith(files.BOM):
        raw = files.BOM + raw
    diff = file_diff(before, content, shown(unit))
    return Change(unit, raw, diff, old.mode, old.stamp)


def line_end(text: str) -> str:
    """Return how the lines of a text end, as far as they agree; a line feed otherwise."""
    ends = text.count("\n")
    return "\r\n" if ends and len(re.findall(r"\r\n", text)) == ends else "\n"
