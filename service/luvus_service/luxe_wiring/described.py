"""Names the types behind the routes of agent sessions, for everything that is derived from them."""

from __future__ import annotations

from luvus_service.asgi.agents import OTHERWISE, STATUS
from luvus_service.codegen.agent_api import AgentApi
from luvus_service.luxe.catalogue import GROUPS
from luvus_service.luxe.domain.records import SessionSummary
from luvus_service.luxe.domain.values import Model
from luvus_service.luxe_wiring.asked import SessionWish
from luvus_service.luxe_wiring.rows import SessionRow
from luvus_service.luxe_wiring.standing import SessionShown


def agent_api() -> AgentApi:
    """Return the types that the routes carry, and the statuses of refusals."""
    return AgentApi(
        groups=GROUPS,
        wish=SessionWish,
        row=SessionRow,
        shown=SessionShown,
        stored=SessionSummary,
        model=Model,
        statuses=STATUS,
        otherwise=OTHERWISE,
    )
