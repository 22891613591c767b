"""The files of permission rules: read again when they change, written only below Luxe's own folder.

A file that does not parse loses its allow rules; what can be read of its denies stays in force.
"""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args

from luvus_service.luxe.domain.permissions import Grant, Rule, RuleTool, Source, Verdict
from luvus_service.luxe.domain.values import PermissionMode

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

FILE_BYTES = 1024 * 1024
"""The largest file of rules that is read."""
RULE_LINES = 50
"""Lines of a rule in a broken file that are looked at."""
_BLOCK = re.compile(r"^\s*\[\[\s*rule\s*\]\]\s*$", re.MULTILINE)
_TOOLS = frozenset(get_args(RuleTool))
_VERDICTS = frozenset(get_args(Verdict))
_MODES = frozenset(get_args(PermissionMode))


@dataclass(frozen=True, slots=True)
class _File:
    stamp: tuple[int, int] | None
    rules: tuple[Rule, ...] = ()
    mode: PermissionMode | None = None
    env_allowed: tuple[str, ...] = ()


class RuleFiles:
    """The rules of the user, the project, and those the user had stored."""

    def __init__(
        self,
        user: Path,
        project: Path,
        saved: Path,
        warn: Callable[[str], None] = lambda _text: None,
    ) -> None:
        """`warn` is told of a file that cannot be read in full."""
        self._paths: dict[Source, Path] = {"user": user, "project": project, "saved": saved}
        self._files: dict[Source, _File] = {}
        self.warn = warn

    def rules(self) -> Sequence[Rule]:
        """Return the rules of all files as they are now."""
        return tuple(rule for source in self._paths for rule in self._read(source).rules)

    def mode(self) -> PermissionMode | None:
        """Return the strictest mode a file sets; a project can only make it read-only."""
        if "read_only" in {self._read(source).mode for source in self._paths}:
            return "read_only"
        return self._read("user").mode

    def env_allowed(self) -> tuple[str, ...]:
        """Return the exact project paths that the user exempts from the rule about `.env`."""
        return self._read("user").env_allowed

    def save(self, grants: Sequence[Grant]) -> str | None:
        """Add allow rules to the saved file; return why it failed, or None."""
        path = self._paths["saved"]
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with _locked(path.with_suffix(".lock")):
                old = path.read_text(encoding="utf-8") if path.exists() else ""
                known = {(rule.tool, rule.pattern) for rule in self._read("saved").rules}
                new = [g for g in grants if (g.tool, g.pattern) not in known]
                _replace(path, old + "".join(_block(grant) for grant in new))
            stored = {(rule.tool, rule.pattern) for rule in self._read("saved").rules}
        except OSError as fault:
            return f"The rules hold for this session only: {path}: {fault.strerror}."
        if not all((grant.tool, grant.pattern) in stored for grant in grants):
            return f"The rules hold for this session only: {path} did not take them."
        return None

    def _read(self, source: Source) -> _File:
        path = self._paths[source]
        try:
            status = path.stat()
            stamp = (status.st_mtime_ns, status.st_size)
        except OSError:
            stamp = None
        known = self._files.get(source)
        if known is not None and known.stamp == stamp:
            return known
        found = _File(None) if stamp is None else self._parse(path, source, stamp)
        self._files[source] = found
        return found

    def _parse(self, path: Path, source: Source, stamp: tuple[int, int]) -> _File:
        import tomllib

        try:
            with path.open("rb") as file:
                text = file.read(FILE_BYTES).decode("utf-8")
            data = tomllib.loads(text)
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as fault:
            self.warn(f"{path} cannot be read in full ({fault}); its allow rules do not count")
            return _File(stamp, tuple(_denies(path, source)))
        rules: list[Rule] = []
        for block in _list(data.get("rule")):
            rule = _rule(block, source)
            if rule is None:
                self.warn(f"{path} holds a rule that says nothing: {block!r}"[:400])
            else:
                rules.append(rule)
        mode = data.get("mode")
        allowed = _list(data.get("allow_env")) if source == "user" else []
        return _File(
            stamp,
            tuple(rules),
            cast("PermissionMode", mode) if mode in _MODES else None,
            tuple(str(item) for item in allowed),
        )


def _list(value: Any) -> list[Any]:
    return list(cast("tuple[Any, ...]", value)) if isinstance(value, list) else []


def _rule(block: Any, source: Source) -> Rule | None:
    if not isinstance(block, dict):
        return None
    fields = cast("dict[str, object]", block)
    verdict, tool, pattern = fields.get("action"), fields.get("tool"), fields.get("pattern", "*")
    if verdict not in _VERDICTS or tool not in _TOOLS or not isinstance(pattern, str):
        return None
    note = fields.get("note")
    return Rule(
        cast("Verdict", verdict),
        cast("RuleTool", tool),
        pattern,
        source,
        note if isinstance(note, str) else None,
    )


def _denies(path: Path, source: Source) -> Iterator[Rule]:
    """Yield the deny rules of a broken file, block by block, as far as each parses."""
    import tomllib

    try:
        text = path.read_bytes()[:FILE_BYTES].decode("utf-8", "replace")
    except OSError:
        return
    for block in _BLOCK.split(text)[1:]:
        rule = None
        lines = block.splitlines()
        # What broke the file may stand behind the last good line of this rule.
        for count in range(min(len(lines), RULE_LINES), 0, -1):
            try:
                fields = tomllib.loads("\n".join(lines[:count]))
            except tomllib.TOMLDecodeError:
                continue
            rule = _rule(fields, source) if "pattern" in fields else None
            break
        if rule is not None and rule.action == "deny":
            yield rule


def _block(grant: Grant) -> str:
    pattern = grant.pattern.replace("\\", "\\\\").replace('"', '\\"')
    pattern = re.sub(r"[\x00-\x1f\x7f]", lambda found: f"\\u{ord(found[0]):04x}", pattern)
    return f'[[rule]]\naction = "allow"\ntool = "{grant.tool}"\npattern = "{pattern}"\n\n'


def _replace(path: Path, text: str) -> None:
    unfinished = path.with_suffix(f".{os.getpid()}")
    fd = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(fd, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)


@contextmanager
def _locked(path: Path) -> Generator[None]:
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)
