"""What the local provider server answers, written once and rendered in every wire format.

A reply is a list of steps. Rendering knows the formats; sockets are the server's.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

Format: TypeAlias = Literal["anthropic", "openai-chat", "openai-responses"]


@dataclass(frozen=True)
class Say:
    """Text."""

    text: str


@dataclass(frozen=True)
class Think:
    """Reasoning; `signature` is what must be handed back."""

    text: str
    signature: str = "signed"


@dataclass(frozen=True)
class Call:
    """A tool call; `input` may be the raw text of its arguments."""

    name: str
    input: Mapping[str, Any] | str = field(default_factory=dict)
    call_id: str = "call_1"

    @property
    def arguments(self) -> str:
        """Return the text of its arguments."""
        return self.input if isinstance(self.input, str) else json.dumps(self.input)


@dataclass(frozen=True)
class Pause:
    """Silence of so many seconds; infinite for a provider that hangs."""

    seconds: float


@dataclass(frozen=True)
class Cut:
    """The connection ends here; abruptly with `reset`."""

    reset: bool = False


@dataclass(frozen=True)
class Junk:
    """Bytes that belong to no format."""

    data: bytes


@dataclass(frozen=True)
class Fail:
    """An error within the stream, after which it ends."""

    type: str
    message: str = "it failed"


Step: TypeAlias = Say | Think | Call | Pause | Cut | Junk | Fail


@dataclass(frozen=True)
class Counts:
    """What is counted: the prompt in its three parts, the answer with its reasoning."""

    fresh: int = 100
    cached: int = 0
    written: int = 0
    output: int = 20
    reasoning: int = 0


@dataclass(frozen=True)
class Reply:
    """One answer."""

    steps: tuple[Step, ...] = ()
    status: int = 200
    error: tuple[str, str] = ("", "")
    """(type, message) of an answer whose status is no success."""
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    """Sent as it is, instead of anything else."""
    stop: Literal["end", "max_tokens", "refusal"] = "end"
    counts: Counts = Counts()
    message_id: str = "msg_1"
    """Of Anthropic's messages; agents count a usage once for each."""
    piece: int = 12
    """Characters in one delta."""
    delay: float = 0.0
    """Seconds before each delta."""
    write: int | None = None
    """Bytes in one write to the socket."""
    before: float = 0.0
    """Seconds before anything is answered at all."""


def says(text: str, **rest: Any) -> Reply:
    """Return a reply of one text."""
    return Reply((Say(text),), **rest)


def calls(*made: Call, **rest: Any) -> Reply:
    """Return a reply of tool calls."""
    return Reply(made, **rest)


def reply_of(written: Mapping[str, Any]) -> Reply:
    """Return a reply written as JSON; see `provider_server` for the form."""
    steps: list[Step] = []
    for step in written.get("steps", ()):
        ((kind, value),) = step.items()
        match kind:
            case "say":
                steps.append(Say(value))
            case "think":
                steps.append(Think(value))
            case "call":
                steps.append(Call(**value))
            case "pause":
                steps.append(Pause(float(value)))
            case "cut":
                steps.append(Cut(reset=value == "reset"))
            case "junk":
                steps.append(Junk(value.encode()))
            case "fail":
                steps.append(Fail(value))
            case _:
                raise ValueError(f"no step {kind!r}")
    rest = {k: v for k, v in written.items() if k not in ("steps", "usage", "error", "body")}
    if "usage" in written:
        rest["counts"] = Counts(**written["usage"])
    if "error" in written:
        rest["error"] = tuple(written["error"])
    if "body" in written:
        rest["body"] = written["body"].encode()
    return Reply(tuple(steps), **rest)


def error_body(form: Format, reply: Reply) -> bytes:
    """Return the body of an answer that is no success."""
    kind, message = reply.error
    if form == "anthropic":
        return _json({"type": "error", "error": {"type": kind, "message": message}})
    return _json({"error": {"message": message, "type": kind, "code": kind, "param": None}})


def frames(form: Format, reply: Reply, model: str) -> Iterator[bytes | Pause | Cut]:
    """Yield the events of a streamed answer, with what happens between them."""
    # Imported here: both modules need the steps above.
    from tests.support.provider_formats import WRITERS

    writer = WRITERS[form](reply, model)
    yield from writer.begin()
    for step in reply.steps:
        if isinstance(step, Pause):
            yield step
        elif isinstance(step, Cut):
            yield step
            return
        elif isinstance(step, Junk):
            yield step.data
        elif isinstance(step, Fail):
            yield from writer.fail(step)
            return
        else:
            for frame in writer.block(step):
                if reply.delay:
                    yield Pause(reply.delay)
                yield frame
    yield from writer.end()


def whole(form: Format, reply: Reply, model: str) -> bytes:
    """Return the answer to a request that asked for no stream."""
    from tests.support.provider_formats import WRITERS

    return _json(WRITERS[form](reply, model).whole())


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()
