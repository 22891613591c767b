"""Recordings: what is written, when they end, and that they never slow a pane down."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator
from typing import Any

import pytest

from luvus_service.rpc.errors import InvalidRequest, LimitExceeded
from luvus_service.uhp.engine import recording as module
from luvus_service.uhp.engine.errors import NotFound
from luvus_service.uhp.engine.panes import Panes
from luvus_service.uhp.engine.recording import FileNotWritable, Recordings, Request
from luvus_service.uhp.engine.workspaces import Workspaces
from tests.support.engine_world import EngineWorld
from tests.support.memory_store import MemoryFiles


class Studio:
    """A session with one pane and a recorder."""

    def __init__(self) -> None:
        self.world = EngineWorld("/home")
        self.session = self.world.session
        self.gate = threading.Event()
        self.gate.set()
        self.files = MemoryFiles(self._wait)
        self.recordings = Recordings(self.session, self.files)
        self.panes = Panes(self.session, Workspaces(self.session))

    async def show(self, text: bytes, pane: int = 1) -> None:
        """Let a pane's program put something out, and wait until it is on the screen."""
        terminal_id = str(self.session.structure.panes[pane].terminal_id)
        seen = asyncio.Event()
        stop = self.session.terminals[terminal_id].watch(seen.set)
        self.world.host.programs[terminal_id].sendall(text)
        await seen.wait()
        stop()

    def events(self, path: str) -> list[list[Any]]:
        """Return the events of a file."""
        return [json.loads(line) for line in self.files.files[path].content.splitlines()[1:]]

    def ends(self) -> list[str]:
        """Return why recordings ended, as the event stream tells."""
        frames = [json.loads(frame) for _, _, frame in self.session.events.retained(0)]
        return [f["data"]["reason"] for f in frames if f["event"] == "record.ended"]

    def _wait(self) -> None:
        assert self.gate.wait(10)


@pytest.fixture
async def studio() -> AsyncIterator[Studio]:
    made = Studio()
    await Workspaces(made.session).open("/", focus=True)
    yield made
    made.gate.set()
    await made.recordings.close()
    await made.world.close()


async def test_a_recording_has_the_screen_that_was_there_the_output_and_the_sizes(
    studio: Studio,
) -> None:
    await studio.show(b"before")
    pane, recording = await studio.recordings.start(None, Request("/a.cast", idle_limit=2))
    studio.world.clock.now += 1.5
    await studio.show(b"after \xc3")
    await studio.show(b"\xa9")
    await studio.panes.split(1, "right", focus=True)
    await studio.session.tasks.drain()

    assert (pane, recording.path) == (1, "/a.cast")
    assert [(p, r) for p, r in studio.recordings.active()] == [(1, recording)]
    await studio.recordings.stop(1)

    header = json.loads(studio.files.files["/a.cast"].content.splitlines()[0])
    assert header == {
        "version": 2,
        "width": 120,
        "height": 40,
        "timestamp": 1_700_001_000,
        "idle_time_limit": 2.0,
        "env": {"SHELL": "/bin/sh", "TERM": "xterm-256color"},
    }
    first, *rest = studio.events("/a.cast")
    assert first[:2] == [0.0, "o"]
    assert "before" in first[2]
    assert rest == [[1.5, "o", "after "], [1.5, "o", "é"], [1.5, "r", "60x40"]]
    assert studio.files.files["/a.cast"].closed
    assert studio.recordings.active() == []
    assert studio.ends() == ["stopped"]


async def test_nothing_more_is_taken_after_the_end_and_a_new_recording_can_begin(
    studio: Studio,
) -> None:
    await studio.recordings.start(1, Request("/a.cast"))
    await studio.recordings.stop(1)
    await studio.show(b"unseen")

    await studio.recordings.start(1, Request("/b.cast"))
    await studio.recordings.stop(1)

    assert b"unseen" not in studio.files.files["/a.cast"].content
    assert b"unseen" in studio.files.files["/b.cast"].content


