"""Amp: its sessions are on a server."""

from __future__ import annotations

from dataclasses import dataclass

from luvus_service.adapters.agents.base import Adapter


@dataclass(slots=True)
class Amp(Adapter):
    """`amp`."""

    id: str = "amp"
    launch: str = "amp"
    guesses: bool = False
