"""Names every group of frames: as descriptions, and bound to a live session."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

from luvus_service.luxe.domain.events import SteeringUpdated
from luvus_service.luxe.domain.handshake import Ready
from luvus_service.luxe.engine.second_opinion import SecondOpinion
from luvus_service.luxe.engine.session import Session
from luvus_service.luxe.engine.sessions import Sessions, write_refusal
from luvus_service.luxe.engine.settings import Settings
from luvus_service.luxe.engine.titles import Titles
from luvus_service.luxe.engine.turns import Turns
from luvus_service.luxe.engine.workspace import Workspace
from luvus_service.luxe.families.context.actions import ContextActions
from luvus_service.luxe.families.files.actions import FileActions
from luvus_service.luxe.families.prompts.actions import PromptActions
from luvus_service.luxe.families.second_opinion.actions import SecondOpinionActions
from luvus_service.luxe.families.session.actions import SessionActions
from luvus_service.luxe.families.settings.actions import SettingsActions
from luvus_service.luxe.families.turn.actions import TurnActions
from luvus_service.luxe.families.workspace.actions import WorkspaceActions
from luvus_service.luxe.families.worktree.actions import WorktreeActions
from luvus_service.rpc.frame_dispatch import FrameDispatcher
from luvus_service.rpc.frame_lines import event_line
from luvus_service.rpc.frames import Actions, group_spec
from luvus_service.rpc.refusals import Refused

GROUPS: tuple[type, ...] = (
    TurnActions,
    PromptActions,
    SettingsActions,
    SessionActions,
    ContextActions,
    WorkspaceActions,
    FileActions,
    SecondOpinionActions,
    WorktreeActions,
)


def kinds() -> tuple[str, ...]:
    """Return the kinds of all actions, sorted."""
    return tuple(sorted(item.kind for cls in GROUPS for item in group_spec(cls).actions))


class FrameSession:
    """A live session as one stream of frames each way."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.sessions = Sessions(session)
        settings = Settings(session)
        turns = Turns(session)
        workspace = Workspace(session)
        session.project_changed = workspace.changed
        session.created = self._list
        session.after_turn = Titles(session, self.sessions).turn_over
        actions = Actions(
            (
                TurnActions(session, turns),
                PromptActions(session, settings),
                SettingsActions(settings),
                SessionActions(self.sessions, self.shut),
                ContextActions(session),
                WorkspaceActions(workspace),
                FileActions(session, session.world.project),
                SecondOpinionActions(session, SecondOpinion(session, turns)),
                WorktreeActions(session),
            )
        )
        self._dispatcher = FrameDispatcher(
            actions, session, session.reject, session.tasks.start, write_refusal
        )

    def welcome(self, *, resumed: bool) -> None:
        """Send the first frames after `ready` and the state."""
        if resumed:
            self.sessions.show()
            self.sessions.show_repair()
        self.session.gauge.show(None)
        self.session.gauge.show_usage()
        self.session.project_changed()

    def _list(self) -> None:
        _ = self.session.tasks.start(self.sessions.refresh(), "sessions")

    def snapshot(self, ready: Ready) -> list[bytes]:
        """Return the lines that bring a client up to date that comes later."""
        session = self.session
        state = session.state
        events: list[object] = [
            replace(
                ready,
                session_id=state.session_id,
                auto_approve=state.auto_approve,
                resumed=bool(session.conversation.entries),
            ),
            state.shown(),
            self.sessions.loaded(),
            session.gauge.context(),
            session.gauge.usage(),
            SteeringUpdated(tuple(state.steering)) if state.steering else None,
            *session.prompts.open(),
        ]
        return [event_line(event) for event in events if event is not None]

    async def perform(self, kind: str, content: Any) -> None:
        """Do one action and return when it is done.

        Raises:
            Refused: It was refused, and nothing happened.
        """
        await self._dispatcher.perform(kind, content)

    def flush(self) -> list[bytes]:
        """Take the lines that wait; `lines` yields what comes later."""
        return self.session.outbox.flush()

    def deliver(self, line: bytes) -> None:
        """Take one inbound line; never blocks."""
        self._dispatcher.deliver(line)

    def deliver_too_long(self, limit: int) -> None:
        """Answer a line that was longer than anybody reads."""
        self._dispatcher.refuse(
            None, Refused("malformed", f"the line is longer than {limit} bytes; it was left out")
        )

    def lines(self) -> AsyncIterator[bytes]:
        """Yield the outbound lines until the session has closed."""
        return self.session.outbox.lines()

    def shut(self) -> None:
        """Close the session, within its bound; `lines` ends afterwards."""
        self.session.shut()
