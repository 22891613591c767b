"""What `ping` answers."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from luvus_service.rpc.models import Result


class Pong(Result):
    """The server answers."""

    type: Literal["pong"] = "pong"
    version: str = Field(description="The server's version.")
    protocol: Literal[1] = Field(default=1, description="The major version of the protocol.")
    session: str = Field(description="The session's name; `default` for the unnamed one.")
