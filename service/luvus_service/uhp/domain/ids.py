"""The written forms of ids and positions: what is well-formed, and what is not.

Knows no session: whether a well-formed id is live is decided elsewhere.
"""

from __future__ import annotations

import re

from luvus_service.uhp.domain.errors import InvalidRequest, shown

MAX_PANE_ID = 2**32 - 1
MAX_POSITION = 2**53 - 1
"""The largest position read from a request; anything above is malformed, not merely absent."""

_DECIMAL = re.compile(r"0|[1-9][0-9]{0,15}")
_WORKSPACE_ID = re.compile(r"workspace_[0-9a-f]{32}")
_TAB_ID = re.compile(r"tab_[0-9a-f]{32}")
_TERMINAL_ID = re.compile(r"[0-9a-f]{32}")
_ALIAS = re.compile(r"[a-z][a-z0-9_-]{0,31}")


def parse_pane_id(value: object, field: str = "pane") -> int | None:
    """Read a pane id: an unsigned 32-bit integer or its decimal string; None means omitted.

    0 is well-formed although no pane ever has it.

    Raises:
        InvalidRequest: Any other value, such as "07", " 7", "+7", 7.0, True, -1 or 4294967296.
    """
    return _decimal(value, field, MAX_PANE_ID, "a pane id: an unsigned 32-bit integer")


def parse_workspace_index(value: object, field: str = "workspace") -> int | None:
    """Read a 0-based workspace position, an integer or its decimal string; None means omitted.

    Raises:
        InvalidRequest: The value is anything else.
    """
    return _decimal(value, field, MAX_POSITION, "a workspace position, counted from 0")


def parse_tab_position(value: object, field: str = "tab") -> int | None:
    """Read a 1-based tab position, an integer or its decimal string; None means omitted.

    Raises:
        InvalidRequest: The value is 0 or anything else.
    """
    wanted = "a tab position, counted from 1"
    position = _decimal(value, field, MAX_POSITION, wanted)
    if position == 0:
        raise InvalidRequest(f"{field} must be {wanted}, not {shown(value)}")
    return position


def parse_opaque_id(value: object, field: str) -> str | None:
    """Read a workspace_id or tab_id, which is any string to the one who looks it up.

    Raises:
        InvalidRequest: The value is neither a string nor None.
    """
    if value is None or isinstance(value, str):
        return value
    raise InvalidRequest(f"{field} must be a string, not {shown(value)}")


def is_workspace_id(text: str) -> bool:
    """Tell whether this is a workspace_id as this server makes them."""
    return _WORKSPACE_ID.fullmatch(text) is not None


def is_tab_id(text: str) -> bool:
    """Tell whether this is a tab_id as this server makes them."""
    return _TAB_ID.fullmatch(text) is not None


def is_terminal_id(text: str) -> bool:
    """Tell whether this is a terminal_id as this server makes them."""
    return _TERMINAL_ID.fullmatch(text) is not None


def is_alias(text: str) -> bool:
    """Tell whether a pane may have this alias."""
    return _ALIAS.fullmatch(text) is not None


def _decimal(value: object, field: str, highest: int, wanted: str) -> int | None:
    if value is None:
        return None
    number: int | None = None
    # bool is an int to Python and a different thing in JSON.
    if isinstance(value, int) and not isinstance(value, bool):
        number = value
    elif isinstance(value, str) and _DECIMAL.fullmatch(value):
        number = int(value)
    if number is None or not 0 <= number <= highest:
        raise InvalidRequest(f"{field} must be {wanted} or its decimal string, not {shown(value)}")
    return number
