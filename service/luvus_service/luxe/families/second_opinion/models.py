"""What a request for a second opinion carries."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from luvus_service.rpc.models import LenientParams


class RequestReview(LenientParams):
    """What to look at."""

    focus: Annotated[
        str | None, Field(min_length=1, max_length=2000, description="What matters most.")
    ] = None
