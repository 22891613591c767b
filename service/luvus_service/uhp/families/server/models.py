"""What the server's own methods answer."""

from __future__ import annotations

from typing import Literal

from luvus_service.rpc.models import Result


class Stopping(Result):
    """The server stops after this answer."""

    type: Literal["ok"] = "ok"
