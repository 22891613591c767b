"""The actions of a control stream: one JSON object a line."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, field_validator

from luvus_service.rpc.models import Params
from luvus_service.rpc.spelling import Spelled
from luvus_service.uhp.engine.keys import Key
from luvus_service.uhp.engine.uploads import FILE_BYTES
from luvus_service.uhp.families.terminal.fields import Hex, Text
from luvus_service.uhp.fields import sentence

NAME_BYTES = 255
BASE64_LENGTH = 218_456

Base64 = Annotated[
    str,
    Field(min_length=4, max_length=BASE64_LENGTH),
    Spelled("^[A-Za-z0-9+/]+={0,2}$", "must be base64"),
]


class Envelope(Params):
    """What every action has."""

    id: Annotated[
        str, Spelled("^[A-Za-z0-9._:-]{1,128}$", "must have 1 to 128 letters, digits and `._:-`")
    ] = Field(description="Comes back with the reply.")
    action: str = Field(description="The action's name.")
    params: dict[str, Any] = Field(description="What the action says.")


class TextAction(Params):
    """`type_literal`, `paste_text` and `submit_text`."""

    text: Text


class KeyAction(Params):
    """`send_key`."""

    key: Key = Field(description="The key's name.")


class ImageAction(Params):
    """`paste_image`."""

    png_base64: Base64 = Field(description="A PNG image of at most 160 KiB.")

    @field_validator("png_base64")
    @classmethod
    def _whole(cls, text: str) -> str:
        return _quads("png_base64", text)


class UploadStart(Params):
    """`upload_start`."""

    name: str = Field(min_length=1, description="A file name of at most 255 bytes.")
    size: int = Field(ge=1, le=FILE_BYTES, description="The file's size in bytes.")

    @field_validator("name")
    @classmethod
    def _leaf(cls, name: str) -> str:
        if len(name.encode()) > NAME_BYTES:
            raise sentence(f"`name` has at most {NAME_BYTES} bytes")
        if name in (".", "..") or "/" in name or "\\" in name:
            raise sentence("`name` must be a file name without folders")
        if any(ord(c) < 0x20 or 0x7F <= ord(c) < 0xA0 for c in name):
            raise sentence("`name` must not have control characters")
        return name


class UploadChunk(Params):
    """`upload_chunk`."""

    upload_id: Hex = Field(description="From `upload_start`.")
    offset: int = Field(ge=0, le=FILE_BYTES, description="Where the last piece ended.")
    data_base64: Base64 = Field(description="At most 160 KiB.")

    @field_validator("data_base64")
    @classmethod
    def _whole(cls, text: str) -> str:
        return _quads("data_base64", text)


class UploadRef(Params):
    """`upload_finish` and `upload_cancel`."""

    upload_id: Hex = Field(description="From `upload_start`.")


def _quads(name: str, text: str) -> str:
    if len(text) % 4:
        raise sentence(f"`{name}` has {len(text)} characters; base64 comes in fours")
    return text
