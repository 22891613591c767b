"""The live configuration: patched at once, applied at once, saved as soon as the file is free.

Owns the patches that are not on disk yet. The file belongs to all servers of the home, so a patch,
never the whole configuration, is what is laid over the newest stored one.
"""

from __future__ import annotations

import asyncio
import logging
import shlex
from collections.abc import Callable, Collection, Container, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from luvus_service.rpc.errors import InvalidRequest
from luvus_service.rpc.validation import explain
from luvus_service.uhp.domain.config import Document, joined, merged, overlaid, renamed
from luvus_service.uhp.domain.errors import shown
from luvus_service.uhp.domain.storage import ConfigBusy, ConfigFile, ConfigUnusable
from luvus_service.uhp.engine.config_model import (
    DEFAULT_THEME,
    Config,
    read_leniently,
    read_strictly,
)
from luvus_service.uhp.engine.errors import refusals
from luvus_service.uhp.engine.session import Session
from luvus_service.uhp.engine.tasks import Tasks

PENDING = 64
"""Patches kept apart until they are saved; later ones are joined into the last."""
RETRY_S = 0.5
"""Between attempts to save."""
SAVE_WAIT_S = 2.0
"""How long a reload waits until the patches made before it are on disk."""
LAST_SAVE_S = 1.0
"""How long the end of the server waits for that."""
THEMES = frozenset({DEFAULT_THEME, "terminal"})
"""What can be chosen where nobody knows of themes."""

_log = logging.getLogger(__name__)


class ConfigKeeper:
    """Reads, changes, applies and saves the configuration."""

    def __init__(
        self,
        session: Session,
        file: ConfigFile,
        *,
        themes: Container[str] = THEMES,
        shell_is_fixed: bool = False,
    ) -> None:
        """`shell_is_fixed` says that the environment names the shell, whatever is configured."""
        self.current = Config()
        self.on_change: list[Callable[[Config], None]] = []
        """Called with each new configuration, after it was applied to the session."""
        self._session = session
        self._file = file
        self._themes = themes
        self._default_shell = session.world.launcher.shell
        self._shell_is_fixed = shell_is_fixed
        self._pending: list[Mapping[str, Any]] = []
        self._in_flight = 0
        self._tasks = Tasks()
        self._saving = False
        self._saved = asyncio.Event()
        self._saved.set()
        self._hurry = asyncio.Event()
        self._complained: str | None = None

    async def load(self) -> None:
        """Take over what is stored, before anything is started."""
        stored: Document = {}
        try:
            stored = await asyncio.to_thread(self._file.read)
        except ConfigUnusable as fault:
            await self._rescue(fault)
        self._take(_lenient(stored))

    def patch(self, patch: Mapping[str, Any]) -> Config:
        """Change some fields, now; they are saved in the background.

        Raises:
            InvalidRequest: A field is unknown or a value is not allowed; nothing was changed.
        """
        patch = renamed(patch)
        config = self._checked(patch)
        self._remember(patch)
        self._change(config)
        return config

    async def reload(self) -> Config:
        """Take over what is stored now; patches that are not saved yet stay in force.

        Raises:
            InvalidRequest: The file is broken; nothing was changed.
        """
        self._hurry.set()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._saved.wait(), SAVE_WAIT_S)
        try:
            stored = await asyncio.to_thread(self._file.read)
        except ConfigUnusable as fault:
            raise InvalidRequest(f"{fault}; correct it, then reload") from fault
        config = _patched(_lenient(stored), self._pending)
        self._change(config)
        return config

    async def close(self) -> None:
        """Save what is pending, if the file is free, and stop trying."""
        self._hurry.set()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._saved.wait(), LAST_SAVE_S)
        if self._pending:
            _log.error("%d changes of the configuration could not be saved", len(self._pending))
        self._file.abandon()
        await self._tasks.close()

    def shell(self) -> tuple[str, ...]:
        """Return the shell of new panes with its arguments."""
        wanted = self.current.shell
        if self._shell_is_fixed or wanted in {"default", "cmd"}:
            return self._default_shell
        return ("pwsh",) if wanted == "powershell" else tuple(shlex.split(wanted))

    def _checked(self, patch: Mapping[str, Any]) -> Config:
        with refusals():
            document = merged(self.current.document(), patch)
        try:
            config = read_strictly(document)
        except ValidationError as error:
            raise InvalidRequest(explain(error, document)) from error
        if config.theme != self.current.theme and config.theme not in self._themes:
            raise InvalidRequest(f"the theme {shown(config.theme)} is not installed")
        try:
            words = shlex.split(config.shell)
        except ValueError:
            words = []
        if not words or "\0" in config.shell:
            raise InvalidRequest(f"`shell` must be a command line, not {shown(config.shell)}")
        return config

    def _take(self, config: Config) -> None:
        self.current = config
        session, layout = self._session, config.layout
        launcher = session.world.launcher
        session.world.launcher = replace(launcher, shell=self.shell())
        session.panes_at_root = layout.new_pane_to_workspace_root
        session.set_history_bytes(layout.scrollback_bytes)
        gaps = replace(session.area, col_gap=layout.col_gap, row_gap=layout.row_gap)
        session.set_area(gaps)
        for told in self.on_change:
            told(config)

    def _change(self, config: Config) -> None:
        self._take(config)
        self._session.events.publish("config.changed", {})

    def _remember(self, patch: Mapping[str, Any]) -> None:
        if not patch:
            return
        if len(self._pending) - self._in_flight >= PENDING:
            self._pending[-1] = joined(self._pending[-1], patch)
        else:
            self._pending.append(patch)
        self._saved.clear()
        if not self._saving:
            self._saving = True
            self._tasks.start(self._save(), "saving of the configuration")

    async def _save(self) -> None:
        try:
            while self._pending:
                if await self._save_once():
                    continue
                self._hurry.clear()
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._hurry.wait(), RETRY_S)
        finally:
            self._saving = False
        self._saved.set()

    async def _save_once(self) -> bool:
        patches = tuple(self._pending)
        self._in_flight = len(patches)
        try:
            await asyncio.to_thread(self._file.update, lambda stored: _stored(stored, patches))
        except ConfigBusy:
            return False
        except ConfigUnusable as fault:
            if str(fault) != self._complained:
                _log.error("the configuration is not saved, and tried again: %s", fault)
            self._complained = str(fault)
            return False
        finally:
            self._in_flight = 0
        self._complained = None
        del self._pending[: len(patches)]
        return True

    async def _rescue(self, fault: ConfigUnusable) -> None:
        try:
            kept = await asyncio.to_thread(self._file.rescue)
        except (ConfigBusy, ConfigUnusable) as second:
            _log.error("%s; the defaults are used (%s)", fault, second)
        else:
            if kept is not None:
                _log.error("%s; the defaults are used, the file is now %s", fault, kept)


def _lenient(stored: Mapping[str, Any]) -> Config:
    config, broken = read_leniently(dict(stored))
    if broken:
        _log.warning("the configuration has values that cannot be used: %s", ", ".join(broken[:20]))
    return config


def _patched(config: Config, patches: Collection[Mapping[str, Any]]) -> Config:
    document = config.document()
    for patch in patches:
        document = merged(document, patch)
    return _lenient(document)


def _stored(stored: Mapping[str, Any], patches: Collection[Mapping[str, Any]]) -> Document:
    """Return the newest stored document with patches, keys of other versions kept."""
    return overlaid(renamed(stored), _patched(_lenient(stored), patches).document())
