"""Aider: no sessions to go on with."""

from __future__ import annotations

from dataclasses import dataclass

from luvus_service.adapters.agents.base import Adapter


@dataclass(slots=True)
class Aider(Adapter):
    """`aider`."""

    id: str = "aider"
    launch: str = "aider"
    guesses: bool = False
