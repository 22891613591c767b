"""The `luxe` command line: hands its words to the agent, in this very process's place."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Become the agent."""
    # The agent is part of the service, which this library does not import.
    words = [sys.executable, "-m", "luvus_service", "luxe", *sys.argv[1:]]
    os.execv(sys.executable, words)  # noqa: S606 - a fixed program, no shell


if __name__ == "__main__":
    main()
