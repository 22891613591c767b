"""The rules of the configuration that need no types: how patches merge, how older files are read.

Knows no key's type or default; those are the engine's model.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias, cast

from luvus_service.uhp.domain.errors import InvalidRequest, shown

Document: TypeAlias = dict[str, Any]

VERSION = 2
OPEN_KEYS = frozenset({"keybindings", "direct_keybindings", "mission_pricing"})
"""Tables that take new keys; everywhere else a key that is not there yet is a mistake."""
SCROLLBACK_MIN, SCROLLBACK_MAX = 1 << 20, 256 << 20
SCROLLBACK_DEFAULT = 10_485_760

_OLD_LAYOUT_NAMES = {
    "resume_in_new_node": "resume_in_new_workspace",
    "compact_width": "mobile_width",
}
_OLD_SCROLLBACK_LINES = 2_000
"""The default of the older setting in lines; it is worth the default in bytes."""
_MAX_DEPTH = 16
_TAKEN_KEYS = frozenset({"m", "M"})
"""Keys that version 2 gave a meaning of their own."""


def merged(current: Mapping[str, Any], patch: Mapping[str, Any], place: str = "") -> Document:
    """Return a document with a patch laid over it: objects key by key, all else whole.

    Raises:
        InvalidRequest: The patch has a key that the document lacks; the text has its dotted path.
    """
    if place.count(".") > _MAX_DEPTH:
        raise InvalidRequest(f"patch.{place} is nested more than {_MAX_DEPTH} levels deep")
    result: Document = dict(current)
    for key, value in patch.items():
        path = f"{place}.{key}" if place else key
        if key not in current and place not in OPEN_KEYS:
            raise InvalidRequest(f"unknown config field {shown(path)}; config.get lists them")
        known = current.get(key)
        if isinstance(known, Mapping) and isinstance(value, Mapping):
            below = cast("Mapping[str, Any]", value)
            result[key] = merged(cast("Mapping[str, Any]", known), below, path)
        else:
            result[key] = value
    return result


def joined(first: Mapping[str, Any], second: Mapping[str, Any]) -> Document:
    """Return one patch that does what two do one after the other."""
    result: Document = dict(first)
    for key, value in second.items():
        known = first.get(key)
        if isinstance(known, Mapping) and isinstance(value, Mapping):
            below = cast("Mapping[str, Any]", value)
            result[key] = joined(cast("Mapping[str, Any]", known), below)
        else:
            result[key] = value
    return result


def overlaid(under: Mapping[str, Any], over: Mapping[str, Any]) -> Document:
    """Return `over` with those keys of `under` that it does not know, at every level.

    The open tables are taken from `over` alone, so that what was removed there stays removed.
    """
    result: Document = dict(over)
    for key, value in under.items():
        if key not in over:
            result[key] = value
        elif key not in OPEN_KEYS and isinstance(value, Mapping) and isinstance(over[key], Mapping):
            result[key] = overlaid(cast("Mapping[str, Any]", value), over[key])
    return result


def renamed(document: Mapping[str, Any]) -> Document:
    """Return a document or a patch with the older names of its keys replaced by the new ones."""
    result: Document = dict(document)
    layout = result.get("layout")
    if isinstance(layout, Mapping):
        result["layout"] = _renamed_layout(cast("Mapping[str, Any]", layout))
    return result


def migrated(document: Mapping[str, Any]) -> Document:
    """Return a stored document as this version writes it."""
    result = renamed(document)
    version = result.get("version", VERSION)
    if isinstance(version, int) and version < VERSION:
        bindings = result.get("keybindings")
        if isinstance(bindings, Mapping):
            table = cast("Mapping[str, Any]", bindings)
            taken = [k for k, v in table.items() if isinstance(v, str) and v in _TAKEN_KEYS]
            result["keybindings"] = {k: v for k, v in table.items() if k not in taken}
        result["version"] = VERSION
    return result


def scrollback_of_lines(lines: object) -> int | None:
    """Return the bytes that stand for an older limit in lines, or None when it is none."""
    if isinstance(lines, bool) or not isinstance(lines, int):
        return None
    least, most = 200, 20_000
    kept = min(max(lines, least), most)
    size = kept * SCROLLBACK_DEFAULT // _OLD_SCROLLBACK_LINES
    return min(max(size, SCROLLBACK_MIN), SCROLLBACK_MAX)


def without(document: Mapping[str, Any], path: tuple[str | int, ...]) -> Document:
    """Return a document without the value at a path, or without what stands on the way to it."""
    result: Document = dict(document)
    if not path or path[0] not in result:
        return result
    key = str(path[0])
    below = result[key]
    if len(path) > 1 and isinstance(below, Mapping) and path[1] in below:
        result[key] = without(cast("Mapping[str, Any]", below), path[1:])
    else:
        del result[key]
    return result


def _renamed_layout(layout: Mapping[str, Any]) -> Document:
    result: Document = {}
    for key, value in layout.items():
        name = _OLD_LAYOUT_NAMES.get(key, key)
        if name == key or name not in layout:
            result[name] = value
    if "scrollback" in result:
        size = scrollback_of_lines(result["scrollback"])
        if size is not None:
            del result["scrollback"]
            result.setdefault("scrollback_bytes", size)
    return result
