"""Keeps the end of an output for the model, and all of it in a private file once it is long."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from luvus_service.luxe.domain.limits import OUTPUT_BYTES, OUTPUT_LINES

SPILL_BYTES = 32 * 1024 * 1024
"""Of one output in a file; what comes after is not kept."""
HEADER_BYTES = 1_024
"""Left free for the line that says what was cut."""


@dataclass(frozen=True, slots=True)
class Captured:
    """An output as the model gets it."""

    text: str
    truncated: bool = False
    path: str | None = None


class Capture:
    """One output being collected; at most twice `OUTPUT_BYTES` are held in memory."""

    def __init__(self, folder: Callable[[], str], name: str) -> None:
        """`folder` is asked for at the first byte too many."""
        self._folder = folder
        self._name = re.sub(r"[^\w.-]", "_", name)[:100] or "output"
        self._held = bytearray()
        self._descriptor: int | None = None
        self._path: str | None = None
        self._fault: str | None = None
        self._cut = False
        self.total = 0
        """Bytes that came."""

    @property
    def full(self) -> bool:
        """Whether more came than is kept anywhere."""
        return self.total > SPILL_BYTES

    def add(self, data: bytes) -> None:
        """Take more output."""
        before = self.total
        self.total += len(data)
        self._held += data
        if self.total > OUTPUT_BYTES and not self._cut:
            self._cut = True
            self._begin()
        elif self._descriptor is not None and before < SPILL_BYTES:
            self._write(data[: SPILL_BYTES - before])
        if len(self._held) > 2 * OUTPUT_BYTES:
            del self._held[:-OUTPUT_BYTES]

    def finish(self) -> Captured:
        """Return the end of the output and where all of it is; takes nothing more."""
        self._settle_lines()
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
        if not self._cut:
            return Captured(self._held.decode("utf-8", "replace"))
        room = OUTPUT_BYTES - HEADER_BYTES
        lines = self._held[-room:].decode("utf-8", "replace").split("\n")[-(OUTPUT_LINES - 1) :]
        where = f"; all of it is in {self._path}" if self._path else ""
        if self._fault is not None:
            where += f"; it could not be kept: {self._fault}"
        header = f"[{self.total} bytes came, this is the end of them{where}]\n"
        return Captured(header + "\n".join(lines), truncated=True, path=self._path)

    def _settle_lines(self) -> None:
        if not self._cut and self._held.count(b"\n") > OUTPUT_LINES:
            self._cut = True
            self._begin()

    def _begin(self) -> None:
        try:
            folder = Path(self._folder()) / "outputs"
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            for number in range(100):
                path = folder / f"{self._name}{f'-{number}' if number else ''}.txt"
                try:
                    self._descriptor = os.open(path, flags, 0o600)
                except FileExistsError:
                    continue
                self._path = str(path)
                break
        except OSError as fault:
            self._fault = fault.strerror or str(fault)
            return
        self._write(bytes(self._held[:SPILL_BYTES]))

    def _write(self, data: bytes) -> None:
        if self._descriptor is None:
            return
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(self._descriptor, view) :]
        except OSError as fault:
            self._fault = fault.strerror or str(fault)
            os.close(self._descriptor)
            self._descriptor = None
