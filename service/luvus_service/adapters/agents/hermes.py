"""Hermes: its plugin tells which session is which."""

from __future__ import annotations

from dataclasses import dataclass

from luvus_service.adapters.agents.base import Adapter


@dataclass(slots=True)
class Hermes(Adapter):
    """`hermes`."""

    id: str = "hermes"
    launch: str = "hermes"
    aliases: tuple[str, ...] = ("hermes-agent",)
    resume: tuple[str, ...] = ("hermes", "--resume", "{id}")
    guesses: bool = False
