"""What the words before a command select: the session, the credential, the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import NamedTuple

from luvus_client.caller import Caller
from luvus_client.cli.usage import UsageError
from luvus_client.endpoint import Endpoint, check_session_name, discover
from luvus_client.errors import InvalidSessionName


class Context(NamedTuple):
    """The selected session and credential."""

    session: str | None = None
    token_file: str | None = None
    token_env: str | None = None

    def endpoint(self) -> Endpoint:
        """Return where the selected session is reached."""
        return discover(self.session)

    def caller(self) -> Caller:
        """Return a client of the selected session."""
        return Caller(self.session, token_file=self.token_file, token_env=self.token_env)

    def defaults(self) -> Mapping[str, str]:
        """Return the environment that fills arguments which were left out.

        A pane's variables speak of the server that the pane runs under, so they say nothing when
        another session was selected.
        """
        inherited = os.environ.get("LUVUS_SOCKET_PATH")
        if self.session is not None and inherited != self.endpoint().socket_path:
            return {}
        return os.environ


_GLOBALS = {"--session": "session", "--token-file": "token_file", "--token-env": "token_env"}


def leading_options(words: list[str]) -> tuple[Context, list[str]]:
    """Read the options before the command; return the context and the words of the command.

    Raises:
        UsageError: An option lacks its value, is given twice, or names no possible session.
    """
    found: dict[str, str] = {}
    left = list(words)
    while left:
        name, equals, value = left[0].partition("=")
        field = _GLOBALS.get(name)
        if field is None:
            break
        if field in found:
            raise UsageError(f"{name} is given twice")
        if not equals:
            if len(left) < 2:
                raise UsageError(f"{name} needs a value")
            value = left.pop(1)
        found[field] = value
        left.pop(0)
    if "session" in found:
        try:
            check_session_name(found["session"])
        except InvalidSessionName as error:
            raise UsageError(str(error)) from error
    return Context(**found), left
