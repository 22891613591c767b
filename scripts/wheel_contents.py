"""Looks into a built wheel: the four packages, their data files, and nothing else at the top.

The checkout is the measure: a file that git tracks in a package and that the wheel lacks was
forgotten in the build configuration.
"""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Collection, Iterator
from pathlib import Path

PACKAGES = {
    "luvus_service": "service",
    "luvus_bridge": "bridge",
    "luvus_web": "web",
    "luvus_client": "clients",
}


def complaints(packed: Collection[str], tracked: Collection[str]) -> Iterator[str]:
    """Yield a sentence for each file that is too much in the wheel or missing from it.

    `tracked` holds the packages' files relative to their top-level folder.
    """
    tops = {name.partition("/")[0] for name in packed}
    for top in sorted(tops):
        if top not in PACKAGES and not top.endswith(".dist-info"):
            yield f"{top} at the top of the wheel may overwrite another project's files."
    for package in PACKAGES:
        if f"{package}/py.typed" not in packed:
            yield f"{package}/py.typed is missing: type checkers would ignore the annotations."
    if "luvus_web/static/index.html" not in packed:
        yield "luvus_web/static/index.html is missing: the dashboard would have no pages."
    for name in sorted(set(tracked) - set(packed)):
        yield f"{name} is tracked by git and missing from the wheel."
    for name in sorted(packed):
        if name.endswith((".pyc", ".orig", ".rej", ".swp")) or "/node_modules/" in name:
            yield f"{name} is in the wheel by accident."


def tracked_files(root: Path) -> set[str]:
    """Return the packages' files that git tracks, or an empty set outside a checkout."""
    folders = [f"{folder}/{package}" for package, folder in PACKAGES.items()]
    listing = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-z", "--", *folders],
        capture_output=True,
        text=True,
        check=False,
    )
    if listing.returncode != 0:
        return set()
    names = [name for name in listing.stdout.split("\0") if name and (root / name).is_file()]
    return {name.partition("/")[2] for name in names}


def main(wheel: str) -> int:
    """Print what is wrong with the wheel at this path and return the exit status."""
    with zipfile.ZipFile(wheel) as archive:
        packed = archive.namelist()
    found = list(complaints(packed, tracked_files(Path(__file__).resolve().parent.parent)))
    print("\n".join(found) if found else f"wheel: {len(packed)} files, as tracked")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
