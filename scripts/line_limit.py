"""Holds files to 400 lines and functions to 60, with a list of exceptions that may only shrink.

Generated files (`# generated` in their first line) are exempt. The exceptions are in
line_limit.toml beside this file, each with its present size.
"""

from __future__ import annotations

import ast
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

FOLDERS = ("service", "bridge", "web", "clients", "tests", "scripts")
FILE_LINES = 400
FUNCTION_LINES = 60
SKIPPED = frozenset({"node_modules", "__pycache__", ".venv"})


def source_files(root: Path) -> Iterator[Path]:
    """Yield our own Python files below `root`, in order."""
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*.py")):
            if SKIPPED.isdisjoint(path.parts):
                yield path


def sizes(name: str, text: str) -> Iterator[tuple[str, int, int]]:
    """Yield (name, lines, limit) for a file and for each function in it."""
    lines = text.splitlines()
    if lines and lines[0].startswith("# generated"):
        return
    yield name, len(lines), FILE_LINES
    yield from _function_sizes(name + "::", ast.parse(text, name))


def _function_sizes(prefix: str, parent: ast.AST) -> Iterator[tuple[str, int, int]]:
    for node in ast.iter_child_nodes(parent):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from _function_sizes(prefix, node)
            continue
        if not isinstance(node, ast.ClassDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            yield prefix + node.name, length, FUNCTION_LINES
        yield from _function_sizes(f"{prefix}{node.name}.", node)


def complaints(
    measured: Mapping[str, tuple[int, int]], exceptions: Mapping[str, int]
) -> Iterator[str]:
    """Yield a sentence for each size over its limit and each exception that must shrink or go."""
    for name, (lines, limit) in measured.items():
        allowed = exceptions.get(name, limit)
        if lines > max(allowed, limit):
            yield f"{name} has {lines} lines, {max(allowed, limit)} are allowed: split it."
    for name, allowed in exceptions.items():
        lines, limit = measured.get(name, (0, 0))
        if lines <= limit:
            yield f"line_limit.toml lists {name}, which needs no exception any more: remove it."
        elif lines < allowed:
            yield f"line_limit.toml allows {name} {allowed} lines, it has {lines}: lower the entry."


def main() -> int:
    """Print what is too long and return the exit status."""
    root = Path(__file__).resolve().parent.parent
    listed = tomllib.loads((root / "scripts/line_limit.toml").read_text(encoding="utf-8"))
    measured: dict[str, tuple[int, int]] = {}
    for path in source_files(root):
        text = path.read_text(encoding="utf-8")
        for name, lines, limit in sizes(path.relative_to(root).as_posix(), text):
            previous = measured.get(name, (0, 0))
            # Overloads and property pairs share a name; the longest speaks for them.
            measured[name] = max(previous, (lines, limit))
    found = list(complaints(measured, listed["exceptions"]))
    print("\n".join(found) if found else f"line limits: {len(measured)} files and functions hold")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
