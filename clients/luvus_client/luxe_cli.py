"""The `luxe` command line, which says that its engine is not part of this release."""

from __future__ import annotations

import sys

EXIT_NOT_HERE = 2

_HELP = """\
usage: luxe [--help] [--version]

Luxe is the coding agent of Luvus. Its engine is not part of this release, so this command can do
nothing yet. `luvus --help` shows what is there.
"""
_ABSENT = "luxe: the Luxe engine is not part of this release; see luxe --help\n"


def main(argv: list[str] | None = None) -> int:
    """Run the words of a command line and return the exit code."""
    words = sys.argv[1:] if argv is None else argv
    if words in (["--help"], ["-h"]):
        sys.stdout.write(_HELP)
        return 0
    if words in (["--version"], ["-V"]):
        from luvus_client.version import version

        sys.stdout.write(f"luxe {version()}\n")
        return 0
    sys.stderr.write(_ABSENT)
    return EXIT_NOT_HERE


if __name__ == "__main__":
    sys.exit(main())
