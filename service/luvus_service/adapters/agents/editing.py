"""Changes files of other programs: all of a set or none, atomically, and nothing but our part."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from luvus_service.uhp.domain.agents.integrations import IntegrationFailed

MARK = "luvus-managed"
BEGIN, END = f"# {MARK} begin", f"# {MARK} end"
FILE_BYTES = 4_194_304


@dataclass(frozen=True, slots=True)
class Change:
    """What a file is to hold; None removes it."""

    path: Path
    text: str | None
    executable: bool = False


def apply(changes: Sequence[Change]) -> None:
    """Make all changes; when one fails, those before it are taken back.

    Raises:
        IntegrationFailed: One failed; the files are as they were.
    """
    before = [(change, read(change.path)) for change in changes]
    done: list[tuple[Change, str | None]] = []
    try:
        for change, text in before:
            if change.text != text:
                _write(change)
                done.append((change, text))
    except OSError as error:
        for change, text in reversed(done):
            with contextlib.suppress(OSError):
                _write(Change(change.path, text, change.executable))
        raise IntegrationFailed(f"{error.filename} cannot be changed: {error.strerror}") from error


def read(path: Path) -> str | None:
    """Return a file's text, or None when there is none.

    Raises:
        IntegrationFailed: It is not a readable text file of this user.
    """
    try:
        real = path.resolve(strict=True)
        facts = real.stat()
        if not real.is_file() or facts.st_uid != os.getuid():
            raise IntegrationFailed(f"{path} is not a file of this user; it is left alone")
        if facts.st_size > FILE_BYTES:
            raise IntegrationFailed(f"{path} is larger than {FILE_BYTES} bytes; it is left alone")
        return real.read_text(encoding="utf-8")
    except FileNotFoundError:
        if path.is_symlink():
            raise IntegrationFailed(f"{path} is a link to nothing; repair it first") from None
        return None
    except UnicodeDecodeError as error:
        raise IntegrationFailed(f"{path} is not a text in UTF-8; it is left alone") from error
    except OSError as error:
        raise IntegrationFailed(f"{path} cannot be read: {error.strerror}") from error


def own(path: Path, text: str | None, *, executable: bool = False) -> Change:
    """Return the change of a file that is all ours.

    Raises:
        IntegrationFailed: Something else stands there.
    """
    if path.is_symlink():
        raise IntegrationFailed(f"{path} is a link; it is left alone. Remove it, then try again")
    found = read(path)
    if found is not None and MARK not in found:
        raise IntegrationFailed(f"{path} is not ours any more; move it away, then try again")
    return Change(path, text, executable)


def is_ours(path: Path) -> bool:
    """Tell whether our file stands there."""
    try:
        return not path.is_symlink() and MARK in (read(path) or "")
    except IntegrationFailed:
        return False


def read_json(path: Path) -> dict[str, Any]:
    """Return a settings file's object; {} when there is none.

    Raises:
        IntegrationFailed: It is no JSON object.
    """
    text = read(path)
    if text is None or not text.strip():
        return {}
    try:
        value: object = json.loads(text)
    except ValueError as error:
        raise IntegrationFailed(f"{path} is no JSON: {error}; repair it first") from error
    if not isinstance(value, dict):
        raise IntegrationFailed(f"{path} is no JSON object; repair it first")
    return cast("dict[str, Any]", value)


def dumped(path: Path, value: dict[str, Any]) -> Change:
    """Return the change to a JSON file, indented as it was; an empty object removes it."""
    if not value:
        return Change(path, None)
    found = read(path) or ""
    indent: str | int = 2
    for line in found.split("\n")[1:]:
        if line.strip():
            indent = line[: len(line) - len(line.lstrip())] or 2
            break
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    return Change(path, text + ("\n" if not found or found.endswith("\n") else ""))


def with_block(path: Path, block: str | None) -> Change:
    """Return the change to a TOML file that has our marked block at its end, or no more.

    Raises:
        IntegrationFailed: The file is no TOML, or would be none afterwards.
    """
    found = read(path) or ""
    text = without_block(found)
    if block is not None:
        gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
        text = f"{text}{gap}{BEGIN}\n{block.rstrip()}\n{END}\n"
    try:
        tomllib.loads(found)
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise IntegrationFailed(f"our part does not fit into {path}: {error}") from error
    return Change(path, text or None)


def without_block(text: str) -> str:
    """Return a text without our marked block and the blank line before it."""
    start, end = text.find(BEGIN), text.find(END)
    if start < 0 or end < start:
        return text
    rest = text[end + len(END) :].removeprefix("\n")
    kept = text[:start]
    return (kept[:-1] if kept.endswith("\n\n") else kept) + rest


def _write(change: Change) -> None:
    path = change.path.resolve()
    if change.text is None:
        path.unlink(missing_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    mode = 0o755 if change.executable else 0o600
    with contextlib.suppress(FileNotFoundError):
        mode = path.stat().st_mode & 0o7777
    descriptor, name = tempfile.mkstemp(prefix=".luvus-", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
            file.write(change.text)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(mode)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
