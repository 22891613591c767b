"""The agent's side of the Agent Client Protocol: one connection, several sessions."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Final

from acp import PROTOCOL_VERSION, RequestError, schema

from luvus_service import __version__
from luvus_service.luxe_acp.ports import AgentSessions, Asked, SessionFault
from luvus_service.luxe_acp.session import LEVELS, MODES, Editor, EditorSession

SESSIONS: Final = 16
"""Open at once on one connection."""


class EditorAgent:
    """Answers an editor."""

    def __init__(self, sessions: AgentSessions) -> None:
        self._sessions = sessions
        self._open: dict[str, EditorSession] = {}
        self._editor: Editor | None = None
        self._forms = False

    def on_connect(self, conn: Any) -> None:
        """Take the connection to the editor."""
        self._editor = conn

    async def close(self) -> None:
        """Close all sessions."""
        open_, self._open = self._open, {}
        await asyncio.gather(*(session.close() for session in open_.values()))

    async def initialize(
        self,
        protocol_version: int,
        client_capabilities: schema.ClientCapabilities | None = None,
        **_more: Any,
    ) -> schema.InitializeResponse:
        """Say what this agent can do."""
        asked = client_capabilities.elicitation if client_capabilities is not None else None
        self._forms = asked is not None and asked.form is not None
        return schema.InitializeResponse(
            protocol_version=min(protocol_version, PROTOCOL_VERSION) or PROTOCOL_VERSION,
            agent_info=schema.Implementation(name="luxe", title="Luxe", version=__version__),
            auth_methods=[],
            agent_capabilities=schema.AgentCapabilities(
                load_session=True,
                prompt_capabilities=schema.PromptCapabilities(image=True, embedded_context=True),
                session_capabilities=schema.SessionCapabilities(
                    list=schema.SessionListCapabilities(),
                    close=schema.SessionCloseCapabilities(),
                    resume=schema.SessionResumeCapabilities(),
                    additional_directories=schema.SessionAdditionalDirectoriesCapabilities(),
                ),
            ),
        )

    async def authenticate(self, method_id: str, **_more: Any) -> schema.AuthenticateResponse:
        """Refuse: keys come from the user's environment and files."""
        raise RequestError(-32602, f"there is no way {method_id!r} to log in; set a provider's key")

    async def new_session(
        self,
        cwd: str,
        additional_directories: list[str] | None = None,
        mcp_servers: list[Any] | None = None,
        **_more: Any,
    ) -> schema.NewSessionResponse:
        """Open a session."""
        asked = Asked(cwd, additional_directories or (), mcp_servers=_servers(mcp_servers))
        session = await self._opened(asked, replay=False)
        return schema.NewSessionResponse(
            session_id=session.id, modes=session.modes(), config_options=session.options() or None
        )

    async def load_session(
        self,
        cwd: str,
        session_id: str,
        mcp_servers: list[Any] | None = None,
        additional_directories: list[str] | None = None,
        **_more: Any,
    ) -> schema.LoadSessionResponse:
        """Open a stored session and show its transcript."""
        session = await self._resumed(
            cwd, session_id, mcp_servers, additional_directories, replay=True
        )
        return schema.LoadSessionResponse(
            modes=session.modes(), config_options=session.options() or None
        )

    async def resume_session(
        self,
        session_id: str,
        cwd: str,
        additional_directories: list[str] | None = None,
        mcp_servers: list[Any] | None = None,
        **_more: Any,
    ) -> schema.ResumeSessionResponse:
        """Open a stored session without showing its transcript."""
        session = await self._resumed(
            cwd, session_id, mcp_servers, additional_directories, replay=False
        )
        return schema.ResumeSessionResponse(
            modes=session.modes(), config_options=session.options() or None
        )

    async def fork_session(self, session_id: str, cwd: str, **_more: Any) -> Any:
        """Refuse: sessions are not forked."""
        raise RequestError.method_not_found("session/fork")

    async def list_sessions(
        self, cwd: str | None = None, cursor: str | None = None, **_more: Any
    ) -> schema.ListSessionsResponse:
        """Return the stored sessions of a folder."""
        found = await self._sessions.listed(cwd)
        return schema.ListSessionsResponse(
            sessions=[
                schema.SessionInfo(
                    session_id=item.session_id,
                    cwd=item.cwd,
                    title=item.title,
                    updated_at=item.updated_at,
                )
                for item in found
            ]
        )

    async def prompt(
        self, session_id: str, prompt: list[Any], **_more: Any
    ) -> schema.PromptResponse:
        """Run a turn."""
        return await self._session(session_id).prompt(submitted(prompt))

    async def cancel(self, session_id: str, **_more: Any) -> None:
        """Stop a turn."""
        session = self._open.get(session_id)
        if session is not None:
            await session.cancel()

    async def close_session(self, session_id: str, **_more: Any) -> schema.CloseSessionResponse:
        """Close a session."""
        session = self._session(session_id)
        del self._open[session_id]
        await session.close()
        return schema.CloseSessionResponse()

    async def set_session_mode(
        self, session_id: str, mode_id: str, **_more: Any
    ) -> schema.SetSessionModeResponse:
        """Switch between building and planning."""
        if mode_id not in MODES:
            raise RequestError(-32602, f"there is no mode {mode_id[:80]!r}; use build or plan")
        await self._session(session_id).choose("set_mode", mode_id)
        return schema.SetSessionModeResponse()

    async def set_config_option(
        self, config_id: str, session_id: str, value: str | bool, **_more: Any
    ) -> schema.SetSessionConfigOptionResponse:
        """Select a model or a thinking level."""
        session = self._session(session_id)
        text = str(value)
        if config_id == "model" and session.offers(text):
            provider, _, model = text.partition("/")
            await session.choose("select_model", {"provider": provider, "model": model})
        elif config_id == "thinking" and text in LEVELS:
            await session.choose("set_thinking_level", text)
        else:
            raise RequestError(-32602, f"there is no choice {config_id[:80]!r} of {text[:80]!r}")
        return schema.SetSessionConfigOptionResponse(config_options=session.options())

    async def ext_method(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Refuse: there are no extensions."""
        raise RequestError.method_not_found(method)

    async def ext_notification(self, method: str, params: dict[str, Any]) -> None:
        """Ignore it."""

    async def _resumed(
        self,
        cwd: str,
        session_id: str,
        mcp_servers: list[Any] | None,
        add_dirs: list[str] | None,
        *,
        replay: bool,
    ) -> EditorSession:
        asked = Asked(cwd, add_dirs or (), session_id, _servers(mcp_servers))
        if session_id in self._open:
            await self.close_session(session_id)
        return await self._opened(asked, replay=replay)

    async def _opened(self, asked: Asked, *, replay: bool) -> EditorSession:
        if len(self._open) >= SESSIONS:
            raise RequestError(-32603, f"{SESSIONS} sessions are open; close one")
        try:
            agent = await self._sessions.open(asked)
        except SessionFault as fault:
            raise RequestError(-32602, str(fault)) from fault
        assert self._editor is not None
        session = EditorSession(agent, self._editor, forms=self._forms)
        self._open[session.id] = session
        await session.begin(replay=replay)
        return session

    def _session(self, session_id: str) -> EditorSession:
        session = self._open.get(session_id)
        if session is None:
            raise RequestError(-32002, f"no session {session_id[:64]!r} is open")
        return session


def submitted(blocks: list[Any]) -> Mapping[str, Any]:
    """Return a prompt's blocks as the content of `submit_user_message`."""
    texts: list[str] = []
    images: list[Mapping[str, Any]] = []
    for block in blocks:
        if isinstance(block, schema.TextContentBlock):
            texts.append(block.text)
        elif isinstance(block, schema.ImageContentBlock):
            images.append({"data": block.data, "mime": block.mime_type, "name": None})
        elif isinstance(block, schema.ResourceContentBlock):
            texts.append(f"[{block.name}]({block.uri})")
        elif isinstance(block, schema.EmbeddedResourceContentBlock):
            texts.append(_embedded(block.resource))
        else:
            raise RequestError(-32602, "the agent reads text, images and resources, no sound")
    content: dict[str, Any] = {"text": "\n".join(texts)}
    return {**content, "images": images} if images else content


def _embedded(resource: Any) -> str:
    if isinstance(resource, schema.TextResourceContents):
        return f'<file uri="{resource.uri}">\n{resource.text}\n</file>'
    return f"[a file that is no text: {resource.uri}]"


def _servers(given: list[Any] | None) -> tuple[Mapping[str, Any], ...]:
    return tuple(server.model_dump(mode="json", by_alias=True) for server in given or ())
