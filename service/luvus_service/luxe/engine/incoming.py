"""Checks the pictures and texts of a client's message before anything happens."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass

from luvus_service.luxe.domain.limits import IMAGE_BYTES, IMAGES, IMAGES_BYTES, TEXT_BYTES
from luvus_service.luxe.domain.pictures import MIMES, picture_kind
from luvus_service.luxe.domain.values import Image
from luvus_service.rpc.refusals import Refused


@dataclass(frozen=True, slots=True)
class Picture:
    """A checked picture."""

    data: bytes
    mime: str
    name: str | None


def check_text(text: str, *, empty: bool = False) -> None:
    """Refuse a text that is too long, or empty where it must not be.

    Raises:
        Refused: It is.
    """
    if not text and not empty:
        raise Refused("invalid_field", "field `text` must not be empty")
    if len(text.encode("utf-8", "replace")) > TEXT_BYTES:
        raise Refused("invalid_field", f"field `text` must have at most {TEXT_BYTES} bytes")


def checked_pictures(images: Sequence[Image]) -> tuple[Picture, ...]:
    """Return the pictures of a message, decoded.

    Raises:
        Refused: One of them is no picture we take, or they are too many or too large.
    """
    if len(images) > IMAGES:
        raise Refused("invalid_field", f"field `images` must have at most {IMAGES} entries")
    pictures = tuple(_checked(index, image) for index, image in enumerate(images))
    if sum(len(picture.data) for picture in pictures) > IMAGES_BYTES:
        raise Refused(
            "invalid_field", f"field `images` must have at most {IMAGES_BYTES} bytes in all"
        )
    return pictures


def _checked(index: int, image: Image) -> Picture:
    field = f"field `images[{index}]"
    if image.mime not in MIMES:
        raise Refused("invalid_field", f"{field}.mime` must be one of {', '.join(sorted(MIMES))}")
    try:
        data = base64.b64decode(image.data, validate=True)
    except (binascii.Error, ValueError):
        raise Refused("invalid_field", f"{field}.data` must be base64") from None
    if len(data) > IMAGE_BYTES:
        raise Refused("invalid_field", f"{field}.data` must have at most {IMAGE_BYTES} bytes")
    found = picture_kind(data)
    if found != image.mime:
        raise Refused(
            "invalid_field",
            f"{field}.data` is not {image.mime} but {found or 'no picture we know'}",
        )
    return Picture(data, image.mime, image.name)
