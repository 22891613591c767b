"""Installs the agents, drives each, and prints one table.

`python -m tests.agents [--only NAME,NAME] [--record FOLDER] [--keep]`; 1 when a step failed.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.agents.driving import STEPS, drive
from tests.agents.installing import installed
from tests.agents.kinds import KINDS, Kind


def main() -> int:
    """Drive the agents; 1 when a step failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.agents", description=__doc__)
    parser.add_argument("--only", metavar="NAMES", help=",".join(kind.name for kind in KINDS))
    parser.add_argument("--record", type=Path, help="a folder for the screens of each step")
    parser.add_argument("--keep", action="store_true", help="keep the private homes")
    options = parser.parse_args()
    wanted = None if options.only is None else set(options.only.split(","))
    rows: list[tuple[Kind, Mapping[str, str]]] = []
    for kind in KINDS:
        if wanted is not None and kind.name not in wanted:
            continue
        print(f"{kind.name} {kind.version} ...", flush=True)
        try:
            programs = installed(kind)
        except (OSError, subprocess.SubprocessError) as error:
            rows.append((kind, {"start": f"not installed: {error}"}))
            continue
        rows.append((kind, drive(kind, programs, options.record, keep=options.keep)))
    print("\n".join(table(rows)))
    return 0 if all(set(found.values()) <= PASSED for _, found in rows) else 1


PASSED = {"ok", "not supported"}


def table(rows: list[tuple[Kind, Mapping[str, str]]]) -> list[str]:
    """Return the results as lines: one row an agent, and below it why steps failed."""
    heads = ("agent", "version", *STEPS)
    lines = [" ".join(f"{head:<9}" for head in heads)]
    for kind, found in rows:
        short = {"ok": "ok", "not supported": "-"}
        cells = [short.get(found.get(step, ""), "FAILED") for step in STEPS]
        lines.append(" ".join(f"{cell:<9}" for cell in (kind.name, kind.version, *cells)))
    for kind, found in rows:
        reasons = {step: text for step, text in found.items() if text not in PASSED}
        lines += [f"{kind.name} {step}: {text}" for step, text in reasons.items()]
    return lines


if __name__ == "__main__":
    sys.exit(main())
