"""Calls that the reference page shows and a test runs."""

from __future__ import annotations

from luvus_service.rpc.declare import Example

EXAMPLES = (Example("attach.pane", {"pane": 1}, {"type": "ok", "pane": "1", "revision": 12}),)
