"""Names a new session after its first turn, by one call of its model; off unless configured."""

from __future__ import annotations

import logging

from luvus_service.luxe.domain.ports import MessageGiven, ModelRequest, ProviderFailure, TextGiven
from luvus_service.luxe.domain.records import Titled
from luvus_service.luxe.domain.store_ports import StoreFailure
from luvus_service.luxe.domain.transcript import last_user
from luvus_service.luxe.domain.values import TextPart
from luvus_service.luxe.engine.aside_call import AsideCalls
from luvus_service.luxe.engine.session import Session
from luvus_service.luxe.engine.sessions import Sessions

_log = logging.getLogger(__name__)

TITLE_CHARS = 80
READ_CHARS = 2_000
_INSTRUCTION = "Write a title of at most eight words for the conversation. Write nothing else."


class Titles:
    """Names the sessions of one live session."""

    def __init__(self, session: Session, sessions: Sessions) -> None:
        self._session = session
        self._sessions = sessions
        self._named: set[str] = set()

    def turn_over(self) -> None:
        """Name the session if it is new, in the background."""
        session = self._session
        conversation = session.conversation
        wanted = session.choices.titles and not session.closing
        if not wanted or conversation.folded.title or conversation.header.id in self._named:
            return
        self._named.add(conversation.header.id)
        _ = session.tasks.start(self._name(), "title")

    async def _name(self) -> None:
        conversation = self._session.conversation
        try:
            title = await self._asked()
        except ProviderFailure as failure:
            _log.info("the session got no title: %s", failure)
            return
        if not title or conversation is not self._session.conversation:
            return
        try:
            conversation.record(Titled(title))
        except StoreFailure as failure:
            _log.warning("the session's title was not stored: %s", failure)
            return
        conversation.folded.title = title
        self._session.gauge.show_usage()
        await self._sessions.refresh()

    async def _asked(self) -> str:
        session = self._session
        provider, usual = session.request()
        entries = session.conversation.entries
        index = last_user(entries)
        text = entries[index].message.text() if index is not None else ""
        request = ModelRequest(
            model=usual.model,
            system=(_INSTRUCTION,),
            messages=(MessageGiven("user", (TextGiven(text[:READ_CHARS]),)),),
            max_output_tokens=100,
        )
        answer = await AsideCalls(session, "title").run(provider, request)
        parts, _ = answer.parts(calls=False)
        said = "".join(part.text for part in parts if isinstance(part, TextPart))
        return " ".join(said.split()).strip("\"'")[:TITLE_CHARS]
