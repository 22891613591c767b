"""The models that can be selected, over all configured providers."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

from luvus_service.luxe.domain.ports import Provider, ProviderFailure
from luvus_service.luxe.domain.values import Model, ModelRef
from luvus_service.rpc.refusals import Refused

_log = logging.getLogger(__name__)

DISCOVER_S = 10.0
"""How long an endpoint may take to list its models."""


class Models:
    """Finds models and their providers by name."""

    def __init__(self, providers: Sequence[Provider]) -> None:
        self._providers = providers

    def all(self) -> list[Model]:
        """Return every known model."""
        return [model for provider in self._providers for model in provider.models()]

    def find(self, ref: ModelRef) -> Model | None:
        """Return a known model."""
        return next(
            (m for m in self.all() if (m.provider, m.model) == (ref.provider, ref.model)), None
        )

    def provider(self, name: str) -> Provider | None:
        """Return a configured provider."""
        return next((p for p in self._providers if p.name == name), None)

    def first(self) -> Model | None:
        """Return the first model whose provider has its credential."""
        for provider in self._providers:
            if provider.missing_credential() is None and provider.models():
                return provider.models()[0]
        return None

    async def discovered(self, provider: Provider) -> None:
        """Ask an endpoint for its models, for a bounded time; a fault leaves them as they were."""
        try:
            async with asyncio.timeout(DISCOVER_S):
                await provider.discover()
        except ProviderFailure as failure:
            _log.info("%s was not asked for its models: %s", provider.name, failure)
        except TimeoutError:
            _log.info("%s did not list its models in %.0f s", provider.name, DISCOVER_S)

    def callable(self, model: Model | None) -> Model:
        """Return a model if it can be called.

        Raises:
            Refused: There is none, or its credential is missing.
        """
        if model is None:
            raise Refused("not_found", "no model is set up; set a provider's key and restart Luxe")
        provider = self.provider(model.provider)
        missing = provider.missing_credential() if provider is not None else None
        if missing is not None:
            raise Refused("not_found", f"{model.provider} has no credential; set {missing}")
        return model
