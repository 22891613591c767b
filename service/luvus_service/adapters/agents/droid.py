"""Droid: no sessions that can be read."""

from __future__ import annotations

from dataclasses import dataclass

from luvus_service.adapters.agents.base import Adapter


@dataclass(slots=True)
class Droid(Adapter):
    """`droid`."""

    id: str = "droid"
    launch: str = "droid"
    guesses: bool = False
