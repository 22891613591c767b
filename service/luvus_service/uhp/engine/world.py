"""What the session needs of the outside, as one value that `main` fills in."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field

from luvus_service.uhp.domain import ports
from luvus_service.uhp.domain.dashboard import Dashboard, NoDashboard
from luvus_service.uhp.engine.launching import Launcher


@dataclass(slots=True)
class World:
    """What the session needs of the outside, introduced by `main`."""

    host: ports.PtyHost
    make_emulator: ports.EmulatorFactory
    processes: ports.ProcessTable
    git: ports.Git
    clock: ports.Clock
    launcher: Launcher
    executor: Executor
    set_size: Callable[[int, int, int], None]
    """Tells the kernel the size of a terminal: (descriptor, cols, rows)."""
    stop: Callable[[], None] = field(default=lambda: None)
    """Asks for the orderly end of the server."""
    storage: str = ""
    """Folder for what clients send as files, made when first needed; empty for none."""
    dashboard: Dashboard = field(default_factory=NoDashboard)
    """Serves browsers when asked to."""
