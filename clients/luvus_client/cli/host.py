"""The part of the host profile that a client answers itself: reads that need no server.

`luvus uhp proxy` asks here first; what this module does not know goes to the session's server.
"""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from luvus_client.cli.sessions import listed, row
from luvus_client.endpoint import check_session_name, discover, home_folder
from luvus_client.errors import BadAnswer, InvalidSessionName, LuvusError
from luvus_client.version import version
from luvus_client.wire import frame, read_object

if TYPE_CHECKING:
    from collections.abc import Callable

    Handler = Callable[[dict[str, Any]], dict[str, Any]]

_ID = re.compile(r"[A-Za-z0-9._:-]{1,128}")
_KEYS = frozenset({"id", "method", "params"})


class _Method(NamedTuple):
    handler: Handler
    fields: frozenset[str] = frozenset()


def answer(line: bytes) -> bytes | None:
    """Return the answer to a request of the host profile, or None when it is not one."""
    try:
        request = read_object(line)
    except BadAnswer:
        return None
    method = _METHODS.get(str(request.get("method")))
    if method is None:
        return None
    given = request.get("id")
    known = isinstance(given, str) and _ID.fullmatch(given) is not None
    try:
        if not known:
            raise LuvusError("invalid_request", "the id must be 1 to 128 of A-Z a-z 0-9 . _ : -")
        result = method.handler(_params(request, method.fields))
    except LuvusError as error:
        refusal = {"code": error.code, "message": error.message}
        return frame({"id": given if known else "0", "error": refusal})
    return frame({"id": given, "result": result})


def _params(request: dict[str, Any], fields: frozenset[str]) -> dict[str, Any]:
    if "auth" in request:
        raise LuvusError("authorization_denied", "host methods are the local owner's; send no auth")
    unknown = sorted(set(request) - _KEYS)
    params: object = request.get("params")
    if unknown or not isinstance(params, dict):
        what = f"unknown key {unknown[0][:64]!r}" if unknown else "params must be an object"
        raise LuvusError("invalid_request", what)
    found = cast("dict[str, Any]", params)
    odd = sorted(set(found) - fields)
    if odd:
        raise LuvusError("invalid_request", f"unknown parameter {odd[0][:64]!r}")
    return found


def _capabilities(_: dict[str, Any]) -> dict[str, Any]:
    contract = {"access": "read", "scope": "read", "idempotent": True}
    return {
        "type": "uhp_host_capabilities",
        "protocol": {"name": "luvus-uhp", "major": 1, "minor": 0},
        "profile": "host",
        "transport": "stdio_proxy",
        "authority": "local_owner",
        "methods": sorted(_METHODS),
        "method_contracts": [{"method": name, **contract} for name in sorted(_METHODS)],
    }


def _info(_: dict[str, Any]) -> dict[str, Any]:
    sessions = listed()["sessions"]
    return {
        "type": "host_info",
        "version": version(),
        "os": "macos" if sys.platform == "darwin" else sys.platform,
        "arch": os.uname().machine,
        "executable": os.path.realpath(sys.argv[0]),
        "config_dir": home_folder(os.environ),
        "sessions": {"total": len(sessions), "running": sum(s["running"] for s in sessions)},
    }


def _list(_: dict[str, Any]) -> dict[str, Any]:
    return listed()


def _status(params: dict[str, Any]) -> dict[str, Any]:
    name = params.get("name")
    if not isinstance(name, str):
        raise LuvusError("invalid_request", "name must be the name of a session")
    try:
        check_session_name(name)
    except InvalidSessionName as error:
        raise LuvusError("invalid_session_name", str(error)) from error
    return {"type": "session_status", "session": row(discover(name))}


_METHODS = {
    "host.capabilities": _Method(_capabilities),
    "host.info": _Method(_info),
    "session.list": _Method(_list),
    "session.status": _Method(_status, frozenset({"name"})),
}
