"""The tools that are there now."""

from __future__ import annotations

from collections.abc import Sequence

from luvus_service.luxe.domain.tool_ports import Tool


class FixedToolbox:
    """Tools that never change and leave nothing running."""

    def __init__(self, tools: Sequence[Tool] = ()) -> None:
        self._tools = tuple(tools)

    def tools(self) -> Sequence[Tool]:
        """Return them in the order the model is told of them."""
        return self._tools

    async def close(self) -> None:
        """Do nothing: nothing outlives a call."""
