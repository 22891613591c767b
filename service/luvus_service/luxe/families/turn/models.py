"""What the actions of a turn carry."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from luvus_service.luxe.domain.values import Image
from luvus_service.rpc.models import LenientParams


class ImageContent(LenientParams):
    """A picture: png, jpeg, gif or webp, at most 5 MiB."""

    data: Annotated[str, Field(description="The bytes in base64.")]
    mime: Annotated[str, Field(description="The type; the bytes must say the same.")]
    name: Annotated[str | None, Field(description="A name to show.")] = None

    def image(self) -> Image:
        """Return it as a value."""
        return Image(self.data, self.mime, self.name)


class SubmitUserMessage(LenientParams):
    """A message of the user."""

    text: Annotated[str, Field(description="Up to 1 MiB; empty only with a picture.")]
    images: Annotated[
        list[ImageContent], Field(default_factory=list[ImageContent], description="At most 10.")
    ]


class SteerTurn(LenientParams):
    """A text for the running turn."""

    text: Annotated[str, Field(description="1 byte to 1 MiB.")]


class EditResend(LenientParams):
    """What replaces the last message."""

    text: Annotated[str, Field(description="Up to 1 MiB; empty only with a picture.")]
    images: Annotated[
        list[ImageContent] | None,
        Field(description="Left out, the pictures stay; an empty list drops them."),
    ] = None
