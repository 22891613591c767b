"""A small newline JSON server on a real Unix socket, told by each test what to say."""

from __future__ import annotations

import json
import os
import shutil
import socket
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

Reply = Callable[[dict[str, Any], socket.socket], None]


def line(message: dict[str, Any]) -> bytes:
    return json.dumps(message).encode() + b"\n"


def result(request: dict[str, Any], **fields: Any) -> bytes:
    return line({"id": request["id"], "result": fields})


def error(request: dict[str, Any], code: str, message: str = "no", **extra: Any) -> bytes:
    return line({"id": request["id"], "error": {"code": code, "message": message, **extra}})


def event(sequence: int, name: str = "pane.created", **data: Any) -> bytes:
    return line({"event": name, "sequence": sequence, "data": data})


def acknowledged(request: dict[str, Any], sequence: int, replayed: int = 0) -> bytes:
    return result(request, type="subscription_started", sequence=sequence, replayed=replayed)


def private_folder() -> Path:
    """Make a short folder of mode 0700 directly below the temporary root."""
    return Path(tempfile.mkdtemp(prefix="lc-", dir="/tmp"))


class FakeServer:
    """Answers one request per connection with what `reply` writes to the connection."""

    def __init__(self, path: Path, reply: Reply) -> None:
        self.path = path
        self.reply = reply
        self.requests: list[dict[str, Any]] = []
        self._threads: list[threading.Thread] = []
        self._open: list[socket.socket] = []
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        old = os.umask(0o177)
        try:
            self._listener.bind(str(path))
        finally:
            os.umask(old)
        self._listener.listen(16)
        self._start(self._accept)

    def _start(self, target: Callable[[], None]) -> None:
        thread = threading.Thread(target=target)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._open.append(connection)
            self._start(lambda connection=connection: self._serve(connection))  # type: ignore[misc]

    def _serve(self, connection: socket.socket) -> None:
        with connection:
            try:
                with connection.makefile("rb") as lines:
                    raw = lines.readline()
                if not raw.endswith(b"\n"):
                    return
                request = json.loads(raw)
                self.requests.append(request)
                self.reply(request, connection)
            except OSError:
                return

    def close(self) -> None:
        """Stop, end every connection and remove the socket."""
        self.path.unlink(missing_ok=True)
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for connection in self._open:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue
        for thread in self._threads:
            thread.join(10)
            assert not thread.is_alive()

    def __enter__(self) -> FakeServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def home() -> Iterator[Path]:
    """Yield a private folder and remove it afterwards."""
    folder = private_folder()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
