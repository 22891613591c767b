"""Holds tests to names that are sentences, and unit tests to the place of the file they test.

`tests/unit/service/a/test_b.py` tests `service/luvus_service/a/b.py` (or the package `a/b`);
`test_b_and_more.py` is one of several files about the same `b`.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

MIN_WORDS = 3
MIRRORED = {
    "service": "service/luvus_service",
    "bridge": "bridge/luvus_bridge",
    "web": "web/luvus_web",
    "clients": "clients/luvus_client",
    "scripts": "scripts",
    "support": "tests/support",
}


def short_names(text: str) -> Iterator[str]:
    """Yield the names of the test functions in `text` that are too short to be a sentence."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            words = [word for word in node.name.split("_") if word]
            if words[:1] == ["test"] and len(words) - 1 < MIN_WORDS:
                yield node.name


def is_mirrored(root: Path, test: Path) -> bool:
    """Say whether the unit test at `test` (relative to tests/unit) has a source file."""
    if len(test.parts) == 1 or test.parts[0] not in MIRRORED:
        return len(test.parts) == 1
    folder = root / MIRRORED[test.parts[0]] / Path(*test.parts[1:-1])
    words = test.stem.removeprefix("test_").split("_")
    names = ["_".join(words[:count]) for count in range(1, len(words) + 1)]
    # `test_main_loop.py` may test `__main__.py`: the underscores are lost in a test's name.
    names += [f"_{name}" for name in names] + [f"__{name}__" for name in names]
    return any((folder / f"{name}.py").is_file() or (folder / name).is_dir() for name in names)


def complaints(root: Path) -> Iterator[str]:
    """Yield a sentence for each test that breaks a rule."""
    tests = root / "tests"
    for path in sorted(tests.rglob("test_*.py")):
        shown = path.relative_to(root).as_posix()
        for name in short_names(path.read_text(encoding="utf-8")):
            yield f"{shown}: {name} is not a sentence of {MIN_WORDS} words or more."
        if path.is_relative_to(tests / "unit") and not is_mirrored(
            root, path.relative_to(tests / "unit")
        ):
            yield f"{shown}: no source file stands at the same place; move or rename the test."


def main() -> int:
    """Print the tests that break a rule and return the exit status."""
    found = list(complaints(Path(__file__).resolve().parent.parent))
    print("\n".join(found) if found else "test names: all are sentences, unit tests mirror sources")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
