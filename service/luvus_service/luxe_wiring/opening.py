"""Opens sessions: a wish in, a live session with its stream of frames out."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from luvus_service import __version__
from luvus_service.adapters.memory_sessions import NoStore
from luvus_service.adapters.providers.provider import HttpProvider
from luvus_service.adapters.session_files import FileStore, project_key
from luvus_service.adapters.worktrees import WorktreeFault
from luvus_service.adapters.worktrees import restored as restored_worktree
from luvus_service.luxe.catalogue import FrameSession
from luvus_service.luxe.domain.handshake import Ready
from luvus_service.luxe.domain.ports import Provider
from luvus_service.luxe.domain.store_ports import StoreFailure
from luvus_service.luxe.domain.tool_ports import Toolbox
from luvus_service.luxe.domain.values import ModelRef
from luvus_service.luxe.engine.conversation import Conversation, restored
from luvus_service.luxe.engine.ids import timestamp
from luvus_service.luxe.engine.models import Models
from luvus_service.luxe.engine.session import Session
from luvus_service.luxe.engine.world import Choices, Given, World
from luvus_service.luxe_wiring.configuration import Configuration
from luvus_service.luxe_wiring.places import Places, luxe_home, places, top_level
from luvus_service.luxe_wiring.wish import Wish, header_worktree, obeyed_mode, ready_of, trust_of
from luvus_service.luxe_wiring.words import (
    EXIT_MODEL,
    EXIT_PROJECT,
    EXIT_SESSION,
    StartFault,
    model_words,
)
from luvus_service.luxe_wiring.world import Changes, Outside, Warnings, built
from luvus_service.settings import Settings


@dataclass(frozen=True, slots=True)
class Opened:
    """A live session; `frames.welcome` has not been called."""

    frames: FrameSession
    ready: Ready
    resumed: bool
    wish: Wish
    """With the folder that the session has."""

    @property
    def session(self) -> Session:
        """The engine's side of it."""
        return self.frames.session

    def begin(self) -> None:
        """Show the state and what belongs to it; `ready` was sent."""
        self.session.open()
        self.frames.welcome(resumed=self.resumed)


class Opener:
    """Opens sessions for one user."""

    def __init__(
        self,
        settings: Settings,
        *,
        providers: Sequence[Provider] | None = None,
        toolbox: Toolbox | None = None,
        configured: Configuration | None = None,
    ) -> None:
        """`providers` and `toolbox` stand in for the configured ones."""
        self.settings = settings
        self.home = luxe_home(settings)
        self._providers = providers
        self._toolbox = toolbox
        self._configuration = configured or Configuration()

    def world(self, wish: Wish) -> World:
        """Return the world a session would have."""
        where = places(self.home, wish.cwd)
        return built(self._outside(wish, where, trusted=False), Warnings(), Changes())

    async def open(self, wish: Wish) -> Opened:
        """Open a session.

        Raises:
            StartFault: The session, its folder or the named model cannot be used.
        """
        conversation = await self._resumed(wish)
        if conversation is not None:
            wish = await _of_header(wish, conversation)
        where = places(self.home, wish.cwd)
        warnings = Warnings()
        standing = trust_of(where)
        trusted = wish.trust_project or standing == "trusted"
        changed = Changes()
        world = built(self._outside(wish, where, trusted=trusted), warnings, changed)
        try:
            await asked_about(world.providers, wish.model)
            choices = self._choices(wish, where, world, trusted=trusted)
            if conversation is not None and conversation.header.cwd != choices.cwd:
                conversation.log.move(choices.cwd, choices.project_key)
            session = Session(world, choices, conversation, wish.session_id)
        except (StartFault, StoreFailure) as fault:
            if conversation is not None:
                conversation.log.close()
            if isinstance(fault, StoreFailure):
                raise StartFault(EXIT_SESSION, str(fault)) from fault
            raise
        if standing == "changed" and not trusted:
            warnings("the project's configuration has changed since it was trusted; see luxe trust")
        warnings.to(lambda text: session.notice("warning", "configuration", text))
        frames = FrameSession(session)
        changed.to(session.project_changed)
        resumed = conversation is not None
        found = session.conversation.header.id
        ready = ready_of(wish, where, found, resumed=resumed, trusted=trusted)
        if wish.resume_last and not resumed:
            text = "this folder has no session yet; a new one begins"
            session.notice("info", "nothing_to_continue", text)
        return Opened(frames, ready, resumed, wish)

    def _outside(self, wish: Wish, where: Places, *, trusted: bool) -> Outside:
        return Outside(
            places=where,
            environment=self.settings.env,
            extra=wish.add_dirs,
            trusted=trusted,
            servers=wish.servers,
            web_fetch=self._configuration.web_fetch,
            plan_folder=self._configuration.plan_folder,
            store=NoStore() if wish.no_session else None,
            providers=self._providers,
            toolbox=self._toolbox,
        )

    async def _resumed(self, wish: Wish) -> Conversation | None:
        if not wish.resumes:
            return None
        store = FileStore(self.home / "sessions")
        found = wish.resume if wish.resume is not None else await store.newest(wish.cwd)
        if found is None:
            return None
        try:
            log, loaded = await store.open(found)
            return restored(log, loaded, timestamp(_now()))
        except StoreFailure as failure:
            raise StartFault(EXIT_SESSION, str(failure)) from failure

    def _choices(self, wish: Wish, where: Places, world: World, *, trusted: bool) -> Choices:
        configured = self._configuration
        mode, read_only = obeyed_mode(wish, where)
        model, level = chosen_model(world.providers, wish.model, configured)
        return Choices(
            luxe_version=__version__,
            cwd=where.cwd,
            project_key=project_key(where.cwd),
            is_git=where.is_git,
            home=self.settings.env.get("HOME") or "/",
            model=model,
            thinking=wish.thinking or level or configured.thinking or "off",  # type: ignore[arg-type]
            mode=wish.mode or "build",
            given=_given(wish, level),
            permission_mode=mode,
            read_only=read_only,
            auto_approve=wish.auto_approve,
            github_writes=wish.github_writes,
            trusted=trusted,
            worktree=wish.worktree,
            review_model=_reviewer(world.providers, configured.review_model),
            auto_compact=configured.auto_compact,
            titles=configured.titles,
            max_model_calls=configured.max_model_calls,
            max_repeats=configured.max_repeats,
        )


