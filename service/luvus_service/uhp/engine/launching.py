"""What is started in a new pane: which program, where, with which environment and size."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from luvus_service.uhp.domain.ports import SpawnSpec


@dataclass(frozen=True, slots=True)
class Launcher:
    """The fixed part of every start."""

    shell: tuple[str, ...]
    """The user's shell and its arguments."""
    home: str
    environment: Callable[[int], Mapping[str, str]]
    """The whole environment of a program in the pane of this id."""

    def spec(
        self,
        pane: int,
        terminal_id: str,
        *,
        cwd: str,
        command: tuple[str, ...] | None,
        size: tuple[int, int],
    ) -> SpawnSpec:
        """Return what the pty host is to start; None as command is the user's shell."""
        return SpawnSpec(
            terminal_id=terminal_id,
            argv=command or self.shell,
            cwd=cwd,
            env=self.environment(pane),
            cols=size[0],
            rows=size[1],
        )
