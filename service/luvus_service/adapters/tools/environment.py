"""The environment of programs that the agent runs: no provider's keys, no pagers, no questions."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from luvus_service.adapters.secret_variables import without_provider_keys

_QUIET = {
    "CI": "1",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "GH_PAGER": "cat",
    "MANPAGER": "cat",
    "SYSTEMD_PAGER": "",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_EDITOR": "true",
    "GIT_SEQUENCE_EDITOR": "true",
    "EDITOR": "true",
    "VISUAL": "true",
    "GH_PROMPT_DISABLED": "1",
    "DEBIAN_FRONTEND": "noninteractive",
    "PIP_NO_INPUT": "1",
    "TERM": "dumb",
    "NO_COLOR": "1",
}
# These make a shell run a file of its caller's choice before the command.
_HOOKS = ("BASH_ENV", "ENV", "PROMPT_COMMAND")


def child_environment(env: Mapping[str, str], secrets: Collection[str] = ()) -> dict[str, str]:
    """Return an environment for children; `secrets` are further variables to leave out."""
    kept = {
        name: value
        for name, value in without_provider_keys(env, secrets).items()
        if name not in _HOOKS and not name.startswith("BASH_FUNC_")
    }
    return {**kept, **_QUIET}
