"""`python -m luvus_service start | restart | serve`: the launcher, and what the pty host runs."""

from __future__ import annotations

import sys

from luvus_service.settings import quick_imports


def main() -> int:
    """Run the command named first; each imports only what it needs."""
    words = sys.argv[1:]
    if words[:1] == ["serve"]:
        with quick_imports():
            from luvus_service.main import serve
        return serve(words[1:])
    from luvus_service.launch import main as launch

    return launch(words)


if __name__ == "__main__":
    sys.exit(main())
