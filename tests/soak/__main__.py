"""Runs a long time under load and tells what broke.

`python -m tests.soak [--minutes M] [--only PART,PART] [--seed N]`; each part takes M minutes.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable

from tests.soak import cycles, floods, fuzzing, kills
from tests.soak.verdict import Verdict

PARTS: dict[str, Callable[[float, int], Verdict]] = {
    "fuzz": fuzzing.run,
    "kills": kills.run,
    "flood": floods.run,
    "cycles": cycles.run,
}
MINUTES = 2.5


def main() -> int:
    """Run the parts; 1 when one of them found a fault."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=MINUTES, help="of each part")
    parser.add_argument("--only", metavar="PARTS", help=f"some of {','.join(PARTS)}")
    parser.add_argument("--seed", type=int, default=int(time.time()) % 1_000_000_000)
    options = parser.parse_args()
    names = list(PARTS) if options.only is None else options.only.split(",")
    if unknown := [name for name in names if name not in PARTS]:
        parser.error(f"no part is called {unknown[0]!r}; there are {', '.join(PARTS)}")
    faults = 0
    for name in names:
        print(f"{name}, {options.minutes:g} minutes, seed {options.seed}", flush=True)
        found = PARTS[name](options.minutes * 60, options.seed)
        print("\n".join(found.lines()), flush=True)
        faults += len(found.faults)
    print(f"{faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
