"""Recordings of real programs, and the two emulators to run them on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from luvus_service.adapters.emulator.factory import Emulators
from luvus_service.uhp.domain.ports import Emulator
from tests.unit.service.adapters.emulator.support import HISTORY_BYTES, Make

RECORDINGS = {"vim": (80, 24), "shell": (80, 24), "htop": (100, 30)}


@pytest.fixture
def make() -> Iterator[Make]:
    """Make emulators by name, closed at the end of the test."""
    emulators = Emulators()
    made: list[Emulator] = []

    def build(
        name: str = "ghostty", cols: int = 80, rows: int = 24, history_bytes: int = HISTORY_BYTES
    ) -> Emulator:
        emulator = emulators(cols, rows, history_bytes=history_bytes, fallback=name == "avt")
        assert emulator.name == name
        made.append(emulator)
        return emulator

    yield build
    for emulator in made:
        emulator.close()


@pytest.fixture(params=["ghostty", "avt"])
def emulator(request: pytest.FixtureRequest, make: Make) -> Emulator:
    """Return an empty terminal of each kind."""
    name: str = request.param
    return make(name)


@pytest.fixture(params=list(RECORDINGS))
def recording(request: pytest.FixtureRequest) -> tuple[bytes, int, int]:
    """Return the output of a real program with the size it was recorded at."""
    name: str = request.param
    data = (Path(__file__).parent / "recordings" / f"{name}.bin").read_bytes()
    return data, *RECORDINGS[name]
