"""The emulator fuzzer for a while, on seeds that no run before has used."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.soak.verdict import Verdict

SHARES = (("ghostty", 0.7), ("avt", 0.3))
GRACE_S = 120.0
"""The last seed may run longer than the time that was asked for."""
PROGRAM = Path(__file__).parent / "fuzz_emulator.py"


def run(seconds: float, seed: int) -> Verdict:
    """Fuzz both emulators."""
    found = Verdict()
    for name, share in SHARES:
        limit = seconds * share
        done = subprocess.run(
            [sys.executable, str(PROGRAM), str(limit), str(seed), name],
            check=False,
            capture_output=True,
            text=True,
            timeout=limit + GRACE_S,
        )
        lines = done.stdout.strip().splitlines()
        found.note({f"{name} from seed {seed}": lines[-1] if lines else "nothing"})
        if done.returncode:
            found.faults += [f"{name}: {line}" for line in [*lines[:-1], done.stderr[-2000:]]]
    return found
