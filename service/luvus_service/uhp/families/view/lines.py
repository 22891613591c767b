"""Reads and obeys the lines that a viewer sends; each is checked on its own."""

from __future__ import annotations

from base64 import b64decode
from typing import Annotated, TypeAlias, TypeVar

from pydantic import Field, TypeAdapter, ValidationError

from luvus_service.rpc.call import Stream
from luvus_service.rpc.errors import Forbidden, InvalidParams, InvalidRequest, RpcError
from luvus_service.rpc.scopes import Access, Scope, covers
from luvus_service.rpc.streaming import Say
from luvus_service.rpc.strict_json import BadJson, loads
from luvus_service.rpc.validation import explain
from luvus_service.uhp.engine.sizing import Claim
from luvus_service.uhp.engine.terminal import Terminal
from luvus_service.uhp.engine.viewing import View
from luvus_service.uhp.families.view.models import (
    AckLine,
    BytesLine,
    PasteLine,
    RefreshLine,
    RefusedData,
    RefusedFrame,
    SizeLine,
    TakeLine,
    TypeLine,
)

L = TypeVar("L")
ViewLine: TypeAlias = TypeLine | BytesLine | PasteLine | AckLine | RefreshLine
_VIEW: TypeAdapter[ViewLine] = TypeAdapter(Annotated[ViewLine, Field(discriminator="action")])
_SIZE: TypeAdapter[SizeLine | TakeLine] = TypeAdapter(
    Annotated[SizeLine | TakeLine, Field(discriminator="action")]
)


def may_write(stream: Stream) -> bool:
    """Say whether the caller may type; asked again for every line."""
    return stream.allowed() and covers(stream.scopes, Scope.TERMINAL, Access.WRITE)


async def obey_viewer(line: bytes, stream: Stream, terminal: Terminal, view: View) -> None:
    """Do what a line says; what is refused is said to the viewer, not raised."""
    try:
        wanted = _read(_VIEW, line)
        if isinstance(wanted, AckLine):
            view.acknowledge(wanted.end)
            return
        if isinstance(wanted, RefreshLine):
            view.changed()
            return
        if not may_write(stream):
            raise Forbidden("this viewer may look and not type: its token lacks `terminal`")
        if isinstance(wanted, TypeLine):
            terminal.write(wanted.text.encode())
        elif isinstance(wanted, BytesLine):
            terminal.write(_decoded(wanted.base64))
        else:
            await terminal.paste(wanted.text)
    except RpcError as error:
        await view.say(_refused(error))


async def obey_sizer(line: bytes, claim: Claim, say: Say) -> None:
    """Do what a line says about the size."""
    try:
        wanted = _read(_SIZE, line)
    except RpcError as error:
        await say(_refused(error))
        return
    if isinstance(wanted, SizeLine):
        claim.resize(wanted.cols, wanted.rows)
    else:
        claim.take()


def _read(adapter: TypeAdapter[L], line: bytes) -> L:
    try:
        given = loads(line)
    except BadJson as error:
        raise InvalidRequest(f"bad json: {error}") from error
    try:
        return adapter.validate_python(given)
    except ValidationError as error:
        raise InvalidParams(explain(error, given)) from error


def _decoded(text: str) -> bytes:
    try:
        return b64decode(text, validate=True)
    except ValueError as error:
        raise InvalidParams(f"`base64` cannot be decoded: {error}") from error


def _refused(error: RpcError) -> bytes:
    data = RefusedData(code=error.code, message=error.message)
    return RefusedFrame(data=data).model_dump_json().encode()
