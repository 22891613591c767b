"""The protocol's published schemas and example lines, when they lie beside the repository.

They are no part of the project; tests that need them skip on a machine that has none.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
VARIABLE = "LUVUS_REFERENCE"
FOLDER = Path(os.environ.get(VARIABLE) or REPOSITORY.parent / "shared" / "reference" / "uhp")

needs_reference = pytest.mark.skipif(
    not FOLDER.is_dir(), reason="the protocol's reference data is not beside the repository"
)


def lines(name: str) -> list[bytes]:
    """Return the lines of a fixture file; none where there is no reference data."""
    path = FOLDER / "v1" / name
    return path.read_bytes().splitlines() if path.exists() else []


def schema(name: str) -> dict[str, Any]:
    """Return a schema document."""
    return dict(json.loads((FOLDER / "v1" / name).read_text(encoding="utf-8")))


def documents() -> list[dict[str, Any]]:
    """Return all schema documents that have an id."""
    found = [json.loads(p.read_text("utf-8")) for p in sorted(FOLDER.rglob("*.schema.json"))]
    return [document for document in found if "$id" in document]
