"""`python -m tests.oracle [REF]`: xterm.js on real programs, and alacritty's recordings if given.

REF is the folder `alacritty_terminal/tests/ref` of a checkout of alacritty. xterm.js is installed
below `.cache/` once.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.oracle import programs, recordings

CACHE = Path(__file__).resolve().parents[2] / ".cache" / "oracle"
PACKAGES = ("@xterm/headless@6.0.0", "@xterm/addon-unicode11@0.9.0")


def main(words: list[str]) -> int:
    """Run the comparisons and print the differences."""
    CACHE.mkdir(parents=True, exist_ok=True)
    if not (CACHE / "node_modules" / "@xterm" / "headless").exists():
        install = ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(CACHE), *PACKAGES]
        subprocess.run(install, check=True, timeout=300)
    programs.compare(CACHE)
    if words:
        recordings.compare(Path(words[0]))
    return 0


sys.exit(main(sys.argv[1:]))
