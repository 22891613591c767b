"""`python -m luvus_service start | restart | serve | luxe`: launcher, server, coding agent."""

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
    if words[:1] == ["luxe"]:
        from luvus_service.luxe_main import main as luxe

        return luxe(words[1:])
    from luvus_service.launch import main as launch

    return launch(words)


if __name__ == "__main__":
    sys.exit(main())
