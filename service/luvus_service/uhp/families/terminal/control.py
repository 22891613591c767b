"""Answers the lines of a control stream: each is one action, checked on its own."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Awaitable, Callable
from typing import Any, Literal, TypeVar, cast

from pydantic import BaseModel, ValidationError

from luvus_service.rpc.call import Stream
from luvus_service.rpc.dispatch import error_bytes
from luvus_service.rpc.errors import Forbidden, InvalidRequest, RpcError
from luvus_service.rpc.models import Result
from luvus_service.rpc.strict_json import BadJson, loads
from luvus_service.rpc.validation import explain
from luvus_service.uhp.domain.locators import Locator
from luvus_service.uhp.engine.backend import Backend
from luvus_service.uhp.engine.backend_files import Files
from luvus_service.uhp.engine.errors import RefusedParams, UnsupportedCapability
from luvus_service.uhp.engine.uploads import Upload
from luvus_service.uhp.families.terminal.actions import (
    Envelope,
    ImageAction,
    KeyAction,
    TextAction,
    UploadChunk,
    UploadRef,
    UploadStart,
)
from luvus_service.uhp.families.terminal.results import TerminalAction, TerminalUpload

NO_ID = "0"

M = TypeVar("M", bound=BaseModel)


class Control:
    """The acting side of one control stream."""

    def __init__(self, backend: Backend, locator: Locator, files: Files, stream: Stream) -> None:
        self._backend = backend
        self._locator = locator
        self._files = files
        self._stream = stream
        self._actions: dict[str, Callable[[dict[str, Any]], Awaitable[Result]]] = {
            "type_literal": self._type,
            "paste_text": self._paste,
            "submit_text": self._submit,
            "send_key": self._press,
            "paste_image": self._image,
            "upload_start": self._start,
            "upload_chunk": self._chunk,
            "upload_finish": self._finish,
            "upload_cancel": self._cancel,
        }

    async def act(self, line: bytes) -> bytes:
        """Do what a line says and return the reply; whatever is refused is said, not raised."""
        name = NO_ID
        try:
            fields = _object(line)
            name = _id_of(fields)
            wanted = _read(Envelope, fields, InvalidRequest)
            if not self._stream.allowed():
                raise Forbidden("the token has expired or was revoked", dispatch="rejected")
            perform = self._actions.get(wanted.action)
            if perform is None:
                raise UnsupportedCapability(
                    f"unknown action {wanted.action[:64]!r}; uhp.capabilities lists them",
                    dispatch="not_started",
                )
            result = await perform(wanted.params)
        except RpcError as error:
            return b'{"id":"%b","error":%b}' % (name.encode(), error_bytes(error))
        return b'{"id":"%b","result":%b}' % (name.encode(), result.model_dump_json().encode())

    async def _type(self, params: dict[str, Any]) -> Result:
        self._backend.type_literal(self._locator, _params(TextAction, params).text)
        return _done("queued")

    async def _paste(self, params: dict[str, Any]) -> Result:
        await self._backend.paste(self._locator, _params(TextAction, params).text)
        return _done("queued")

    async def _submit(self, params: dict[str, Any]) -> Result:
        text = _params(TextAction, params).text
        await self._backend.paste(self._locator, text, enter=True)
        return _done("queued")

    async def _press(self, params: dict[str, Any]) -> Result:
        await self._backend.press(self._locator, _params(KeyAction, params).key)
        return _done("queued")

    async def _image(self, params: dict[str, Any]) -> Result:
        data = _bytes("png_base64", _params(ImageAction, params).png_base64)
        await self._files.paste_image(data)
        return _done("queued")

    async def _start(self, params: dict[str, Any]) -> Result:
        wanted = _params(UploadStart, params)
        return _state(await self._files.start(wanted.name, wanted.size))

    async def _chunk(self, params: dict[str, Any]) -> Result:
        wanted = _params(UploadChunk, params)
        data = _bytes("data_base64", wanted.data_base64)
        return _state(await self._files.add(wanted.upload_id, wanted.offset, data))

    async def _finish(self, params: dict[str, Any]) -> Result:
        await self._files.finish(_params(UploadRef, params).upload_id)
        return _done("queued")

    async def _cancel(self, params: dict[str, Any]) -> Result:
        self._files.cancel(_params(UploadRef, params).upload_id)
        return _done("executed")


def _object(line: bytes) -> dict[str, Any]:
    try:
        found: object = loads(line)
    except BadJson as error:
        raise InvalidRequest(f"bad json: {error}", dispatch="not_started") from error
    if not isinstance(found, dict):
        raise InvalidRequest("an action must be a JSON object", dispatch="not_started")
    return cast("dict[str, Any]", found)


def _id_of(fields: dict[str, Any]) -> str:
    try:
        return Envelope.model_validate({"id": fields.get("id"), "action": "", "params": {}}).id
    except ValidationError:
        return NO_ID


def _read(model: type[M], fields: dict[str, Any], refusal: type[RpcError]) -> M:
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        raise refusal(explain(error, fields), dispatch="not_started") from error


def _params(model: type[M], fields: dict[str, Any]) -> M:
    return _read(model, fields, RefusedParams)


def _bytes(name: str, text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise RefusedParams(f"`{name}` is no base64") from error


def _done(dispatch: Literal["queued", "executed"]) -> TerminalAction:
    return TerminalAction(dispatch=dispatch)


def _state(upload: Upload) -> TerminalUpload:
    return TerminalUpload(upload_id=upload.id, offset=upload.offset, size=upload.size)
