"""What the actions about the context window carry."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from luvus_service.rpc.models import LenientParams


class CompactNow(LenientParams):
    """How to summarise."""

    focus: Annotated[
        str | None, Field(min_length=1, max_length=2000, description="What to pay attention to.")
    ] = None
