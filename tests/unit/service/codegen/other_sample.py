"""A second family, whose models share a name with the first."""

from __future__ import annotations

from luvus_service.rpc.declare import family, method
from luvus_service.rpc.models import NoParams, Result
from luvus_service.rpc.scopes import Access, Scope


class Row(Result):
    """A lid."""

    lid: int


@family("box.lid", scope=Scope.ADMIN)
class Lids:
    """Open and close lids."""

    @method("box.lid.get", access=Access.READ)
    async def get(self, params: NoParams) -> Row:
        """Return the lid."""
        return Row(lid=1)
