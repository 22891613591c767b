"""`python -m luvus_service.codegen [--check]`: writes everything that follows from the methods."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from luvus_service import __version__
from luvus_service.asgi.status import OF_KIND
from luvus_service.codegen.files import generated_files, stale_files, write_files
from luvus_service.luxe_wiring.described import agent_api
from luvus_service.uhp.catalogue import catalogue

ROOT = Path(__file__).resolve().parents[3]
SERVER_SENT = {"events": "events.subscribe"}


def main(words: list[str] | None = None) -> int:
    """Write the generated files, or with `--check` only say which are stale."""
    parser = argparse.ArgumentParser(prog="luvus_service.codegen", description=main.__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if stale")
    parser.add_argument("--root", type=Path, default=ROOT, help="the repository's top folder")
    asked = parser.parse_args(words)
    root: Path = asked.root
    if not (root / "clients" / "luvus_client").is_dir():
        sys.stderr.write(f"{root} is no checkout of the repository; name one with --root\n")
        return 2
    files = generated_files(
        catalogue(),
        __version__,
        status_of_kind=OF_KIND,
        server_sent=SERVER_SENT,
        agents=agent_api(),
    )
    stale = stale_files(root, files) if asked.check else write_files(root, files)
    for path in stale:
        sys.stdout.write(f"{'stale' if asked.check else 'written'}: {path}\n")
    if stale and asked.check:
        sys.stderr.write("run `python -m luvus_service.codegen` and commit what it writes\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
