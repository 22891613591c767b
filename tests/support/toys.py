"""A small service with one method of every sort: for tests of what takes calls to their methods."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Annotated, Literal

from pydantic import Field

from luvus_service.rpc.call import Call, Stream, check_revision
from luvus_service.rpc.declare import event, family, method, stream
from luvus_service.rpc.dispatch import Dispatcher
from luvus_service.rpc.errors import InvalidParams, InvalidRequest, LimitExceeded
from luvus_service.rpc.models import (
    EventData,
    LenientParams,
    NoParams,
    NoParamsLenient,
    Params,
    Result,
)
from luvus_service.rpc.registry import Registry
from luvus_service.rpc.scopes import Access, Scope
from luvus_service.rpc.streaming import forward
from luvus_service.rpc.tokens import Tokens


class Number(Params):
    """A number."""

    number: Annotated[int, Field(description="The number.")] = 0


class OldNumber(LenientParams):
    """A number, of an older method."""

    number: Annotated[int, Field(description="The number.")] = 0


class Shown(Result):
    """A number."""

    type: Literal["shown"] = "shown"
    number: int


class Nothing(Result):
    """Nothing at all."""


class ToyFrame(Result):
    """A frame of the stream."""

    event: str
    sequence: int


@event("toy.shown")
class ToyShown(EventData):
    """A number was shown."""


@family("toy", scope=Scope.WORKSPACE, events=(ToyShown,))
class Toys:
    """Show numbers.

    Every sort of method once.
    """

    def __init__(self) -> None:
        self.calls: list[tuple[str, int]] = []
        self.revision = 7
        self.frames: asyncio.Queue[bytes | Exception] = asyncio.Queue()
        self.waiting = asyncio.Event()
        self.left = asyncio.Event()
        self.before_acknowledgement: Exception | None = None

    @method("toy.show", access=Access.READ, revision=False, aliases=("toy.see",))
    async def show(self, params: Number) -> Shown:
        """Show a number."""
        self.calls.append(("toy.show", params.number))
        return Shown(number=params.number)

    @method("toy.old", access=Access.READ)
    async def old(self, params: OldNumber) -> Shown:
        """Show a number, as lenient as ever."""
        return Shown(number=params.number)

    @method("toy.add", access=Access.WRITE)
    async def add(self, params: Number) -> Shown:
        """Add to the revision."""
        self.calls.append(("toy.add", params.number))
        self.revision += params.number
        return Shown(number=self.revision)

    @method("toy.clear", access=Access.WRITE, invalid=InvalidParams, scope=Scope.ADMIN)
    async def clear(self, params: NoParams) -> Nothing:
        """Clear everything."""
        return Nothing()

    @method("toy.later", access=Access.WRITE)
    async def later(self, params: NoParams) -> Nothing:
        """Change something after the revision has changed meanwhile."""
        self.revision += 1
        check_revision(self.revision)
        return Nothing()

    @method("toy.wait", access=Access.READ)
    async def wait(self, params: NoParams, call: Call) -> Nothing:
        """Wait until the caller has gone."""
        self.waiting.set()
        await call.gone.wait()
        self.left.set()
        return Nothing()

    @method("toy.refuse", access=Access.READ, errors=(LimitExceeded,))
    async def refuse(self, params: NoParamsLenient, call: Call) -> Nothing:
        """Refuse with an error that is declared."""
        raise LimitExceeded("no more toys", held=sorted(call.scopes))

    @method("toy.stray", access=Access.READ)
    async def stray(self, params: NoParams) -> Nothing:
        """Refuse with an error that is not declared."""
        raise LimitExceeded("no more toys")

    @method("toy.break", access=Access.READ)
    async def break_(self, params: NoParams) -> Nothing:
        """Fail."""
        raise ZeroDivisionError("the secret of the toy")

    @stream(
        "toy.watch",
        frames=(ToyFrame,),
        acknowledges=Shown,
        errors=(LimitExceeded,),
        listens=True,
    )
    async def watch(self, params: Number, stream: Stream) -> None:
        """Send frames as they come."""
        if self.before_acknowledgement is not None:
            error, self.before_acknowledgement = self.before_acknowledgement, None
            raise error
        self.calls.append(("toy.watch", params.number))
        await stream.acknowledge(Shown(number=params.number))
        self.waiting.set()
        try:
            await forward(stream, self._frames())
        finally:
            self.left.set()

    async def _frames(self) -> AsyncIterator[bytes]:
        while True:
            frame = await self.frames.get()
            if isinstance(frame, Exception):
                raise frame
            if not frame:
                return
            yield frame


class ToyService:
    """The toys with a dispatcher and a clock that stands still."""

    def __init__(self, *, strict_errors: bool = False) -> None:
        self.now = 1000.0
        self.admits: Callable[[str], None] = lambda _name: None
        self.toys = Toys()
        self.tokens = Tokens(lambda: self.now)
        self.dispatcher = Dispatcher(
            Registry([self.toys]),
            self.tokens,
            revision=lambda: self.toys.revision,
            admit=self._admit,
            strict_errors=strict_errors,
        )

    def _admit(self, name: str) -> None:
        self.admits(name)

    def secret(self, *scopes: Scope) -> str:
        """Return the secret of a new token that lives for a minute."""
        _, secret = self.tokens.create(scopes, 60, frozenset({Scope.ALL}))
        return secret


REFUSED = InvalidRequest("not now")
