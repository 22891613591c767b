"""Patterns of permission rules: globs over paths, and text over commands."""

from __future__ import annotations

import re
from functools import lru_cache

from luvus_service.luxe.domain.permission_units import PathUnit

_CACHED = 1024


def path_matches(pattern: str, unit: PathUnit, *, strict: bool) -> bool:
    """Say whether a path pattern names a unit.

    With `strict`, as an allow needs it, only the resolved path counts; otherwise the path as
    written does too.
    """
    forms = [unit.resolved]
    if unit.relative is not None:
        forms.append(unit.relative)
    if not strict:
        forms.append(unit.written)
    compiled = _path_pattern(pattern)
    return any(compiled.fullmatch(form) for form in forms)


def command_matches(pattern: str, text: str) -> bool:
    """Say whether a command pattern names a command."""
    return _command_pattern(pattern).fullmatch(text) is not None


def any_run_matches(pattern: str, text: str) -> bool:
    """Say whether a pattern names any run of whole words of a text that nobody could split."""
    return _run_pattern(pattern).search(" ".join(text.split())) is not None


def escaped(text: str) -> str:
    """Return a command as a pattern that names only itself."""
    return re.sub(r"[*?\\]", lambda found: "\\" + found[0], text)


@lru_cache(_CACHED)
def _command_pattern(pattern: str) -> re.Pattern[str]:
    bare = pattern.endswith(" *") and not pattern.endswith("\\ *")
    body = pattern[:-2] if bare else pattern
    out: list[str] = []
    index = 0
    while index < len(body):
        char = body[index]
        if char == "\\" and index + 1 < len(body) and body[index + 1] in "*?\\":
            index += 1
            out.append(re.escape(body[index]))
        elif char == "*":
            out.append(".*")
        elif char == "?":
            out.append(".")
        else:
            out.append(re.escape(char))
        index += 1
    return re.compile("".join(out) + ("(?: .*)?" if bare else ""), re.DOTALL)


@lru_cache(_CACHED)
def _run_pattern(pattern: str) -> re.Pattern[str]:
    inner = _command_pattern(pattern).pattern
    # A run begins and ends where words do; one search instead of a match for every run.
    return re.compile(rf"(?:(?<=\s)|\A)(?=\S)(?:{inner})(?=\s|\Z)(?<=\S)", re.DOTALL)


@lru_cache(_CACHED)
def _path_pattern(pattern: str) -> re.Pattern[str]:
    body = pattern.rstrip("/") or "/"
    anywhere = "/" not in body
    out = _glob(body)
    if anywhere:
        out = f"(?:.*/)?{out}(?:/.*)?"
    return re.compile(out, re.DOTALL)


def _glob(body: str) -> str:
    out: list[str] = []
    index = 0
    while index < len(body):
        if body.startswith("**/", index):
            out.append("(?:.*/)?")
            index += 3
        elif body.startswith("**", index):
            out.append(".*")
            index += 2
        elif body[index] == "[" and (end := body.find("]", index + 2)) > 0:
            inner = body[index + 1 : end].replace("\\", "\\\\")
            if inner[0] == "!":
                inner = "^" + inner[1:]
            # A class of characters never crosses into another folder.
            out.append(f"(?!/)[{inner}]")
            index = end + 1
        else:
            out.append({"*": "[^/]*", "?": "[^/]"}.get(body[index], re.escape(body[index])))
            index += 1
    return "".join(out)
