"""The outermost layer: refuses what is not meant for this server before anything else is read.

HTTP, server-sent events and WebSockets pass the same checks. Every answer leaves with the headers
that keep other pages out.
"""

from __future__ import annotations

from luvus_web.asgi import App, Header, Message, Receive, Scope, Send, has_header, header, refuse
from luvus_web.origins import Origins

SAFE = ("GET", "HEAD")
OURS = b"x-luvus"
"""A header that no form and no other origin can send without being asked first."""


class Guard:
    """An ASGI app around another one."""

    def __init__(self, inner: App, origins: Origins) -> None:
        self._inner = inner
        self._origins = origins
        self._headers = _headers(origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request, then hand it on."""
        if scope["type"] not in {"http", "websocket"}:
            return
        guarded = self._guarded(send)
        reason = self._refusal(scope)
        if reason is not None:
            await refuse(scope, receive, guarded, *reason)
            return
        await self._inner(scope, receive, guarded)

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        host = header(scope, b"host")
        if host is None or not self._origins.allows_host(host):
            return 421, "this server goes by 127.0.0.1, [::1] and localhost with its port only"
        changes = scope["type"] == "websocket" or scope["method"] not in SAFE
        asked = has_header(scope, b"origin")
        if (changes or asked) and not self._origins.allows_origin(header(scope, b"origin"), host):
            return 403, "the request comes from a page of another origin"
        if header(scope, b"sec-fetch-site") not in {None, "same-origin", "none"}:
            return self._foreign(scope, changes=changes)
        if changes and scope["type"] == "http" and header(scope, OURS) is None:
            return 403, "requests that change something need the header X-Luvus"
        return None

    def _foreign(self, scope: Scope, *, changes: bool) -> tuple[int, str] | None:
        # A link on another page may lead here; what it opens gets no cookie and shows nothing.
        if not changes and header(scope, b"sec-fetch-mode") == "navigate":
            return None
        return 403, "the request was made by a page of another site"

    def _guarded(self, send: Send) -> Send:
        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), *self._headers]}
            await send(message)

        return send_guarded


def _headers(origins: Origins) -> tuple[Header, ...]:
    port = origins.port
    # Older browsers do not count sockets among 'self'; a policy cannot name [::1].
    sockets = f"ws://127.0.0.1:{port} ws://localhost:{port}"
    # xterm.js makes style elements for its colours; scripts come from files only.
    policy = (
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
        f"img-src 'self' data:; font-src 'self'; connect-src 'self' {sockets}; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return (
        (b"content-security-policy", policy.encode()),
        (b"x-content-type-options", b"nosniff"),
        (b"x-frame-options", b"DENY"),
        (b"referrer-policy", b"no-referrer"),
        (b"cross-origin-opener-policy", b"same-origin"),
        (b"cross-origin-resource-policy", b"same-origin"),
        (b"permissions-policy", b"camera=(), geolocation=(), microphone=(), usb=()"),
    )