async def asked_about(providers: Sequence[Provider], named: str | None) -> None:
    """Ask the endpoints for their models when a part of a name fits none that is known."""
    if named is None or "/" in named:
        return
    _, part, _ = model_words(named)
    usable = [p for p in providers if p.missing_credential() is None]
    if not any(part in model.model for p in usable for model in p.models()):
        models = Models(providers)
        await asyncio.gather(*(models.discovered(provider) for provider in usable))


def _given(wish: Wish, level: str | None) -> frozenset[Given]:
    given: set[Given] = set()
    if wish.model is not None:
        given.add("model")
    if wish.thinking is not None or (wish.model is not None and level is not None):
        given.add("thinking")
    if wish.mode is not None:
        given.add("mode")
    return frozenset(given)


def chosen_model(
    providers: Sequence[Provider], named: str | None, configured: Configuration
) -> tuple[ModelRef | None, str | None]:
    """Return the first model and its thinking level, None for whatever can be called.

    Raises:
        StartFault: A named model is unknown, ambiguous, or has no credential.
    """
    if named is None:
        if configured.model is None:
            return None, None
        try:
            return chosen_model(providers, configured.model, Configuration())
        except StartFault:
            # The file outlives the providers it names; the session starts and refuses turns.
            return None, None
    provider_name, name, level = model_words(named)
    if provider_name is None:
        return _by_part(providers, name), level
    provider = next((p for p in providers if p.name == provider_name), None)
    if provider is None:
        known = ", ".join(p.name for p in providers) or "none"
        raise StartFault(
            EXIT_MODEL, f"there is no provider {provider_name!r}; configured are: {known}"
        )
    if isinstance(provider, HttpProvider):
        provider.assume(name)
    if name not in {model.model for model in provider.models()}:
        raise StartFault(EXIT_MODEL, f"there is no model {provider_name}/{name}")
    missing = provider.missing_credential()
    if missing is not None:
        raise StartFault(EXIT_MODEL, f"{provider_name} has no credential; set {missing}")
    return ModelRef(provider_name, name), level


def _reviewer(providers: Sequence[Provider], named: str | None) -> ModelRef | None:
    try:
        return chosen_model(providers, named, Configuration())[0]
    except StartFault:
        # As with the model itself: the file outlives the providers it names.
        return None


def _by_part(providers: Sequence[Provider], part: str) -> ModelRef:
    usable = [p for p in providers if p.missing_credential() is None]
    found = [m for p in usable for m in p.models() if part in m.model]
    exact = [m for m in found if m.model == part]
    lacking = [p for p in providers if any(part in m.model for m in p.models())]
    if not found and lacking:
        missing = lacking[0].missing_credential()
        raise StartFault(EXIT_MODEL, f"{lacking[0].name} has no credential; set {missing}")
    if len(exact or found) != 1:
        many = ", ".join(f"{m.provider}/{m.model}" for m in found[:10])
        said = f"fits several models: {many}" if found else "fits no model; see --list-models"
        raise StartFault(EXIT_MODEL, f"--model {part!r} {said}")
    model = (exact or found)[0]
    return ModelRef(model.provider, model.model)


async def _of_header(wish: Wish, conversation: Conversation) -> Wish:
    """Return the wish with the folder of the session it resumes; its worktree is made again."""
    header = conversation.header
    if wish.moved:
        return wish
    worktree = header_worktree(header.worktree)
    if not await asyncio.to_thread(Path(header.cwd).is_dir):
        gone = f"the folder {header.cwd} of this session is gone; name another with --cwd"
        root = top_level(Path(wish.cwd))
        try:
            if worktree is None or root is None:
                raise WorktreeFault(gone)
            await restored_worktree(root, worktree)
        except WorktreeFault as fault:
            conversation.log.close()
            raise StartFault(EXIT_PROJECT, f"{gone} ({fault})") from fault
    cwd = await asyncio.to_thread(os.path.realpath, header.cwd)
    return replace(wish, cwd=cwd, worktree=worktree)


def _now() -> float:
    import time

    return time.time()
