"""`luvus attach`: the words of the command, and what is refused before a terminal is touched."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from luvus_client.attaching.keys import DEFAULT_DETACH, KeyFilter
from luvus_client.caller import Caller, resolve_token
from luvus_client.cli.usage import UsageError
from luvus_client.wire import request_frame

if TYPE_CHECKING:
    from luvus_client.attaching.lane import Lane
    from luvus_client.cli.context import Context

USAGE = "usage: luvus attach [PANE] [--read-only] [--no-resize] [--detach-key ctrl-\\]"
CALL_S = 2.0
"""How long a short question may hold up the terminal."""
_PANE = re.compile(r"[0-9]{1,19}")
_DETACH = "--detach-key"


def attach(context: Context, words: list[str]) -> int:
    """Run `luvus attach`; returns when the person has left or the pane is closed."""
    pane, flags, detach = _read(words)
    pane = pane if pane is not None else context.defaults().get("LUVUS_PANE_ID")
    server = Server(context)
    _refuse_itself(server, pane)
    from luvus_client.attaching.attachment import Attachment
    from luvus_client.attaching.outer import Outer, say

    outer = Outer()
    try:
        attachment = Attachment(
            server,
            outer,
            KeyFilter(detach),
            pane,
            read_only="--read-only" in flags,
            resize="--no-resize" not in flags,
        )
        attachment.open(lambda found: _refuse_itself(server, found))
        end = attachment.run()
    finally:
        outer.close()
    say(f"[{end.text}]")
    return end.code


class Server:
    """The server of the selected session."""

    def __init__(self, context: Context) -> None:
        self._caller: Caller = context.caller()
        self._token = resolve_token(None, context.token_file, context.token_env)
        self.endpoint = context.endpoint()

    def dial(self, method: str, params: dict[str, object]) -> Lane:
        """Open a stream; its answer has not arrived yet."""
        from luvus_client.attaching.lane import Lane

        request = request_frame(method, params, token=self._token)
        return Lane(self.endpoint.address, request, CALL_S)

    def generation(self) -> str:
        """Return what tells this server process from others."""
        found = self._caller.call("uhp.capabilities", timeout=CALL_S)
        return str(found["server_generation"])


def detach_key(name: str) -> int:
    """Return the control character of a key such as `ctrl-a`.

    Raises:
        UsageError: There is no such key.
    """
    found = re.fullmatch(r"(?:ctrl-|C-|\^)(space|[@a-zA-Z\\\]^_])", name)
    if found is None:
        raise UsageError(
            f"{name!r} is no detach key; use ctrl-a to ctrl-z, ctrl-\\, ctrl-], ctrl-^, ctrl-_ or "
            "ctrl-space"
        )
    return 0 if found[1] == "space" else ord(found[1].upper()) & 0x1F


def _read(words: list[str]) -> tuple[str | None, set[str], int]:
    pane: str | None = None
    flags: set[str] = set()
    detach = DEFAULT_DETACH
    left = list(words)
    while left:
        word = left.pop(0)
        name, equals, value = word.partition("=")
        if word in ("--read-only", "--no-resize"):
            flags.add(word)
        elif name == _DETACH:
            if not equals and not left:
                raise UsageError(f"{_DETACH} needs a key\n{USAGE}")
            detach = detach_key(value if equals else left.pop(0))
        elif _PANE.fullmatch(word) and pane is None:
            pane = word
        elif word.startswith("-"):
            raise UsageError(f"there is no option {word}\n{USAGE}")
        else:
            raise UsageError(f"{word!r} is no pane; give its number\n{USAGE}")
    return pane, flags, detach


def _refuse_itself(server: Server, pane: str | None) -> None:
    own = os.environ.get("LUVUS_PANE_ID")
    inherited = os.environ.get("LUVUS_SOCKET_PATH")
    if own is not None and pane == own and inherited == server.endpoint.socket_path:
        raise UsageError(
            f"this is pane {own}: showing a pane in itself would never end; name another pane"
        )
