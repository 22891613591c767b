"""What the server's own methods answer."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from luvus_service.rpc.models import Result
from luvus_service.uhp.engine.config_model import Config


class Stopping(Result):
    """The server stops after this answer."""

    type: Literal["ok"] = "ok"


class ConfigReloaded(Result):
    """The configuration that is in force now."""

    type: Literal["config_reloaded"] = "config_reloaded"
    config: Config = Field(description="Every key, with its default where none is set.")
