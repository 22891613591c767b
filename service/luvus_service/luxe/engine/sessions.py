"""Which session is open: a new one, one from the disk, and the list of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from luvus_service.luxe.domain.limits import LOADED_BYTES, SESSIONS_PAGE
from luvus_service.luxe.domain.records import SessionSummary
from luvus_service.luxe.domain.session_events import SessionLoaded, SessionsRefreshed
from luvus_service.luxe.domain.store_ports import StoreFailure
from luvus_service.luxe.domain.transcript import shown_messages
from luvus_service.luxe.domain.values import Message
from luvus_service.luxe.engine.conversation import Conversation, opened
from luvus_service.luxe.engine.session import Session
from luvus_service.rpc.frame_lines import encode
from luvus_service.rpc.refusals import Refused


class Sessions:
    """Opens and lists sessions for one live session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    async def new(self) -> None:
        """Leave the open session and begin an empty one."""
        self._take()
        self._session.switching = False
        await self._switch(self._session.fresh())

    async def load(self, session_id: str) -> None:
        """Leave the open session for one from the disk.

        Raises:
            Refused: It is unknown, of another directory, locked, or of a newer version.
        """
        session = self._session
        self._take()
        if session_id == session.state.session_id:
            session.switching = False
            self._show_now()
            await self.refresh()
            return
        try:
            conversation = await opened(session.world, session_id)
        except StoreFailure as failure:
            raise store_refusal(failure) from None
        finally:
            session.switching = False
        if conversation.header.cwd != session.choices.cwd:
            conversation.log.close()
            raise Refused("not_found", f"session {session_id} belongs to {conversation.header.cwd}")
        await self._switch(conversation)

    async def refresh(self, limit: int = SESSIONS_PAGE, cursor: str | None = None) -> None:
        """Send a page of the sessions of this directory."""
        session = self._session
        found = await session.world.store.listed(session.choices.cwd, session.state.session_id)
        start = _place(found, cursor)
        page = found[start : start + limit]
        more = start + limit < len(found)
        session.emit(SessionsRefreshed(tuple(page), page[-1].id if more and page else None))

    def show(self) -> None:
        """Send the transcript of the open session."""
        self._session.emit(self.loaded())

    def loaded(self) -> SessionLoaded:
        """Return the transcript of the open session."""
        session = self._session
        folded = session.conversation.folded
        messages, truncated = _recent(shown_messages(folded))
        return SessionLoaded(
            session=session.conversation.summary(session.now()),
            messages=messages,
            model=session.state.model,
            thinking=session.state.thinking,
            mode=session.state.mode,
            todos=folded.todos,
            linked_pull_request=folded.link,
            repaired=session.conversation.repaired,
            truncated=truncated,
        )

    def show_repair(self) -> None:
        """Say so when the file of the open session was broken."""
        broken = self._session.conversation.broken_lines
        if broken:
            self._session.notice(
                "warning",
                "session_repaired",
                f"{broken} broken lines of the session's file were left out",
            )

    def _take(self) -> None:
        # This runs a moment after the frame was admitted; a turn may have begun in between.
        if self._session.running:
            raise Refused("busy", "a turn is running")
        self._session.switching = True

    async def _switch(self, conversation: Conversation) -> None:
        session = self._session
        old = session.conversation
        session.conversation = conversation
        session.gauge.forget()
        session.files.forget()
        session.told.clear()
        session.adopt()
        self._show_now()
        await old.log.sync()
        old.log.close()
        await self.refresh()

    def _show_now(self) -> None:
        session = self._session
        self.show()
        self.show_repair()
        session.state.show()
        session.gauge.show_usage()
        session.gauge.show(None)


def store_refusal(failure: StoreFailure) -> Refused:
    """Return the refusal of an action whose session cannot be opened."""
    if failure.code == "locked":
        return Refused("locked", "another Luxe process has this session open")
    return Refused("not_found", str(failure))


def write_refusal(error: Exception) -> Refused | None:
    """Return the refusal of an action whose record could not be written; None for other errors."""
    return Refused("failed", str(error)) if isinstance(error, StoreFailure) else None


def _place(found: Sequence[SessionSummary], cursor: str | None) -> int:
    if cursor is None:
        return 0
    for index, summary in enumerate(found):
        if summary.id == cursor:
            return index + 1
    return len(found)


def _recent(messages: Iterable[Message]) -> tuple[tuple[Message, ...], bool]:
    kept: list[Message] = []
    size = 0
    for message in reversed(list(messages)):
        size += len(encode(message))
        if size > LOADED_BYTES:
            return tuple(reversed(kept)), True
        kept.append(message)
    return tuple(reversed(kept)), False
