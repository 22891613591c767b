"""The protocol's published schemas and example lines, where a checkout has them beside it.

They are data of others and no part of this repository: tests that need them skip without them.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
VARIABLE = "LUVUS_REFERENCE"
_FOLDERS = (os.environ.get(VARIABLE), REPOSITORY.parent / "shared" / "reference" / "uhp")
FOLDER = next((Path(f) for f in _FOLDERS if f and Path(f).is_dir()), None)

needs_reference = pytest.mark.skipif(
    FOLDER is None, reason=f"no reference data; name its folder in {VARIABLE}"
)


def lines(path: str) -> list[bytes]:
    """Return the lines of a fixture file under `v1`."""
    assert FOLDER is not None
    return (FOLDER / "v1" / path).read_bytes().splitlines()


def schema(path: str) -> dict[str, Any]:
    """Return a schema under `v1`."""
    assert FOLDER is not None
    return dict(json.loads((FOLDER / "v1" / path).read_text()))
