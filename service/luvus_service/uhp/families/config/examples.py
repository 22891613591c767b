"""Calls that the reference page shows and a test runs."""

from __future__ import annotations

from typing import Any

from luvus_service.rpc.declare import Example
from luvus_service.uhp.engine.config_model import Config, ConfigLayout

_DEFAULTS: dict[str, Any] = Config().document()
_PATCHED = Config(layout=ConfigLayout(col_gap=2)).document()

EXAMPLES = (
    Example("config.get", {}, {"type": "config", "config": _DEFAULTS, "revision": 9}),
    Example(
        "config.patch",
        {"patch": {"layout": {"col_gap": 2}}},
        {"type": "config", "config": _PATCHED, "revision": 10},
    ),
)
