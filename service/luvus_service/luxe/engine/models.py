"""The models that can be selected, over all configured providers."""

from __future__ import annotations

from collections.abc import Sequence

from luvus_service.luxe.domain.ports import Provider
from luvus_service.luxe.domain.values import Model, ModelRef
from luvus_service.rpc.refusals import Refused


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