@pytest.mark.parametrize(
    ("path", "absolute"),
    [("/x/y.cast", "/x/y.cast"), ("y.cast", "/work/y.cast"), ("~/y.cast", "/home/y.cast")],
)
async def test_a_path_is_taken_from_the_folder_of_the_pane(
    studio: Studio, path: str, absolute: str
) -> None:
    studio.world.processes.folders[1] = "/work"

    _, recording = await studio.recordings.start(1, Request(path))

    assert recording.path == absolute


async def test_what_cannot_be_recorded_is_refused(studio: Studio) -> None:
    await studio.recordings.start(1, Request("/a.cast"))
    await studio.panes.split(1, "right", focus=True)

    with pytest.raises(InvalidRequest, match="already"):
        await studio.recordings.start(1, Request("/b.cast"))
    with pytest.raises(FileNotWritable, match="there already"):
        await studio.recordings.start(2, Request("/a.cast"))
    with pytest.raises(NotFound):
        await studio.recordings.start(9, Request("/b.cast"))
    with pytest.raises(NotFound, match="not being recorded"):
        await studio.recordings.stop(2)
    for path in ("", "a\0b", "x" * 5000):
        with pytest.raises(InvalidRequest, match="`path`"):
            await studio.recordings.start(2, Request(path))

    assert list(studio.files.files) == ["/a.cast"]


async def test_only_so_many_panes_are_recorded_at_a_time(
    studio: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "RECORDINGS", 1)
    await studio.panes.split(1, "right", focus=True)
    await studio.recordings.start(1, Request("/a.cast"))

    with pytest.raises(LimitExceeded):
        await studio.recordings.start(2, Request("/b.cast"))


async def test_a_disk_that_falls_behind_ends_the_recording_and_never_holds_up_the_pane(
    studio: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "QUEUED_BYTES", 5000)
    _, recording = await studio.recordings.start(1, Request("/a.cast"))
    studio.gate.clear()

    for number in range(20):
        await studio.show(b"%d " % number + b"x" * 500 + b"\r\n")
    assert recording.reason == "slow_disk"
    assert "19 x" in await studio.panes.read(1, 5)

    studio.gate.set()
    await recording.finished.wait()
    events = studio.events("/a.cast")
    assert 5 < len(events) < 20
    assert "0 xxx" in events[1][2]


async def test_a_disk_that_refuses_ends_the_recording_with_the_reason(studio: Studio) -> None:
    _, recording = await studio.recordings.start(1, Request("/a.cast"))
    studio.files.files["/a.cast"].full = True

    await studio.show(b"more")
    await recording.finished.wait()

    assert (recording.reason, studio.files.files["/a.cast"].closed) == ("write_failed", True)
    await studio.show(b"and more")


async def test_a_recording_ends_at_its_size_limit(
    studio: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FILE_BYTES", 1000)
    _, recording = await studio.recordings.start(1, Request("/a.cast"))

    await studio.show(b"x" * 2000)
    await recording.finished.wait()

    assert recording.reason == "size_limit"


async def test_a_closed_pane_ends_its_recording(studio: Studio) -> None:
    await studio.panes.split(1, "right", focus=True)
    _, recording = await studio.recordings.start(2, Request("/a.cast"))
    await studio.show(b"last words", pane=2)

    await studio.panes.close(2)
    await recording.finished.wait()

    assert recording.reason == "pane_closed"
    assert studio.events("/a.cast")[-1][2] == "last words"


async def test_the_end_of_the_server_completes_every_file(studio: Studio) -> None:
    await studio.recordings.start(1, Request("/a.cast"))
    await studio.show(b"last words")

    await studio.recordings.close()

    assert studio.files.files["/a.cast"].closed
    assert studio.events("/a.cast")[-1][2] == "last words"
    assert studio.ends() == ["server_stopped"]
