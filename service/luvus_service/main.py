"""Wires the service together and runs it; the only module that knows everybody.

The pty host starts this process with a connection and the session's lock. It binds the sockets,
finds the terminals again, and serves until it is told to stop.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import resource
import signal
import socket
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import orjson
import uvloop

from luvus_bridge.server import BridgeServer
from luvus_service import __version__
from luvus_service.adapters.agents.hooks import HookFiles
from luvus_service.adapters.agents.manifest_files import ManifestFiles
from luvus_service.adapters.agents.prices import PriceList
from luvus_service.adapters.agents.registry import adapters
from luvus_service.adapters.clock import SystemClock
from luvus_service.adapters.config_file import JsonConfigFile
from luvus_service.adapters.emulator.factory import Emulators
from luvus_service.adapters.git import GitProgram
from luvus_service.adapters.output_files import OwnerFiles
from luvus_service.adapters.processes import process_table
from luvus_service.adapters.ptyhost.client import HostGone, PtyHostClient
from luvus_service.adapters.ptyhost.winsize import set_size
from luvus_service.adapters.sockets import bind_owner_socket, remove_socket, same_user
from luvus_service.adapters.store.sqlite import SqliteStore
from luvus_service.adapters.theme_files import ThemeFiles
from luvus_service.asgi.agents import AgentRoutes
from luvus_service.asgi.app import build_app
from luvus_service.asgi.server import HttpServer
from luvus_service.asgi.sse import SseRoute
from luvus_service.asgi.status import OF_KIND
from luvus_service.asgi.types import App
from luvus_service.luxe_wiring.late import LateAgents
from luvus_service.rpc.dispatch import Dispatcher
from luvus_service.rpc.errors import Forbidden, LimitExceeded, NoSession, RpcError
from luvus_service.rpc.scopes import OWNER, Access, Scope, covers
from luvus_service.rpc.tokens import LONGEST_S, Tokens
from luvus_service.settings import Settings, SettingsError
from luvus_service.uhp.catalogue import WITHOUT_WORKSPACE, bind, catalogue
from luvus_service.uhp.domain.agents.stores import Price
from luvus_service.uhp.domain.dashboard import DashboardFailed, LoggedIn
from luvus_service.uhp.engine.agents.agents import Agents, AgentWorld
from luvus_service.uhp.engine.config import ConfigKeeper
from luvus_service.uhp.engine.launching import Launcher
from luvus_service.uhp.engine.persistence import Checkpoints
from luvus_service.uhp.engine.recording import Recordings
from luvus_service.uhp.engine.session import Session
from luvus_service.uhp.engine.world import World
from luvus_web.dashboard import Dashboard, PortTaken

_log = logging.getLogger(__name__)

FEEDERS = 2
"""Threads that emulate large pieces of output."""
BACKLOG = 256
STORAGE = "uploads"
"""Folder of a session for images and files that clients paste."""
DASHBOARD = "web.json"
"""File of a session that lets a new server take the dashboard over."""
STOP_GRACE_S = 1.0
"""How long calls under way may take when the server stops."""
SSE = {"events": SseRoute("events.subscribe", "after_sequence", "events.resync_required")}


class BridgeTraffic:
    """What the newline-JSON socket says about itself, in the terms of `uhp.stats`."""

    def __init__(self, bridge: BridgeServer) -> None:
        self._stats = bridge.stats

    def connections(self) -> dict[str, int]:
        """Return the figures of its connections."""
        names = ("active", "capacity", "accepted", "rejected", "initial_frame_timeouts")
        return {name: getattr(self._stats, name) for name in names}

    def requests(self) -> dict[str, int]:
        """Return the figures of its requests."""
        names = ("completed", "bytes_in", "bytes_out", "mean_latency_us")
        return {name: getattr(self._stats, name) for name in names}


class BrowserGrants:
    """Gives each logged-in browser a delegated token of its own."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens

    def grant(self, *, read_only: bool) -> tuple[str, str] | None:
        """Return the id and the secret of a new token; None when there are too many."""
        scopes = (Scope.READ,) if read_only else (Scope.ALL,)
        try:
            token, secret = self._tokens.create(scopes, LONGEST_S, OWNER)
        except LimitExceeded:
            return None
        return token.id, secret

    def withdraw(self, grant_id: str) -> None:
        """End a token now."""
        self._tokens.revoke(grant_id)


