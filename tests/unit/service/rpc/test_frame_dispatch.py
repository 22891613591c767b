from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Coroutine
from dataclasses import dataclass, replace
from typing import Any

import pytest

from luvus_service.rpc.frame_dispatch import WAITING, FrameDispatcher, check
from luvus_service.rpc.frames import Actions, action, group, group_spec
from luvus_service.rpc.models import LenientParams
from luvus_service.rpc.refusals import REASON_CHARS, Refused


@dataclass
class State:
    """What the session allows."""

    running: bool = False
    closing: bool = False
    read_only: bool = False
    github_writes: bool = False


class Words(LenientParams):
    """What to say."""

    text: str
    request_id: str | None = None


@group("talk")
class Talk:
    """Talk about things."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.go_on = asyncio.Event()

    @action("say")
    def say(self, content: Words) -> None:
        """Say something."""
        self.said.append(content.text)

    @action("hush")
    def hush(self) -> None:
        """Say nothing."""
        self.said.append("")

    @action("refuse")
    def refuse(self, content: Words) -> None:
        """Refuse."""
        raise Refused("locked", content.text)

    @action("break")
    def break_(self) -> None:
        """Fail."""
        raise ZeroDivisionError

    @action("wait")
    async def wait(self, content: Words) -> None:
        """Wait, then say something."""
        await self.go_on.wait()
        if content.text == "refuse":
            raise Refused("not_found", "nothing is there")
        if content.text == "break":
            raise ZeroDivisionError
        self.said.append(content.text)


class Desk:
    """A dispatcher, what it refused and the tasks it started."""

    def __init__(self) -> None:
        self.talk = Talk()
        self.state = State()
        self.refused: list[tuple[str | None, str, str, str | None]] = []
        self.tasks: list[asyncio.Task[Any]] = []
        self.dispatcher = FrameDispatcher(
            Actions([self.talk]), self.state, self._reject, self._start
        )

    def deliver(self, kind: str, content: Any = None) -> None:
        """Deliver a frame."""
        self.dispatcher.deliver(json.dumps({"kind": kind, "content": content}).encode())

    def wait(self, text: str, request_id: str | None = None) -> None:
        """Deliver a frame whose action waits."""
        self.deliver("wait", {"text": text, "request_id": request_id})

    async def done(self) -> None:
        """Let what waits go on, until all of it has ended."""
        self.talk.go_on.set()
        await asyncio.gather(*self.tasks)

    def _reject(self, kind: str | None, reason: str, code: str, request_id: str | None) -> None:
        self.refused.append((kind, reason, code, request_id))

    def _start(self, work: Coroutine[Any, Any, Any], name: str) -> None:
        self.tasks.append(asyncio.get_running_loop().create_task(work, name=name))


@pytest.fixture
async def desk() -> Desk:
    return Desk()


async def test_frames_are_acted_on_in_their_order(desk: Desk) -> None:
    desk.deliver("say", {"text": "a"})
    desk.deliver("hush")
    desk.dispatcher.deliver(b"  ")
    desk.deliver("say", {"text": "b"})

    assert (desk.talk.said, desk.refused) == (["a", "", "b"], [])


@pytest.mark.parametrize(
    ("line", "refusal"),
    [
        (b"[]", (None, "a frame must be an object", "malformed", None)),
        (
            b'{"kind":"none","content":{"request_id":"r"}}',
            ("none", "unknown action `none`", "unknown_action", "r"),
        ),
        (
            b'{"kind":"say","content":{"request_id":"r"}}',
            ("say", "say: missing field `text`", "missing_field", "r"),
        ),
        (
            b'{"kind":"say","content":{"text":1}}',
            ("say", "say: field `text` must be a string", "invalid_field", None),
        ),
        (b'{"kind":"say"}', ("say", "say: content must be an object", "invalid_field", None)),
        (
            b'{"kind":"refuse","content":{"text":"by me","request_id":"r"}}',
            ("refuse", "refuse: by me", "locked", "r"),
        ),
        (
            b'{"kind":"break"}',
            ("break", "break: Luxe failed unexpectedly; see its log", "failed", None),
        ),
    ],
)
async def test_a_line_that_does_nothing_is_answered(
    desk: Desk, line: bytes, refusal: tuple[Any, ...]
) -> None:
    desk.dispatcher.deliver(line)

    assert (desk.refused, desk.talk.said) == ([refusal], [])
    desk.deliver("hush")
    assert desk.talk.said == [""]


async def test_a_long_reason_is_cut(desk: Desk) -> None:
    desk.deliver("refuse", {"text": "x" * 1000})

    assert [len(reason) for _, reason, _, _ in desk.refused] == [REASON_CHARS]


async def test_an_action_that_waits_does_not_hold_up_the_next(desk: Desk) -> None:
    desk.wait("late")
    desk.deliver("say", {"text": "early"})
    await desk.done()

    assert desk.talk.said == ["early", "late"]
    assert [task.get_name() for task in desk.tasks] == ["wait"]


async def test_an_action_that_waited_answers_its_refusal_and_its_failure(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    desk.wait("refuse", "r1")
    desk.wait("break", "r2")
    with caplog.at_level(logging.ERROR):
        await desk.done()

    assert desk.refused == [
        ("wait", "wait: nothing is there", "not_found", "r1"),
        ("wait", "wait: Luxe failed unexpectedly; see its log", "failed", "r2"),
    ]
    assert [record.getMessage() for record in caplog.records] == ["wait failed"]


async def test_as_many_actions_wait_as_may_and_the_next_is_busy(desk: Desk) -> None:
    for number in range(WAITING):
        desk.wait(str(number))
    desk.wait("one more", "r")

    assert desk.refused == [
        ("wait", f"wait: {WAITING} actions are under way; wait for their answers", "busy", "r")
    ]
    await desk.done()
    desk.wait("again")
    await desk.done()
    assert desk.talk.said == [*map(str, range(WAITING)), "again"]


PLAIN = group_spec(Talk).actions[0]


@pytest.mark.parametrize(
    ("spec", "state", "code"),
    [
        (PLAIN, State(closing=True), "closing"),
        (replace(PLAIN, writes_github=True), State(closing=True), "closing"),
        (replace(PLAIN, writes_github=True), State(), "github_writes_off"),
        (replace(PLAIN, writes_github=True), State(read_only=True), "github_writes_off"),
        (
            replace(PLAIN, writes_github=True),
            State(read_only=True, github_writes=True),
            "read_only",
        ),
        (replace(PLAIN, writes_github=True), State(github_writes=True), None),
        (replace(PLAIN, changes=True), State(read_only=True, running=True), "read_only"),
        (replace(PLAIN, changes=True), State(running=True), None),
        (replace(PLAIN, needs="idle"), State(running=True), "busy"),
        (replace(PLAIN, needs="idle"), State(), None),
        (replace(PLAIN, needs="turn"), State(), "idle"),
        (replace(PLAIN, needs="turn"), State(running=True), None),
        (PLAIN, State(running=True, read_only=True), None),
    ],
)
def test_the_session_says_what_is_allowed_now(spec: Any, state: State, code: str | None) -> None:
    found = None
    try:
        check(spec, state)
    except Refused as refused:
        found = refused.code

    assert found == code


async def test_an_action_that_is_not_allowed_is_refused_after_its_content(desk: Desk) -> None:
    desk.state.closing = True

    desk.deliver("say", {"text": 1})
    desk.deliver("say", {"text": "x"})

    assert [code for _, _, code, _ in desk.refused] == ["invalid_field", "closing"]
    assert desk.talk.said == []
