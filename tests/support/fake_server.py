"""A server of a few lines: real host client, and a line protocol for the test on a Unix socket.

Each line from the test is a JSON list [verb, arguments...]; each answer is one JSON line.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import signal
import sys
import uuid
from pathlib import Path
from typing import Any

import uvloop

from luvus_service.adapters.ptyhost.client import PtyHostClient
from luvus_service.adapters.ptyhost.winsize import set_size
from luvus_service.settings import Settings
from luvus_service.uhp.domain.ports import HostedTerminal, SpawnFailed, SpawnSpec


class FakeServer:
    """Reads every terminal into its journal, as the engine does, and obeys the test."""

    def __init__(self, settings: Settings, host: PtyHostClient) -> None:
        self.settings = settings
        self.host = host
        self.terminals: dict[str, HostedTerminal] = {}
        self.exits: dict[str, list[Any]] = {}
        self.changed = asyncio.Event()
        self.stop: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self.lost = asyncio.Event()
        host.on_exit(self.exited)
        host.on_host_lost(self.lost.set)
        self.replayed = {
            t.terminal_id: tuple(map(decode, t.journal.replay())) for t in host.recovered()
        }
        for terminal in host.recovered():
            self.watch(terminal)

    def exited(self, terminal_id: str, status: Any) -> None:
        self.exits[terminal_id] = [status.code, status.signal]
        self.changed.set()

    def watch(self, terminal: HostedTerminal) -> None:
        self.terminals[terminal.terminal_id] = terminal
        loop = asyncio.get_running_loop()
        loop.add_reader(terminal.master_fd, self.read, terminal)

    def read(self, terminal: HostedTerminal) -> None:
        journal = terminal.journal
        piece = journal.read_from(terminal.master_fd, 65536)
        if piece is not None and not len(piece):
            asyncio.get_running_loop().remove_reader(terminal.master_fd)
        if piece is None and journal.head - journal.start >= journal.capacity:
            # All output so far is the dump, so that the test can see every byte.
            dump, rest = journal.replay()
            journal.checkpoint((dump + rest)[-(4 << 20) :], journal.head)
        self.changed.set()

    def leave(self, code: int) -> None:
        if not self.stop.done():
            self.stop.set_result(code)

    async def serve(self) -> int:
        await asyncio.start_unix_server(
            self.talk,
            Path(self.settings.env["FAKE_CONTROL"], f"t{os.getpid()}.sock"),
            limit=4 << 20,
        )
        loop = asyncio.get_running_loop()
        deaf = "FAKE_DEAF" in self.settings.env
        loop.add_signal_handler(signal.SIGTERM, lambda: None if deaf else self.leave(0))
        self.host.ready()
        code = await self.stop
        await self.host.bye(code)
        return code

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while line := await reader.readline():
            verb, *arguments = json.loads(line)
            answer = await getattr(self, f"do_{verb}")(*arguments)
            writer.write(json.dumps(answer).encode() + b"\n")
        writer.close()
        await writer.wait_closed()

    async def do_spawn(self, argv: list[str], cwd: str, env: dict[str, str]) -> Any:
        terminal_id = uuid.uuid4().hex
        spec = SpawnSpec(terminal_id, tuple(argv), cwd, env, 80, 24)
        try:
            terminal = await self.host.spawn(spec)
        except SpawnFailed as fault:
            return {"failed": str(fault)}
        self.watch(terminal)
        return {"id": terminal_id, "pid": terminal.root.pid}

    async def do_output(self, terminal_id: str, needle: str) -> Any:
        """Wait until the output holds `needle` and return all of it."""
        while needle.encode() not in (seen := b"".join(self.journal(terminal_id))):
            self.changed.clear()
            await self.changed.wait()
        return decode(seen)

    async def do_exit(self, terminal_id: str) -> Any:
        while True:
            terminal = self.terminals[terminal_id]
            if terminal.exit is not None:
                return [terminal.exit.code, terminal.exit.signal]
            self.changed.clear()
            await self.changed.wait()

    async def do_end(self, terminal_id: str, grace: float) -> Any:
        status = await self.host.end(terminal_id, grace)
        return [status.code, status.signal]

    async def do_forget(self, terminal_id: str) -> Any:
        terminal = self.terminals.pop(terminal_id)
        asyncio.get_running_loop().remove_reader(terminal.master_fd)
        self.host.forget(terminal_id)
        return None

    async def do_root(self, terminal_id: str) -> Any:
        return self.terminals[terminal_id].root.pid

    async def do_write(self, terminal_id: str, text: str) -> Any:
        return os.write(self.terminals[terminal_id].master_fd, text.encode())

    async def do_resize(self, terminal_id: str, cols: int, rows: int) -> Any:
        set_size(self.terminals[terminal_id].master_fd, cols, rows)

    async def do_recovered(self) -> Any:
        return [
            {
                "id": t.terminal_id,
                "pid": t.root.pid,
                "size": [t.cols, t.rows],
                "exit": t.exit and [t.exit.code, t.exit.signal],
                "suspect": t.suspect,
                "lost": getattr(t.journal, "lost", None),
            }
            for t in self.host.recovered()
        ]

    async def do_replayed(self, terminal_id: str) -> Any:
        return self.replayed[terminal_id]

    async def do_feeding(self, terminal_id: str, mark: bool) -> Any:
        self.terminals[terminal_id].journal.mark_feeding(mark)

    async def do_checkpoint(self, terminal_id: str, dump: str) -> Any:
        journal = self.terminals[terminal_id].journal
        return journal.checkpoint(dump.encode(), journal.head)

    async def do_state(self, new: str | None) -> Any:
        old = self.host.state().decode()
        if new is not None:
            self.host.save_state(new.encode())
        return old

    async def do_leave(self, code: int) -> Any:
        self.leave(code)

    async def do_fds(self) -> Any:
        return len(list(Path("/proc/self/fd").iterdir()))

    async def do_replace(self) -> Any:
        await self.lost.wait()
        self.lost.clear()
        await self.host.replace_host()

    def journal(self, terminal_id: str) -> tuple[bytes, bytes]:
        return self.terminals[terminal_id].journal.replay()


def decode(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


async def main() -> int:
    settings = Settings.from_environment()
    behaviour = settings.env.get("FAKE_BEHAVIOUR", "")
    if behaviour.startswith("fail"):
        sys.stderr.write("the fake server was told to fail\n")
        return int(behaviour[4:] or 1)
    if Path(settings.session_dir, "broken").exists():
        return 9
    assert settings.host_fd is not None
    with Path(settings.session_dir, "servers").open("a") as note:
        note.write(f"{os.getpid()}\n")
    host = await PtyHostClient.connect(settings.host_fd, lock_fd=settings.lock_fd)
    return await FakeServer(settings, host).serve()


if __name__ == "__main__":
    sys.exit(uvloop.run(main()))
