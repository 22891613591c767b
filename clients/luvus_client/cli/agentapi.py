"""`luvus agentapi`: serves one agent over HTTP until it is stopped or its pane closes."""

from __future__ import annotations

import argparse
import asyncio
import os
from typing import TYPE_CHECKING, Any

from luvus_client.cli import show
from luvus_client.cli.usage import EXIT_FAILED, EXIT_OK, UsageError

if TYPE_CHECKING:
    from luvus_client.cli.context import Context

USAGE = "usage: luvus agentapi PANE [--port N]"
PORT = 3284
"""Where clients of the contract look when they are not told."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> Any:
        raise UsageError(f"{message}\n{USAGE}")


def serve(context: Context, words: list[str]) -> int:
    """Run `luvus agentapi PANE [--port N]`; PANE is a pane's id or an agent's alias or kind."""
    parser = _Parser(prog="luvus agentapi", add_help=False, allow_abbrev=False)
    parser.add_argument("pane")
    parser.add_argument("--port", type=int, default=PORT)
    options = parser.parse_args(words)
    if not 0 <= options.port <= 65_535:
        raise UsageError(f"{options.port} is no port; use 0 (any) to 65535")
    from luvus_client.agentapi.server import serve as serve_pane
    from luvus_client.async_caller import AsyncCaller

    pane = str(context.caller().call("agent.get", {"target": options.pane})["pane"])
    caller = AsyncCaller(
        context.session, token_file=context.token_file, token_env=context.token_env
    )

    def started(port: int) -> None:
        url = f"http://localhost:{port}"
        show.line({"type": "agentapi", "pane": pane, "url": url}, indented=False)

    try:
        stopped = asyncio.run(serve_pane(caller, pane, options.port, started))
    except OSError as error:
        why = os.strerror(error.errno or 0)
        raise UsageError(f"cannot listen on port {options.port}: {why}") from error
    return EXIT_OK if stopped else EXIT_FAILED
