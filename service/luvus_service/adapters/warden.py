"""A tiny process that outlives a killed agent just long enough to end what its tools started.

It waits for the end of a pipe that only the agent holds, then ends every process whose
environment carries the agent's mark. Needs /proc; elsewhere the tools' own cleaning up is all.
"""

from __future__ import annotations

import os
import subprocess
import uuid
from contextlib import suppress
from pathlib import Path
from typing import Final

MARK: Final = "LUXE_OWNER"
"""The variable that every program of a session carries."""
END_S: Final = 2.0

# A process may start another one while it is being ended, so it looks twice.
_SCRIPT: Final = """\
trap '' HUP INT TERM
read -r nothing
for round in 1 2; do
  for found in $(grep -lzs "^$1=$2\\$" /proc/[0-9]*/environ); do
    pid=${found#/proc/}
    kill -9 "${pid%/environ}"
  done
done
"""


class Warden:
    """Watches over one session's programs."""

    def __init__(self) -> None:
        self.mark = uuid.uuid4().hex
        self._pipe: int | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Begin to watch; does nothing where it cannot help."""
        if not Path("/proc/self/environ").exists():
            return
        read_end, self._pipe = os.pipe()
        try:
            self._process = subprocess.Popen(
                ["/bin/sh", "-c", _SCRIPT, "luxe-warden", MARK, self.mark],
                stdin=read_end,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env={"PATH": os.defpath},
                start_new_session=True,
            )
        except OSError:
            os.close(self._pipe)
            self._pipe = None
        finally:
            os.close(read_end)

    def close(self) -> None:
        """Let it end what is left, and itself; blocking, bounded."""
        if self._pipe is not None:
            os.close(self._pipe)
            self._pipe = None
        if self._process is not None:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(END_S)
            if self._process.poll() is None:
                self._process.kill()
                self._process.wait()
            self._process = None
