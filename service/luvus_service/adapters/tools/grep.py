"""The `grep` tool: lines that match a pattern, in files that may be read."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from luvus_service.adapters.secret_variables import without_keys
from luvus_service.adapters.tools import grep_search
from luvus_service.adapters.tools.arguments import (
    Arguments,
    Prepared,
    boolean,
    failed,
    integer,
    schema,
    string,
)
from luvus_service.adapters.tools.listing import PATTERN_CHARS, matcher, project_files
from luvus_service.luxe.domain.limits import OUTPUT_BYTES
from luvus_service.luxe.domain.permission_units import PathUnit
from luvus_service.luxe.domain.permissions import shown
from luvus_service.luxe.domain.tool_ports import (
    InputRefused,
    Outcome,
    PreparedCall,
    Preview,
    Progress,
    Workbench,
)
from luvus_service.luxe.domain.values import Input, Mode, ToolKind, ToolStatus

LIMIT = 100
LIMIT_MAX = 1_000
CONTEXT_MAX = 10
SEARCH_S = 20.0
ANSWER_BYTES = 64 * 1024
"""Of one line of the searching program."""
TEXT_BYTES = OUTPUT_BYTES - 2_048
MODES = ("content", "files", "count")


@dataclass(frozen=True, slots=True)
class _Query:
    pattern: str
    unit: PathUnit
    glob: str | None
    ignore_case: bool
    literal: bool
    context: int
    limit: int
    mode: str


@dataclass(slots=True)
class _Result:
    lines: list[str] = field(default_factory=list[str])
    matches: int = 0
    bytes: int = 0
    withheld: int = 0
    skipped: int = 0
    full: bool = False
    slow: bool = False
    permitted: dict[str, str | None] = field(default_factory=dict[str, str | None])
    last: tuple[str, int] = ("", 0)


class GrepTool:
    """Searches the contents of files."""

    name = "grep"
    description = (
        "Search files for a regular expression (Python syntax, line by line). What git ignores is"
        " left out. `mode` is content (lines with numbers), files (paths), or count."
    )
    parameters: Mapping[str, Any] = schema(
        ("pattern",),
        pattern=string("The regular expression, or the text with `literal`."),
        path=string("File or folder; the project folder if not given."),
        glob=string("Only files that match, such as `*.py` or `src/**/*.ts`."),
        ignore_case=boolean("Letters match whatever their case."),
        literal=boolean("`pattern` is no regular expression."),
        context=integer("Lines shown around each match.", 0, CONTEXT_MAX),
        limit=integer(f"At most so many matches, {LIMIT} if not given.", 1, LIMIT_MAX),
        mode={"type": "string", "enum": list(MODES)},
    )
    kind: ToolKind = "search"
    reads_only = True
    modes: frozenset[Mode] = frozenset({"build", "plan"})

    async def prepare(self, given: Input, bench: Workbench) -> PreparedCall:
        """Read the arguments and try the pattern."""
        arguments = Arguments(given)
        pattern = arguments.text("pattern", "query", limit=4_096)
        literal = arguments.flag("literal", "fixed_strings")
        if not pattern:
            raise InputRefused("`pattern` is empty")
        if not literal:
            try:
                re.compile(pattern.encode("utf-8"))
            except re.error as fault:
                raise InputRefused(f"`pattern` is no regular expression: {fault}") from None
        mode = arguments.value("mode", "output_mode") or "content"
        mode = {"files_with_matches": "files"}.get(str(mode), str(mode))
        if mode not in MODES:
            raise InputRefused(f"`mode` must be one of {', '.join(MODES)}")
        written = arguments.optional_path() or "."
        unit = bench.paths.locate(written, "read")
        if not await asyncio.to_thread(Path(unit.resolved).exists):
            raise InputRefused(f"there is no file or folder {written}")
        query = _Query(
            pattern,
            unit,
            arguments.optional_text("glob", "include", limit=PATTERN_CHARS),
            arguments.flag("ignore_case", "-i"),
            literal,
            arguments.number("context", "-C", default=0, least=0, most=CONTEXT_MAX),
            arguments.number("limit", "head_limit", default=LIMIT, most=LIMIT_MAX),
            mode,
        )
        preview = Preview(f"Search {pattern} in {shown(unit)}", (unit,), (shown(unit),))

        async def work(_progress: Progress) -> Outcome:
            return await _search(query, bench)

        return Prepared(preview, work)


async def _search(query: _Query, bench: Workbench) -> Outcome:
    path = Path(query.unit.resolved)
    whole = True
    if await asyncio.to_thread(path.is_dir):
        folder = query.unit.resolved
        listing = await project_files(folder)
        names, whole = listing.files, listing.whole
        if query.glob:
            names = await asyncio.to_thread(_fitting, query.glob, names)
    else:
        folder, names = str(path.parent), [path.name]
    result = _Result()
    try:
        await _ask(query, folder, names, bench, result)
    except OSError as fault:
        return failed(f"the search cannot be started: {fault.strerror}")
    return _outcome(query, result, whole=whole)


def _fitting(glob: str, names: Sequence[str]) -> list[str]:
    fits = matcher(glob)
    return [name for name in names if fits(name)]


async def _ask(
    query: _Query, folder: str, names: Sequence[str], bench: Workbench, result: _Result
) -> None:
    # -I and -S: neither the project's modules nor site packages are imported by the search.
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", "-S", grep_search.__file__),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        limit=ANSWER_BYTES,
        env=without_keys(os.environ),
        start_new_session=True,
    )
    order = {
        "pattern": query.pattern,
        "literal": query.literal,
        "ignore_case": query.ignore_case,
        "context": query.context,
        "limit": query.limit + 1,
        "mode": query.mode,
        "folder": folder,
    }
    feed = json.dumps(order).encode() + b"\n" + b"\0".join(os.fsencode(name) for name in names)
    loop = asyncio.get_running_loop()
    feeding = loop.create_task(_feed(process, feed))
    try:
        async with asyncio.timeout(SEARCH_S):
            assert process.stdout is not None
            async for line in process.stdout:
                if not _take(query, folder, list(grep_search.parts(line)), bench, result):
                    break
    except TimeoutError:
        result.slow = True
    finally:
        feeding.cancel()
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
        await asyncio.gather(feeding, return_exceptions=True)


async def _feed(process: asyncio.subprocess.Process, feed: bytes) -> None:
    assert process.stdin is not None
    with suppress(ConnectionError):
        process.stdin.write(feed)
        await process.stdin.drain()
        process.stdin.close()


def _take(query: _Query, folder: str, item: list[Any], bench: Workbench, result: _Result) -> bool:
    """Take one line of the search; False when enough was found."""
    path = str(item[0])
    if not path:
        result.skipped = int(item[1])
        return True
    name = _permitted(query, folder, path, bench, result)
    if name is None:
        return True
    if len(item) == 2:
        text, is_match = (name if query.mode == "files" else f"{name}:{item[1]}"), True
    else:
        number, is_match = int(item[1]), bool(item[2])
        gap = query.context and result.lines and result.last != (path, number - 1)
        text = ("--\n" if gap else "") + f"{name}{':' if is_match else '-'}{number}"
        text += f"{':' if is_match else '-'} {item[3]}"
        result.last = (path, number)
    size = len(text.encode("utf-8", "replace")) + 1
    if (is_match and result.matches >= query.limit) or result.bytes + size > TEXT_BYTES:
        result.full = True
        return False
    result.matches += is_match
    result.bytes += size
    result.lines.append(text)
    return True


def _permitted(
    query: _Query, folder: str, path: str, bench: Workbench, result: _Result
) -> str | None:
    if path not in result.permitted:
        unit = bench.paths.locate(path, "read", cwd=folder)
        # The file that was asked for by name has been judged with the call itself.
        allowed = unit.resolved == query.unit.resolved or bench.may_read(unit, query.unit)
        result.permitted[path] = shown(unit) if allowed else None
        result.withheld += not allowed
    return result.permitted[path]


def _outcome(query: _Query, result: _Result, *, whole: bool) -> Outcome:
    lines = result.lines or ["[no match]"]
    if result.full:
        lines.append(f"[there are more than {result.matches} matches: narrow the search]")
    if result.slow:
        lines.append(f"[ended after {SEARCH_S:.0f} s: simplify the pattern or narrow the search]")
    if result.withheld:
        lines.append(f"[{result.withheld} files with matches may not be read and are left out]")
    if result.skipped:
        lines.append(f"[{result.skipped} files are too big to be searched]")
    if not whole:
        lines.append("[the project has more files than are searched: give a `path`]")
    status: ToolStatus = "timed_out" if result.slow and not result.matches else "completed"
    cut = result.full or result.slow or not whole
    return Outcome("\n".join(lines), status, truncated=cut)
