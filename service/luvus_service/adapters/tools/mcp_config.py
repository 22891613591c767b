"""Which MCP servers are configured: by the user, or by a project whose file is trusted as it is.

A project's file is read once: what is hashed for trust is what is used.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast

CONFIG_BYTES = 256 * 1024
SERVERS = 32
PROJECT_FILES = (".luxe/mcp.toml", ".mcp.json")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,31}")


@dataclass(frozen=True, slots=True)
class ServerSpec:
    """How one server is reached."""

    name: str
    source: Literal["user", "project"]
    command: str | None = None
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    url: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)


@dataclass(frozen=True, slots=True)
class Configured:
    """What the files say."""

    servers: tuple[ServerSpec, ...] = ()
    untrusted: tuple[str, ...] = ()
    """Project files that are not used because their content is not trusted."""
    faults: tuple[str, ...] = ()
    """Sentences about what could not be understood."""


def configured_servers(
    user_file: str | None, root: str, trusted: Callable[[str, str], bool]
) -> Configured:
    """Return the servers to start, blocking; of two of one name the user's counts.

    `trusted` is asked with a project file's path and the SHA-256 of its content.
    """
    servers: dict[str, ServerSpec] = {}
    untrusted: list[str] = []
    faults: list[str] = []
    if user_file is not None:
        _add(_content(user_file), user_file, "user", servers, faults)
    for name in PROJECT_FILES:
        path = f"{root}/{name}"
        raw = _content(path)
        if raw is None:
            continue
        if trusted(path, hashlib.sha256(raw).hexdigest()):
            _add(raw, path, "project", servers, faults)
        else:
            untrusted.append(path)
    return Configured(tuple(servers.values())[:SERVERS], tuple(untrusted), tuple(faults))


def _content(path: str) -> bytes | None:
    try:
        with Path(path).open("rb") as file:
            return file.read(CONFIG_BYTES)
    except OSError:
        return None


def _add(
    raw: bytes | None,
    path: str,
    source: Literal["user", "project"],
    servers: dict[str, ServerSpec],
    faults: list[str],
) -> None:
    if raw is None:
        return
    try:
        text = raw.decode("utf-8")
        found: Any = json.loads(text) if path.endswith(".json") else tomllib.loads(text)
    except (ValueError, RecursionError) as fault:
        faults.append(f"{path} cannot be read: {fault}")
        return
    whole = cast("dict[str, Any]", found) if isinstance(found, dict) else {}
    tables: Any = whole.get("mcpServers", whole.get("mcp"))
    if not isinstance(tables, dict):
        return
    for name, table in cast("dict[str, Any]", tables).items():
        spec = _spec(name, table, source)
        if isinstance(spec, str):
            faults.append(f"{path}: {spec}")
        else:
            servers.setdefault(name, spec)


def _spec(name: str, table: Any, source: Literal["user", "project"]) -> ServerSpec | str:
    if not _NAME.fullmatch(name):
        return f"the server name {name[:40]!r} must be of letters, digits, - and _"
    if not isinstance(table, dict):
        return f"the server {name} must be a table"
    values = cast("dict[str, Any]", table)
    command, url = values.get("command"), values.get("url")
    args = values.get("args", [])
    maps = [values.get("env", {}), values.get("headers", {})]
    if isinstance(command, str) == isinstance(url, str):
        return f"the server {name} needs either `command` or `url`"
    if not _all_text(args) or not all(_text_map(item) for item in maps):
        return f"the server {name} has an argument or variable that is no text"
    return ServerSpec(name, source, command, tuple(args), maps[0], url, maps[1])


def _all_text(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(item, str) for item in cast("list[object]", value)
    )


def _text_map(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(item, str) for item in cast("dict[str, Any]", value).values()
    )
