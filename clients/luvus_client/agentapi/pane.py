"""The agent of one pane as the session tells of it, and the ways to type to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, cast

from luvus_client.errors import NotFound

if TYPE_CHECKING:
    from luvus_client.calling import AsyncCaller

READ_LINES = 1000
TURN_S = 30.0
"""How long an agent that shows nothing at all counts as at its turn.

From then on its status alone decides; one that works is seen working long before.
"""


class State(NamedTuple):
    """How the agent is doing."""

    agent: str
    ready: bool
    """Whether a prompt would be accepted now."""
    why: str
    """What the agent does instead, for people."""


class NoAgent(Exception):
    """The pane has no agent now."""


class PaneAgent:
    """One pane; the same one even when its alias goes to another."""

    def __init__(self, caller: AsyncCaller, pane: str) -> None:
        self._caller = caller
        self.pane = pane

    async def state(self) -> State:
        """Return how the agent is doing now.

        Raises:
            NoAgent: There is none.
            ClientError: The session cannot be asked.
        """
        try:
            found = await self._caller.call("agent.explain", {"pane": self.pane})
        except NotFound as error:
            raise NoAgent(f"pane {self.pane} is closed") from error
        agent = found.get("agent")
        if not found["available"] or not agent:
            raise NoAgent(f"pane {self.pane} has no agent")
        status = found["status"]
        evidence = cast("dict[str, Any]", found.get("state_evidence") or {})
        hint = evidence.get("blocked_hint")
        if status == "blocked" or hint:
            return State(agent, ready=False, why=f"the agent asks {hint or 'something'!r}")
        ready = status in ("idle", "done")
        return State(agent, ready=ready, why="" if ready else f"the agent is {status}")

    async def screen(self) -> str:
        """Return the newest lines of the pane."""
        found = await self._caller.call("pane.read", {"pane": self.pane, "lines": READ_LINES})
        return str(found["text"])

    async def prompt(self, text: str) -> None:
        """Submit a prompt; return when its turn is over, or the agent's status tells the rest.

        Raises:
            LuvusError: It was refused, and nothing was sent; or the pane closed meanwhile.
        """
        params: dict[str, object] = {
            "target": self.pane,
            "text": text,
            "wait": True,
            "timeout_s": TURN_S,
        }
        await self._caller.call("agent.prompt", params)

    async def keys(self, text: str) -> None:
        """Type characters as they are, without Enter."""
        await self._caller.call("pane.send_input", {"pane": self.pane, "text": text})
