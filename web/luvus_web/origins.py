"""Which names this server goes by; everything else is somebody else's page.

An `Origin` that equals the `Host` proves nothing: a name that an attacker points at this machine
makes them equal. So the names are a list of literals, and a name outside of it gets no answer.
"""

from __future__ import annotations

from dataclasses import dataclass

LOOPBACK = ("127.0.0.1", "::1")
"""The only addresses that are listened on."""
_NAMES = ("127.0.0.1", "[::1]", "localhost")


@dataclass(frozen=True, slots=True)
class Origins:
    """The names of a server on one port."""

    port: int

    def allows_host(self, host: str | None) -> bool:
        """Say whether a `Host` header names this server; without a port it is another one."""
        return host is not None and host.lower() in {f"{name}:{self.port}" for name in _NAMES}

    def allows_origin(self, origin: str | None, host: str) -> bool:
        """Say whether a request comes from a page of the very name it is sent to."""
        return origin is not None and origin.lower() == f"http://{host.lower()}"

    def url(self, address: str) -> str:
        """Return the address of the first page."""
        name = f"[{address}]" if ":" in address else address
        return f"http://{name}:{self.port}"
