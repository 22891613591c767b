"""What a server can do for its terminals after their host died."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import threading
import time

from luvus_service.adapters.ptyhost.command import host_command
from luvus_service.adapters.ptyhost.config import HostConfig
from luvus_service.adapters.ptyhost.logfile import open_log
from luvus_service.adapters.ptyhost.sessions import Sessions, is_same_process
from luvus_service.uhp.domain.ports import RootProcess

_CHECK_S = 0.05


async def start_replacement(config: HostConfig, lock_fd: int) -> socket.socket:
    """Start a host that will adopt what comes over the returned socket.

    It inherits the lock, and detaches itself: it is nobody's child and leaves nobody a zombie.

    Raises:
        OSError: No process can be started.
    """
    ours, child = _start(config, lock_fd)
    await asyncio.to_thread(child.wait)
    return ours


def _start(config: HostConfig, lock_fd: int) -> tuple[socket.socket, subprocess.Popen[bytes]]:
    ours, theirs = socket.socketpair()
    log = open_log(config.log_path)
    try:
        command = host_command(config, lock_fd, "--adopt-fd", str(theirs.fileno()))
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            pass_fds=(lock_fd, theirs.fileno()),
            start_new_session=True,
        )
    except OSError:
        ours.close()
        raise
    finally:
        theirs.close()
        os.close(log)
    return ours, child


class _Leader:
    """A program whose end nobody reports any more."""

    def __init__(self, root: RootProcess) -> None:
        self.pid = root.pid
        self._marker = root.start_marker

    @property
    def alive(self) -> bool:
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        return is_same_process(self.pid, self._marker)


def hang_up_without_host(root: RootProcess, grace_s: float) -> None:
    """Hang up a program's session and kill what is left after the grace; blocks that long."""
    leader = _Leader(root)
    deadline = time.monotonic() + grace_s
    Sessions().signal(leader, signal.SIGHUP)
    Sessions().signal(leader, signal.SIGCONT)
    while time.monotonic() < deadline and (leader.alive or Sessions().members(leader)):
        threading.Event().wait(_CHECK_S)
    Sessions().signal(leader, signal.SIGKILL)
