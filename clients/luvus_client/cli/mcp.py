"""`luvus mcp`: serves the session's agents to an MCP client over standard input and output."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from luvus_client.cli.usage import EXIT_OK, UsageError

if TYPE_CHECKING:
    from luvus_client.cli.context import Context


def serve(context: Context, words: list[str]) -> int:
    """Run `luvus mcp` until the client closes standard input."""
    if words:
        raise UsageError("usage: luvus mcp (it takes no arguments; --token-file comes before mcp)")
    from luvus_client.async_caller import AsyncCaller

    try:
        from luvus_client.mcp_server import build
    except ImportError as error:
        raise UsageError(
            "luvus mcp needs the package mcp, 2.3 or newer; install it with: "
            f"pip install 'luvus[mcp]' ({error})"
        ) from error
    caller = AsyncCaller(
        context.session, token_file=context.token_file, token_env=context.token_env
    )
    build(caller, _own_pane(caller.endpoint.socket_path)).run("stdio")
    return EXIT_OK


def _own_pane(socket_path: str) -> str | None:
    # A pane's variables speak of the server that it runs under, and of no other.
    if os.environ.get("LUVUS_SOCKET_PATH") != socket_path:
        return None
    return os.environ.get("LUVUS_PANE_ID")
