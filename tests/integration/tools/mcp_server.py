"""An MCP server of a few tools, run as a program by the tests."""

from __future__ import annotations

import os
import subprocess
import sys
import time

from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations

server = MCPServer("test")


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def add(a: int, b: int) -> str:
    """Add two numbers."""
    return str(a + b)


@server.tool(name="environment.names")
def environment_names() -> str:
    """Return the names of the variables it sees."""
    return " ".join(sorted(os.environ))


@server.tool()
def long_text() -> str:
    """Return a text that is too long."""
    return "x" * 200_000


@server.tool()
def broken() -> str:
    """Fail."""
    raise ValueError("out of order")


@server.tool()
def die() -> str:
    """End the server in the middle of a call."""
    os._exit(3)


@server.tool()
def hang() -> str:
    """Never answer."""
    time.sleep(600)
    return ""


if __name__ == "__main__":
    if "--with-child" in sys.argv:
        subprocess.Popen(["sleep", "8881"], start_new_session=True)
    if "--silent" in sys.argv:
        sys.stdin.read()
    server.run()
