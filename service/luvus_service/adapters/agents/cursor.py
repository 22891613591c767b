"""Cursor: it resumes a session whose id its user or integration knows."""

from __future__ import annotations

from dataclasses import dataclass

from luvus_service.adapters.agents.base import Adapter


@dataclass(slots=True)
class Cursor(Adapter):
    """`cursor-agent`."""

    id: str = "cursor"
    launch: str = "cursor-agent"
    aliases: tuple[str, ...] = ("cursor-agent",)
    resume: tuple[str, ...] = ("cursor-agent", "--resume", "{id}")
    guesses: bool = False
