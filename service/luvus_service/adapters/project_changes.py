"""The changes of many files at once: few calls of git for known files, none for new ones.

Knows no permissions: whoever asks has judged every path.
"""

from __future__ import annotations

import os
import re
import stat
from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from luvus_service.adapters.git_run import LITERAL, GitTimeout, git
from luvus_service.luxe.domain.diffs import hunks_of, short_hash
from luvus_service.luxe.domain.project_events import FileChange

DIFF = (
    "-c", "diff.noprefix=false", "-c", "core.quotePath=false",
    "diff", "--no-ext-diff", "--no-textconv", "--no-color", "--src-prefix=a/", "--dst-prefix=b/",
    "-U3", "--full-index", "-M50%",
)  # fmt: skip
CALLS = 32
"""Calls of git for the changes of all files; what is still unknown then is left out."""
WORDS_BYTES = 65_536
"""Paths in one of them."""
FILE_BYTES = 2_097_152
"""The largest new file that is shown."""
NEW_BYTES = 33_554_432
"""All new files that are shown."""
SNIFFED_BYTES = 8_000
_START = "diff --git "
_ESCAPE = re.compile(rb'\\([0-7]{3}|[abtnvfr"\\])')
_ESCAPED = dict(zip(b"abtnvfr", b"\a\b\t\n\v\f\r", strict=True))


async def changes_from_head(root: str, paths: Sequence[str]) -> dict[str, FileChange]:
    """Return the changes of files that git knows, by their path; a renamed one counts as new.

    A file for which git is too slow, or says too much, is left out.
    """
    found: dict[str, FileChange] = {}
    waiting = deque(_batches(paths))
    for _ in range(CALLS):
        if not waiting:
            break
        batch = waiting.popleft()
        try:
            answer = await git(root, LITERAL, *DIFF, "--no-renames", "HEAD", "--", *batch)
        except GitTimeout:
            if len(batch) > 1:
                middle = len(batch) // 2
                waiting.extend((batch[:middle], batch[middle:]))
            continue
        for path, text in sections(answer.out.decode("utf-8", "replace")).items():
            found[path] = change_of(text, path)
    return found


def new_files(root: str, paths: Sequence[str]) -> dict[str, FileChange]:
    """Return files that git does not know as changes; blocking.

    What cannot be read, or is neither a file nor a link, is left out; a large one has no lines.
    """
    found: dict[str, FileChange] = {}
    room = NEW_BYTES
    for path in paths:
        try:
            text, size = _as_added(Path(root) / path, path, min(room, FILE_BYTES))
        except OSError:
            continue
        if text is not None:
            room -= size
            found[path] = change_of(text, path)
    return found


def sections(diff: str) -> dict[str, str]:
    """Return the parts of a diff without renames by the file that they are of.

    A file that became something else has two parts, which are returned as one text.
    """
    found: dict[str, str] = {}
    for part in f"\n{diff}".split(f"\n{_START}")[1:]:
        path = _path_of(part.partition("\n")[0])
        text = f"{_START}{part}"
        found[path] = f"{found[path]}\n{text}" if path in found else text
    return found


def change_of(diff: str, path: str) -> FileChange:
    """Return a diff of one file as the value that clients see."""
    head = diff.split("\n@@ ", 1)[0].split("\n")
    fields = {line.partition(" ")[0]: line for line in head}
    file_id = "file:" + short_hash("working_tree", path)
    hunks, cut = hunks_of(diff, file_id)
    oids = fields.get("index", "").removeprefix("index ").split(" ")[0].partition("..")
    new_file, gone = _after(head, "new file mode "), _after(head, "deleted file mode ")
    old_path = _after(head, "rename from ")
    kind: Literal["added", "modified", "deleted", "renamed", "mode"] = "modified"
    if new_file:
        kind = "added"
    elif gone:
        kind = "deleted"
    elif old_path:
        kind = "renamed"
    elif not hunks and _after(head, "new mode "):
        kind = "mode"
    similarity = (_after(head, "similarity index ") or "").rstrip("%")
    return FileChange(
        id=file_id,
        path=path,
        old_path=old_path,
        change=kind,
        old_mode=_after(head, "old mode ") or gone,
        new_mode=_after(head, "new mode ") or new_file,
        language=None,
        additions=sum(line.t == "+" for hunk in hunks for line in hunk.lines),
        deletions=sum(line.t == "-" for hunk in hunks for line in hunk.lines),
        binary=any(line.startswith(("Binary files", "GIT binary patch")) for line in head),
        generated=False,
        withheld=False,
        truncated=cut,
        similarity=int(similarity) if similarity else None,
        submodule=False,
        old_oid=oids[0] if oids[0].strip("0") else None,
        new_oid=oids[2] if oids[2].strip("0") else None,
        hunks=hunks,
    )


def _after(lines: list[str], start: str) -> str | None:
    return next((line[len(start) :] for line in lines if line.startswith(start)), None)


def _batches(paths: Sequence[str]) -> Iterator[Sequence[str]]:
    batch: list[str] = []
    size = 0
    for path in paths:
        length = len(os.fsencode(path)) + 1
        if batch and size + length > WORDS_BYTES:
            yield batch
            batch, size = [], 0
        batch.append(path)
        size += length
    if batch:
        yield batch


def _path_of(names: str) -> str:
    """Return the path of `a/PATH b/PATH`, which is written twice and perhaps quoted."""
    half = names[: (len(names) - 1) // 2]
    if not half.startswith('"'):
        return half.removeprefix("a/")
    raw = _ESCAPE.sub(_unescaped, half[1:-1].encode("utf-8", "replace"))
    return raw.decode("utf-8", "replace").removeprefix("a/")


def _unescaped(match: re.Match[bytes]) -> bytes:
    code = match[1]
    if len(code) == 3:
        return bytes([int(code, 8) & 0xFF])
    return bytes([_ESCAPED.get(code[0], code[0])])


def _as_added(file: Path, path: str, limit: int) -> tuple[str | None, int]:
    """Return a file as a diff against nothing, and how many bytes were read for it."""
    status = file.lstat()
    mode = "100755" if status.st_mode & stat.S_IXUSR else "100644"
    size = status.st_size
    if stat.S_ISLNK(status.st_mode):
        mode, raw = "120000", os.fsencode(os.readlink(file))  # noqa: PTH115 - bytes, not a path
    elif not stat.S_ISREG(status.st_mode):
        return None, 0
    elif size > limit:
        raw = b""
    else:
        # It may have become a pipe since, whose writer must not be waited for.
        fd = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        with open(fd, "rb") as opened:  # noqa: PTH123 - a descriptor
            raw = opened.read(limit)
    head = f"{_START}a/{path} b/{path}\nnew file mode {mode}\n"
    if b"\0" in raw[:SNIFFED_BYTES] or (size and not raw):
        return f"{head}Binary files /dev/null and b/{path} differ\n", len(raw)
    lines = raw.decode("utf-8", "replace").split("\n")
    last = lines.pop()
    missing = [last] if last else []
    count = len(lines) + len(missing)
    shown = "".join(f"+{line}\n" for line in (*lines, *missing))
    end = "\\ No newline at end of file\n" if missing else ""
    span = "1" if count == 1 else f"1,{count}"
    return (f"{head}@@ -0,0 +{span} @@\n{shown}{end}" if count else head), len(raw)
