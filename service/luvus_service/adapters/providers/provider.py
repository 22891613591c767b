"""One endpoint as a `Provider`: its models and its credential.

What talks to the network is imported with the first request.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING

from luvus_service.adapters.providers.endpoint import Endpoint
from luvus_service.adapters.providers.models import assumed_model
from luvus_service.adapters.providers.transport import Http
from luvus_service.luxe.domain.ports import Delta, ModelRequest
from luvus_service.luxe.domain.values import Model

if TYPE_CHECKING:
    from luvus_service.adapters.providers.caller import Caller


class HttpProvider:
    """Serves the models of one endpoint."""

    def __init__(self, endpoint: Endpoint, http: Http) -> None:
        self.endpoint = endpoint
        self._http = http
        self._models = {model.model: model for model in endpoint.models}
        self._caller: Caller | None = None

    @property
    def name(self) -> str:
        """The endpoint's name."""
        return self.endpoint.name

    def models(self) -> Sequence[Model]:
        """Return the configured models and those discovered or assumed since."""
        return tuple(self._models.values())

    def assume(self, model: str) -> Model:
        """Return a model by its name, taken on trust when nobody has listed it."""
        if model not in self._models:
            self._models[model] = assumed_model(self.name, model, self.endpoint.format)
        return self._models[model]

    def missing_credential(self) -> str | None:
        """Return the name of the variable to set, or None."""
        return self.endpoint.keys.missing()

    async def discover(self) -> Sequence[Model]:
        """Ask the endpoint for its models, and the price list for their prices."""
        from luvus_service.adapters.providers.prices import with_prices

        if self.endpoint.lists_models:
            found = await self._calling().listed(self._models)
            self._models.update((model.model, model) for model in found)
        if self.endpoint.prices is not None:
            priced = await with_prices(self.models(), self.endpoint.prices)
            self._models.update((model.model, model) for model in priced)
        return self.models()

    def answer(self, request: ModelRequest) -> AsyncIterator[Delta]:
        """Call the model once."""
        return self._calling().answer(request)

    async def close(self) -> None:
        """Drop idle connections."""
        await self._http.close()

    def _calling(self) -> Caller:
        if self._caller is None:
            from luvus_service.adapters.providers.caller import Caller

            self._caller = Caller(self.endpoint, self._http)
        return self._caller
