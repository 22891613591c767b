"""`luvus web`: turns the dashboard on and opens it in a browser.

The login link never becomes an argument of a program, where every process of this machine could
read it: the browser is given a private file that leads there.
"""

from __future__ import annotations

import argparse
import html
import os
import sys
import webbrowser
from pathlib import Path
from typing import Any

from luvus_client.cli import show
from luvus_client.cli.context import Context
from luvus_client.cli.usage import EXIT_OK, UsageError

FILE = "open-dashboard.html"
_PAGE = """<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={link}">
<title>Luvus</title>
<p><a href="{link}">Open the dashboard</a></p>
"""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> Any:
        raise UsageError(f"{message}\nusage: luvus web [--port N] [--read-only] [--print]")


def open_dashboard(context: Context, words: list[str]) -> int:
    """Run `luvus web [--port N] [--read-only] [--print]`."""
    parser = _Parser(prog="luvus web", add_help=False)
    parser.add_argument("--port", type=int)
    parser.add_argument("--read-only", action="store_true")
    parser.add_argument("--print", action="store_true")
    options = parser.parse_args(words)
    params: dict[str, object] = {"read_only": bool(options.read_only)}
    if options.port is not None:
        params["port"] = options.port
    answer = context.caller().call("web.start", params)
    link = str(answer["link"])
    if options.print or not _opened(Path(context.endpoint().socket_path).parent, link):
        show.write(f"{link}\n")
        show.write("The link logs one browser in, once, within a minute.\n")
    else:
        show.write(f"{answer['url']} is open in your browser.\n")
    return EXIT_OK


def _opened(folder: Path, link: str) -> bool:
    if not _has_display():
        return False
    page = folder / FILE
    page.unlink(missing_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    with os.fdopen(os.open(page, flags, 0o600), "w", encoding="utf-8") as file:
        file.write(_PAGE.format(link=html.escape(link)))
    return webbrowser.open(page.as_uri())


def _has_display() -> bool:
    # Without one, `webbrowser` would start a text browser in this very terminal.
    return sys.platform == "darwin" or bool(
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )
