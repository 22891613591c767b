"""What every client of the HTTP socket knows: its address, the token, and how failures read."""

from __future__ import annotations

import httpx

from luvus_client.endpoint import Evidence, validate
from luvus_client.errors import AnswerTimeout, ConnectionFailure, ConnectionLost, NotRunning


class HttpEndpoint:
    """The HTTP socket of a session."""

    def __init__(self, address: str, token: str | None) -> None:
        self.address = address
        self.headers = {"authorization": f"Bearer {token}"} if token else {}

    def look(self) -> Evidence:
        """Check the socket before it is used."""
        return validate(self.address)

    def failure(self, error: httpx.TransportError) -> ConnectionFailure:
        """Return what a failure of the transport means."""
        if isinstance(error, httpx.ConnectError):
            return NotRunning(f"no server accepts connections at {self.address}")
        if isinstance(error, httpx.ConnectTimeout | httpx.PoolTimeout):
            return AnswerTimeout(
                f"no connection to {self.address} in time", possibly_executed=False
            )
        if isinstance(error, httpx.TimeoutException):
            return AnswerTimeout("the server did not answer in time", possibly_executed=True)
        return ConnectionLost(f"the connection broke: {error}", possibly_executed=True)
