"""The tools of a session with what stands beside them: skills, MCP servers, background jobs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from luvus_service.adapters.shell_units import BashParser
from luvus_service.adapters.tools.mcp_config import ServerSpec, configured_servers
from luvus_service.adapters.tools.plan import FOLDER
from luvus_service.adapters.tools.skills import PROJECT_FOLDERS, find_skills
from luvus_service.adapters.tools.toolbox import LocalToolbox, ToolChoices
from luvus_service.adapters.warden import Warden
from luvus_service.luxe.domain.limits import TITLE_CHARS
from luvus_service.luxe.domain.project_events import BackgroundJob, McpServer, Skill
from luvus_service.luxe.domain.tool_ports import Tool
from luvus_service.luxe.engine.ids import timestamp
from luvus_service.luxe.engine.world import Equipment

_STANDING: Mapping[str, Literal["starting", "ready", "failed", "disabled"]] = {
    "starting": "starting",
    "ready": "ready",
    "failed": "failed",
    "stopped": "disabled",
}


@dataclass(frozen=True, slots=True)
class Need:
    """What the tools depend on."""

    home: Path
    root: Path
    cwd: str
    secrets: Collection[str]
    trusted: bool
    web_fetch: bool
    servers: Sequence[Mapping[str, Any]]
    plan_folder: str | None = None
    """None for the usual one."""


class WatchedToolbox:
    """The tools of this machine, whose programs do not outlive a killed agent."""

    def __init__(self, tools: LocalToolbox) -> None:
        self.local = tools
        self.warden = Warden()

    def tools(self) -> Sequence[Tool]:
        """Return them in the order the model is told of them."""
        return self.local.tools()

    def start(self) -> None:
        """Start what outlives calls."""
        self.warden.start()
        self.local.start()

    async def close(self) -> None:
        """End everything that outlives calls."""
        try:
            await self.local.close()
        finally:
            await asyncio.to_thread(self.warden.close)


@dataclass(frozen=True, slots=True)
class Tools:
    """The toolbox, and what is shown beside it."""

    toolbox: WatchedToolbox
    skills: tuple[Skill, ...]
    untrusted: tuple[str, ...]

    def shown(self) -> Equipment:
        """Return how everything stands."""
        servers = [
            McpServer(s.spec.name, _STANDING[s.state], s.reason, len(s.tools))
            for s in self.toolbox.local.hub.servers
        ]
        servers += [McpServer(name, "untrusted", None, 0) for name in self.untrusted]
        jobs = tuple(
            BackgroundJob(
                job.name, job.command[:TITLE_CHARS], job.standing(), timestamp(job.started)
            )
            for job in self.toolbox.local.jobs.listed()
        )
        return Equipment(mcp=tuple(servers), skills=self.skills, background=jobs)


def equipped(need: Need, warn: Callable[[str], None], changed: Callable[[], None]) -> Tools:
    """Return the tools; nothing is started."""
    found = configured_servers(
        str(need.home / "mcp.toml"), str(need.root), lambda _path, _sha256: need.trusted
    )
    for fault in found.faults:
        warn(fault)
    for path in found.untrusted:
        warn(f"{path} is not used: the project is not trusted; see luxe trust")
    own = [str(need.home / "skills")]
    theirs = [str(need.root / folder) for folder in PROJECT_FOLDERS] if need.trusted else []
    skills = find_skills([*own, *theirs])
    choices = ToolChoices(
        cwd=need.cwd,
        secrets=need.secrets,
        web_fetch=need.web_fetch,
        plan_folder=need.plan_folder or FOLDER,
        skills=skills,
        servers=(*found.servers, *(_brought(server) for server in need.servers)),
        changed=changed,
    )
    home = str(need.home)
    shown = tuple(
        Skill(s.name, s.description, s.path, "user" if s.path.startswith(home) else "project")
        for s in skills
    )
    return Tools(WatchedToolbox(LocalToolbox(BashParser(), choices)), shown, found.untrusted)


def _brought(server: Mapping[str, Any]) -> ServerSpec:
    """Return a server that an editor brings; whoever runs the editor is the user."""
    if server.get("url"):
        headers = {item["name"]: item["value"] for item in server.get("headers") or ()}
        return ServerSpec(server["name"], "user", url=server["url"], headers=headers)
    env = {item["name"]: item["value"] for item in server.get("env") or ()}
    args = tuple(server.get("args") or ())
    return ServerSpec(server["name"], "user", command=server["command"], args=args, env=env)
