"""The command line of a host, for the launcher and for a server whose host died."""

from __future__ import annotations

import sys

from luvus_service.adapters.ptyhost.config import HostConfig

HOST_MODULE = "luvus_service.adapters.ptyhost"


def host_command(config: HostConfig, lock_fd: int, *options: str) -> list[str]:
    """Return the command line of a host.

    `-P` keeps the folder we happen to stand in out of the import path: it may be anybody's.
    """
    base = [sys.executable, "-P", "-m", HOST_MODULE, "--config", config.to_json()]
    return [*base, "--lock-fd", str(lock_fd), *options]
