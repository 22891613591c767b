"""What a client may choose while the session lives: model, thinking level, modes, auto-approve."""

from __future__ import annotations

from luvus_service.luxe.domain.ports import Provider
from luvus_service.luxe.domain.records import ModeChosen, ThinkingChosen
from luvus_service.luxe.domain.store_ports import StoreFailure
from luvus_service.luxe.domain.thinking import nearest_level
from luvus_service.luxe.domain.values import Mode, ModelRef, PermissionMode, ThinkingLevel
from luvus_service.luxe.engine.session import Session
from luvus_service.rpc.refusals import Refused

MODES: dict[str, Mode] = {"build": "build", "plan": "plan"}


class Settings:
    """Changes the state of a session at the client's wish."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._asked: set[str] = set()

    def select_model(self, ref: ModelRef) -> None:
        """Use another model from the next call on.

        Raises:
            Refused: Nobody knows it, or its credential is missing.
        """
        session = self._session
        model = session.models.find(ref)
        provider = session.models.provider(ref.provider)
        unknown = f"there is no model {ref.provider}/{ref.model}"
        if provider is None:
            raise Refused("not_found", unknown)
        missing = provider.missing_credential()
        if missing is not None:
            raise Refused("not_found", f"{ref.provider} has no credential; set {missing}")
        if model is None:
            if provider.name in self._asked:
                raise Refused("not_found", unknown)
            # Nobody has asked this endpoint yet; the answer comes when it has been.
            self._asked.add(provider.name)
            _ = session.tasks.start(self._select_later(provider, ref), "select_model")
            return
        session.conversation.choose(ref)
        session.state.model = model
        session.gauge.forget()
        self._fit_level(session.state.thinking)
        session.state.show()
        session.gauge.show(None)

    async def _select_later(self, provider: Provider, ref: ModelRef) -> None:
        await self._session.models.discovered(provider)
        try:
            self.select_model(ref)
        except StoreFailure as failure:
            self._session.reject("select_model", f"select_model: {failure}", "failed", None)
        except Refused as refused:
            reason = f"select_model: {refused.reason}"
            self._session.reject("select_model", reason, refused.code, None)

    def set_thinking(self, level: ThinkingLevel) -> None:
        """Think more or less from the next call on."""
        session = self._session
        session.conversation.record(ThinkingChosen(self._fitting(level)))
        self._fit_level(level)
        session.state.show()

    def set_mode(self, name: str) -> None:
        """Switch between building and planning; permissions follow at once."""
        session = self._session
        mode = MODES.get(name)
        if mode is None:
            session.notice(
                "warning", "unknown_mode", f"there is no mode {name[:80]!r}; use build or plan"
            )
            return
        session.conversation.record(ModeChosen(mode))
        session.state.mode = mode
        session.state.show()

    def set_permission_mode(self, mode: PermissionMode) -> None:
        """Ask more or less from the next call on; what began read-only stays so.

        Raises:
            Refused: The session was started read-only, or the user's files say so.
        """
        session = self._session
        if session.state.bound_read_only and mode != "read_only":
            raise Refused("read_only", "this session is read-only")
        session.state.permission_mode = mode
        session.state.show()
        session.approve_allowed()

    def auto_approve(self, on: bool) -> None:
        """Approve every prompt from here on, or ask again."""
        session = self._session
        session.state.auto_approve = on
        session.state.show()
        if on:
            session.approve_open()

    def _fitting(self, level: ThinkingLevel) -> ThinkingLevel:
        model = self._session.state.model
        return nearest_level(level, model.thinking_levels) if model is not None else level

    def _fit_level(self, level: ThinkingLevel) -> None:
        session = self._session
        model = session.state.model
        fitting = self._fitting(level)
        if fitting != level and model is not None:
            session.notice(
                "info", "thinking_lowered", f"{model.name} has no level {level}; using {fitting}"
            )
        session.state.thinking = fitting
