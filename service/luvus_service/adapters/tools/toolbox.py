"""The tools that are there now."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from luvus_service.adapters.tools.bash import BashTool
from luvus_service.adapters.tools.edit import EditTool
from luvus_service.adapters.tools.glob import GlobTool
from luvus_service.adapters.tools.grep import GrepTool
from luvus_service.adapters.tools.jobs import JobKillTool, JobOutputTool, Jobs
from luvus_service.adapters.tools.ls import ListTool
from luvus_service.adapters.tools.mcp import McpHub
from luvus_service.adapters.tools.mcp_config import ServerSpec
from luvus_service.adapters.tools.plan import FOLDER, PlanTool
from luvus_service.adapters.tools.question import QuestionTool
from luvus_service.adapters.tools.read import ReadTool
from luvus_service.adapters.tools.skills import Skill, SkillTool
from luvus_service.adapters.tools.subagent import TaskTool
from luvus_service.adapters.tools.todo import TodoTool
from luvus_service.adapters.tools.web_fetch import WebFetchTool
from luvus_service.adapters.tools.write import WriteTool
from luvus_service.luxe.domain.ports import ShellParser
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


@dataclass(frozen=True, slots=True)
class ToolChoices:
    """What the configuration and trust decided."""

    cwd: str
    secrets: Collection[str] = ()
    """Variables with keys of providers; no child sees them."""
    web_fetch: bool = False
    private_hosts: Collection[str] = ()
    """Hosts with private addresses that may be fetched all the same."""
    plan_folder: str = FOLDER
    skills: Sequence[Skill] = ()
    servers: Sequence[ServerSpec] = ()
    changed: Callable[[], None] = lambda: None
    """Called when MCP servers bring or take tools, and when a background job begins or ends."""


class LocalToolbox:
    """The tools of this machine, background jobs and MCP servers included."""

    def __init__(self, parser: ShellParser, choices: ToolChoices) -> None:
        """Nothing is started before `start`."""
        self._jobs = Jobs(choices.changed)
        self._hub = McpHub(choices.servers, cwd=choices.cwd, changed=choices.changed)
        tools: list[Tool] = [
            ReadTool(),
            WriteTool(),
            EditTool(),
            BashTool(parser, self._jobs, choices.secrets),
            JobOutputTool(self._jobs),
            JobKillTool(self._jobs),
            GrepTool(),
            GlobTool(),
            ListTool(),
            TodoTool(),
            QuestionTool(),
            PlanTool(choices.plan_folder),
            TaskTool(),
        ]
        if choices.web_fetch:
            tools.append(WebFetchTool(choices.private_hosts))
        if choices.skills:
            tools.append(SkillTool(choices.skills))
        self._tools = tuple(tools)

    @property
    def hub(self) -> McpHub:
        """The MCP servers and how they stand."""
        return self._hub

    @property
    def jobs(self) -> Jobs:
        """The background jobs."""
        return self._jobs

    def start(self) -> None:
        """Start the MCP servers in the background; needs the running loop."""
        self._hub.start()

    def tools(self) -> Sequence[Tool]:
        """Return them in the order the model is told of them."""
        return (*self._tools, *self._hub.tools())

    async def close(self) -> None:
        """End background jobs and MCP servers."""
        await asyncio.gather(self._jobs.close(), self._hub.close())
