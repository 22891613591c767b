"""Choices: they hold from the next model call on, permissions of a mode at once."""

from __future__ import annotations

from luvus_service.luxe.domain.session_events import PlanWritten, StateChanged
from luvus_service.luxe.domain.values import ModelRef, PermissionMode, ThinkingLevel
from luvus_service.luxe.engine.settings import Settings
from luvus_service.luxe.families.settings.models import SelectModel
from luvus_service.rpc.frames import action, group


@group("settings", events=(StateChanged, PlanWritten))
class SettingsActions:
    """Choose model, thinking level and mode."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    @action("select_model")
    def select_model(self, content: SelectModel) -> None:
        """Switch models."""
        self._settings.select_model(ModelRef(content.provider, content.model))

    @action("set_thinking_level")
    def set_thinking_level(self, content: ThinkingLevel) -> None:
        """Think more or less."""
        self._settings.set_thinking(content)

    @action("set_mode")
    def set_mode(self, content: str) -> None:
        """Build or plan; a name that is no mode is answered by a notice."""
        self._settings.set_mode(content)

    @action("set_permission_mode")
    def set_permission_mode(self, content: PermissionMode) -> None:
        """Ask about more or less; a session that was started read-only stays so."""
        self._settings.set_permission_mode(content)
