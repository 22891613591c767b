"""The pages beside the methods: the OpenAPI document, the health of the server, and not found."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import orjson
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from luvus_service.rpc.dispatch import error_bytes
from luvus_service.rpc.errors import InvalidRequest


def build_pages(
    openapi: Callable[[], bytes], health: Callable[[], Mapping[str, object]]
) -> Starlette:
    """Return the app that serves them; `openapi` is asked once, at the first request for it."""
    document: list[bytes] = []

    async def show_openapi(_request: Request) -> Response:
        if not document:
            document.append(openapi())
        return Response(document[0], media_type="application/json")

    async def show_health(_request: Request) -> Response:
        return Response(orjson.dumps(health()), media_type="application/json")

    async def not_found(request: Request, _error: Exception) -> Response:
        error = InvalidRequest(f"nothing is at {request.url.path[:200]}; see /openapi.json")
        return Response(error_bytes(error), status_code=404, media_type="application/json")

    return Starlette(
        routes=[Route("/openapi.json", show_openapi), Route("/healthz", show_health)],
        exception_handlers={404: not_found},
    )
