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
        self._unlisted: dict[str, str] = {}
        """Why endpoints did not list their models, by their names."""

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

    def askable(self) -> bool:
        """Say whether some endpoint could be asked for its models."""
        return any(provider.missing_credential() is None for provider in self._providers)

    async def first_discovered(self) -> Model | None:
        """Ask endpoints for their models until there is one to call."""
        for provider in self._providers:
            if provider.missing_credential() is None:
                await self.discovered(provider)
            if (found := self.first()) is not None:
                return found
        return None

    async def discovered(self, provider: Provider) -> None:
        """Ask an endpoint for its models, for a bounded time; a fault leaves them as they were."""
        self._unlisted.pop(provider.name, None)
        try:
            async with asyncio.timeout(DISCOVER_S):
                await provider.discover()
        except ProviderFailure as failure:
            self._unlisted[provider.name] = str(failure)
        except TimeoutError:
            said = f"{provider.name} did not list its models in {DISCOVER_S:.0f} s"
            self._unlisted[provider.name] = said
        if provider.name in self._unlisted:
            _log.info("no list of models: %s", self._unlisted[provider.name])

    def nothing(self) -> str:
        """Return why there is no model to call and what to do, for people."""
        if self._unlisted:
            return f"no model is known; {'; '.join(self._unlisted.values())}"
        names = list(filter(None, (p.missing_credential() for p in self._providers)))
        remedy = f"set {' or '.join(names)}" if names else "configure a provider"
        file = "or write a key to keys/anthropic in Luxe's folder, which is ~/.luxe"
        return f"no model is set up; {remedy} and start Luxe again, {file}"

    def callable(self, model: Model | None) -> Model:
        """Return a model if it can be called.

        Raises:
            Refused: There is none, or its credential is missing.
        """
        if model is None:
            raise Refused("not_found", self.nothing())
        provider = self.provider(model.provider)
        missing = provider.missing_credential() if provider is not None else None
        if missing is not None:
            raise Refused("not_found", f"{model.provider} has no credential; set {missing}")
        return model
