"""The protocol's published schemas and example lines, when they lie beside the repository.

They are no part of the project; tests that need them skip on a machine that has none.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

REPOSITORY = Path(__file__).resolve().parents[2]
FOLDER = Path(
    os.environ.get("LUVUS_REFERENCE") or REPOSITORY.parent / "shared" / "reference" / "uhp"
)

needs_reference = pytest.mark.skipif(
    not FOLDER.is_dir(), reason="the protocol's reference data is not beside the repository"
)


def lines(name: str) -> list[str]:
    """Return the lines of a fixture file; none where there is no reference data."""
    path = FOLDER / "v1" / name
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def schema(name: str) -> dict[str, Any]:
    """Return a schema document."""
    return dict(json.loads((FOLDER / "v1" / name).read_text(encoding="utf-8")))


def registry() -> Registry[Any]:
    """Return all schema documents, found by their ids."""
    documents = [json.loads(p.read_text("utf-8")) for p in sorted(FOLDER.rglob("*.schema.json"))]
    found: Registry[Any] = Registry()
    return found.with_resources(
        (document["$id"], Resource.from_contents(document, default_specification=DRAFT202012))
        for document in documents
        if "$id" in document
    )
