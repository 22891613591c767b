"""What the actions of sessions carry."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from luvus_service.luxe.domain.limits import SESSIONS_PAGE, SESSIONS_PAGE_MAX
from luvus_service.rpc.models import LenientParams


class RefreshSessions(LenientParams):
    """A page of the list."""

    limit: Annotated[int, Field(ge=1, le=SESSIONS_PAGE_MAX, description="How many.")] = (
        SESSIONS_PAGE
    )
    cursor: Annotated[str | None, Field(description="`next_cursor` of the page before.")] = None
