"""Builds the world of a session: the adapters behind the ports of the agent's engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import random
from typing import Any

from luvus_service.adapters.clock import SystemClock
from luvus_service.adapters.instructions import Instructions
from luvus_service.adapters.project import LocalProject
from luvus_service.adapters.providers.config import configured
from luvus_service.adapters.rule_files import RuleFiles
from luvus_service.adapters.session_files import FileStore
from luvus_service.adapters.tools.environment import child_environment
from luvus_service.adapters.tools.paths import ProjectPaths
from luvus_service.adapters.tools.toolbox import FixedToolbox
from luvus_service.adapters.warden import MARK
from luvus_service.luxe.domain.permission_units import PathUnit
from luvus_service.luxe.domain.permissions import Policy, Rule, judge
from luvus_service.luxe.domain.ports import Provider
from luvus_service.luxe.domain.store_ports import SessionStore
from luvus_service.luxe.domain.tool_ports import Toolbox
from luvus_service.luxe.engine.world import Equipment, World, nothing_to_warm
from luvus_service.luxe_wiring.equipment import Need, equipped
from luvus_service.luxe_wiring.places import Places

WARNINGS = 100
"""Kept before anybody can be told."""


class Warnings:
    """What is wrong with the user's and the project's files, each said once."""

    def __init__(self) -> None:
        self._said: dict[str, None] = {}
        self._tell: Callable[[str], None] | None = None

    def __call__(self, text: str) -> None:
        """Say it to the client, at once or when there is one."""
        if text in self._said or len(self._said) >= WARNINGS:
            return
        self._said[text] = None
        if self._tell is not None:
            self._tell(text)

    def to(self, tell: Callable[[str], None]) -> None:
        """Tell this from here on, and what was kept until now."""
        self._tell = tell
        for text in self._said:
            tell(text)


class Changes:
    """Tells the session that its tools changed, once there is a session."""

    def __init__(self) -> None:
        self._tell: Callable[[], None] = lambda: None

    def __call__(self) -> None:
        """Say so."""
        self._tell()

    def to(self, tell: Callable[[], None]) -> None:
        """Tell this from here on."""
        self._tell = tell


@dataclass(frozen=True, slots=True)
class Outside:
    """What a session's world is made of."""

    places: Places
    environment: Mapping[str, str] = field(repr=False)
    extra: Sequence[str] = ()
    """Folders that count as inside the project."""
    trusted: bool = False
    servers: Sequence[Mapping[str, Any]] = ()
    """MCP servers that an editor brings."""
    web_fetch: bool = False
    plan_folder: str | None = None
    store: SessionStore | None = None
    """None for the files below Luxe's own folder."""
    providers: Sequence[Provider] | None = None
    """None for the configured ones."""
    toolbox: Toolbox | None = None


def built(outside: Outside, warn: Warnings, changed: Changes) -> World:
    """Return the world of one session; nothing is started and the network is not asked."""
    where, environment = outside.places, outside.environment
    home = where.home
    rules = RuleFiles(*where.rules, warn=warn)
    paths = ProjectPaths(
        str(where.root),
        where.cwd,
        home=environment.get("HOME") or "/",
        extra=list(outside.extra),
        protected=[str(home)],
        env_allowed=rules.env_allowed(),
    )
    found = configured(home, environment)
    for fault in found.faults:
        warn(fault)
    instructions = Instructions(
        home,
        where.root,
        Path(where.cwd),
        lambda path: paths.locate(path, "read").private,
    )
    tools = (
        None
        if outside.toolbox is not None
        else equipped(
            Need(
                home=home,
                root=where.root,
                cwd=where.cwd,
                secrets=found.secret_variables,
                trusted=outside.trusted,
                web_fetch=outside.web_fetch,
                servers=outside.servers,
                plan_folder=outside.plan_folder,
            ),
            warn,
            changed,
        )
    )
    return World(
        providers=outside.providers if outside.providers is not None else found.providers,
        toolbox=outside.toolbox or (tools.toolbox if tools else FixedToolbox()),
        equipment=tools.shown if tools else Equipment,
        start=tools.toolbox.start if tools else _nothing,
        store=outside.store or FileStore(home / "sessions"),
        paths=paths,
        project=LocalProject(paths, lambda unit: denied(unit, rules.rules())),
        rules=rules,
        clock=SystemClock(),
        instructions=instructions,
        beside=instructions.beside,
        reread=instructions.again,
        environment={
            **child_environment(environment, found.secret_variables),
            **({MARK: tools.toolbox.warden.mark} if tools else {}),
        },
        random=random,
        warm=found.http.warm if outside.providers is None else nothing_to_warm,
    )


def denied(unit: PathUnit, rules: Sequence[Rule]) -> bool:
    """Say whether a rule of a file denies reading something, whoever asks."""
    return judge(unit, Policy(rules=tuple(rules))).verdict == "deny"


def _nothing() -> None:
    return
