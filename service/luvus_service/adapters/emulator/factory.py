"""Chooses the emulator: the native one, or the fallback when asked for or when it is missing."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final

from luvus_service.adapters.emulator.avt_terminal import AvtEmulator
from luvus_service.uhp.domain.ports import Emulator

_LOG: Final = logging.getLogger(__name__)


class Emulators:
    """Makes emulators; an `EmulatorFactory`."""

    def __init__(
        self, *, crash_on: bytes | None = None, warn: Callable[[str], None] | None = None
    ) -> None:
        """Look for the native emulator.

        `crash_on` makes the native emulator kill the process when these bytes are fed, for tests
        of recovery. `warn` is told once when the native emulator is missing.
        """
        self._crash_on = crash_on
        self.missing: str | None = None
        """Why the native emulator cannot be used, or None."""
        try:
            from luvus_service.adapters.emulator import ghostty
        except (ImportError, OSError, AttributeError) as error:
            self.missing = f"The native emulator cannot be loaded ({error}); using avt instead."
            (warn or _LOG.warning)(self.missing)
            self._native = None
        else:
            self._native = ghostty.GhosttyEmulator

    def __call__(
        self, cols: int, rows: int, *, history_bytes: int, fallback: bool = False
    ) -> Emulator:
        """Make an empty terminal of this size; `fallback` asks for the memory-safe one."""
        if fallback or self._native is None:
            return AvtEmulator(cols, rows, history_bytes=history_bytes)
        return self._native(cols, rows, history_bytes=history_bytes, crash_on=self._crash_on)


def make_emulator(cols: int, rows: int, *, history_bytes: int, fallback: bool = False) -> Emulator:
    """Make an empty terminal without a factory at hand."""
    return Emulators()(cols, rows, history_bytes=history_bytes, fallback=fallback)