class BrowserDashboard:
    """The dashboard as the session knows it."""

    def __init__(self, dashboard: Dashboard) -> None:
        self._dashboard = dashboard
        self.link = dashboard.link
        self.revoke = dashboard.revoke
        self.stop = dashboard.stop

    @property
    def url(self) -> str | None:
        """The address of its first page; None while it is off."""
        return self._dashboard.url

    async def start(self, address: str, port: int | None) -> None:
        """Listen, unless it does already."""
        try:
            await self._dashboard.start(address, port)
        except PortTaken as error:
            raise DashboardFailed(str(error)) from error

    def browsers(self) -> tuple[LoggedIn, ...]:
        """Return who is logged in."""
        return tuple(
            LoggedIn(b.id, b.agent, b.read_only, b.since, b.expires, b.streams)
            for b in self._dashboard.browsers()
        )


class Service:
    """One server process of one session."""

    def __init__(self, settings: Settings, host: PtyHostClient) -> None:
        self._settings = settings
        self._host = host
        self._executor = ThreadPoolExecutor(FEEDERS, thread_name_prefix="feed")
        self._stop = asyncio.Event()
        self._for_good = False
        clock = SystemClock()
        self.session = Session(
            settings.session,
            World(
                host=host,
                make_emulator=Emulators(crash_on=settings.crash_on),
                processes=process_table(),
                git=GitProgram(),
                clock=clock,
                launcher=_launcher(settings),
                executor=self._executor,
                set_size=set_size,
                stop=lambda: self._end(asked=True),
                storage=str(settings.session_dir / STORAGE),
            ),
        )
        self._store = SqliteStore(settings.session_dir / "session.db")
        self.checkpoints = Checkpoints(self.session, self._store)
        themes = ThemeFiles(settings.home)
        self.config = ConfigKeeper(
            self.session,
            JsonConfigFile(settings.home),
            themes=themes,
            shell_is_fixed=bool(settings.env.get("LUVUS_SHELL")),
        )
        self._theme: dict[str, object] | None = None
        self.config.on_change.append(lambda now: self._wear(themes.shown(now.theme)))
        self.recordings = Recordings(self.session, OwnerFiles())
        tokens = Tokens(clock.time)
        self.agents = Agents(self.session, agent_world(settings, self.config))
        self.checkpoints.on_restored.append(self.agents.starting.go_on)
        registry, self._workspaces = bind(
            self.session, tokens, self.config, self.recordings, self.agents
        )
        self.dispatcher = Dispatcher(
            registry, tokens, revision=lambda: self.session.events.sequence, admit=self._admit
        )
        self.luxe = LateAgents(settings, self._store)
        self.app: App = build_app(
            self.dispatcher,
            openapi=_openapi,
            health=self._health,
            sse=SSE,
            agents=AgentRoutes(self.luxe, self._admit_to_agents),
        )
        self.dashboard = self._dashboard(tokens, clock)
        self.session.world.dashboard = BrowserDashboard(self.dashboard)

    async def run(self) -> None:
        """Serve until a stop is asked for."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._end)
        loop.add_signal_handler(signal.SIGHUP, lambda: None)
        self._host.on_host_lost(lambda: self.session.tasks.start(self._replace_host(), "new host"))
        await self.config.load()
        # Terminals of an earlier server are there: this one takes its place.
        taken_over = self.session.recover()
        if not taken_over:
            await self.checkpoints.restore()
        await self.checkpoints.follow()
        await self.luxe.restore()
        self.agents.start()
        addresses = (Path(self._settings.address), Path(self._settings.http_address))
        # A home may lie behind a link of its owner; what is bound must not.
        paths = [path.parent.resolve() / path.name for path in addresses]
        sockets = [bind_owner_socket(path, backlog=BACKLOG) for path in paths]
        inodes = [path.stat().st_ino for path in paths]
        bridge = BridgeServer(self.app, sockets[0], authorize=same_user)
        http = HttpServer(self.app, sockets[1], authorize=same_user, grace_s=STOP_GRACE_S)
        self.session.traffic = lambda: BridgeTraffic(bridge)
        await bridge.start()
        await http.start()
        await self._open_first()
        if taken_over:
            await self.dashboard.resume()
        self._host.ready()
        self.luxe.look_over()
        await self._stop.wait()
        # Whoever looks at an agent's session is told of its end before the sockets close.
        await self.luxe.close()
        leaving = (self._leave_browsers(), self._save_all())
        await asyncio.gather(bridge.stop(STOP_GRACE_S), http.stop(), *leaving)
        for path, inode in zip(paths, inodes, strict=True):
            remove_socket(path, inode)
        await self.session.close()
        self._executor.shutdown(wait=False)
        await self._host.bye(0)

    def _dashboard(self, tokens: Tokens, clock: SystemClock) -> Dashboard:
        return Dashboard(
            self.app,
            BrowserGrants(tokens),
            serve=_serve_browsers,
            state=self._settings.session_dir / DASHBOARD,
            now=clock.time,
            about=self._about,
        )

    def _end(self, *, asked: bool = False) -> None:
        self.checkpoints.freeze(asked=asked)
        self._for_good = self._for_good or asked
        if not self._stop.is_set():
            self._host.leaving()
        self._stop.set()

    async def _leave_browsers(self) -> None:
        if self._for_good:
            await self.dashboard.stop()
        else:
            await self.dashboard.close()

    async def _save_all(self) -> None:
        await asyncio.gather(self.recordings.close(), self.config.close(), self.checkpoints.close())
        await self._store.close()

    async def _open_first(self) -> None:
        if self.session.structure.workspaces:
            return
        folder = str(Path.cwd())
        try:
            await self._workspaces.open(folder, focus=True)
        except RpcError as error:
            _log.warning("no workspace could be opened in %s: %s", folder, error.message)
            await self._workspaces.open_home()

    async def _replace_host(self) -> None:
        try:
            await self._host.replace_host()
        except HostGone:
            _log.exception("the pty host is gone and no new one could be started")

    def _admit(self, name: str) -> None:
        if not self.session.structure.workspaces and name not in WITHOUT_WORKSPACE:
            raise NoSession("no workspace is open; open one with workspace.open")

    def _admit_to_agents(self, auth: str | None, access: Access) -> None:
        if covers(self.dispatcher.identify(auth).scopes, Scope.ALL, access):
            return
        if access is Access.READ:
            raise Forbidden("looking at agent sessions needs a token of the scope 'read' or 'all'")
        raise Forbidden("agent sessions need the account itself or a token of the scope 'all'")

    def _health(self) -> dict[str, object]:
        return {
            "status": "ok",
            "version": __version__,
            "session": self.session.name,
            "uptime_ms": self.session.uptime_ms(),
        }

    def _about(self) -> dict[str, object]:
        return {
            "version": __version__,
            "session": self.session.name,
            "generation": self.session.generation,
            "theme": self._theme,
        }

    def _wear(self, theme: dict[str, object] | None) -> None:
        self._theme = theme


def _serve_browsers(app: App, sock: socket.socket) -> HttpServer:
    # Anybody on this machine may connect to a TCP port: the login is what lets people in.
    return HttpServer(app, sock, authorize=lambda _peer: True, grace_s=STOP_GRACE_S)


def agent_world(settings: Settings, config: ConfigKeeper) -> AgentWorld:
    """Return what agents need of the outside; prices follow the configuration."""
    prices = PriceList()
    config.on_change.append(
        lambda now: prices.override({m: Price(*rates) for m, rates in now.mission_pricing.items()})
    )
    return AgentWorld(
        manifests=ManifestFiles(settings.home).load,
        adapters=adapters(settings.env),
        prices=prices,
        integrations=HookFiles(settings.env),
    )


def _launcher(settings: Settings) -> Launcher:
    luvus = str(Path(sys.executable).parent / "luvus")
    return Launcher(  # noqa: S604 - the field is a path, not a flag
        shell=(settings.default_shell(),),
        home=settings.env.get("HOME") or "/",
        environment=lambda pane: settings.pane_environment(str(pane), luvus=luvus),
    )


def _openapi() -> bytes:
    from luvus_service.codegen.openapi import openapi
    from luvus_service.luxe_wiring.described import agent_api

    server_sent = {name: route.method for name, route in SSE.items()}
    document = openapi(
        catalogue(), __version__, OF_KIND, server_sent=server_sent, agents=agent_api()
    )
    return orjson.dumps(document)


def serve(arguments: Sequence[str]) -> int:
    """Run the server that the pty host has started; return its exit code."""
    parser = argparse.ArgumentParser(prog="luvus_service serve")
    parser.add_argument("--session", required=True)
    options = parser.parse_args(arguments)
    logging.basicConfig(
        level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
    _raise_descriptor_limit()
    try:
        settings = Settings.from_environment(options.session)
        settings.prepare_home()
        return uvloop.run(_serve(settings))
    except (HostGone, SettingsError) as fault:
        print(f"luvus: {fault}", file=sys.stderr)  # noqa: T201 - the host logs it
        return 1


async def _serve(settings: Settings) -> int:
    if settings.host_fd is None:
        raise HostGone("This command is run by the pty host; use `luvus server start`.")
    host = await PtyHostClient.connect(settings.host_fd, lock_fd=settings.lock_fd)
    await Service(settings, host).run()
    host.close()
    return 0


def _raise_descriptor_limit() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < hard:
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
