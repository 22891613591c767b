"""What tokens cost: the overrides of the user, then a list kept by others, then our own table."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from luvus_service.uhp.domain.agents.stores import Price, Usage, table_price

REQUEST_TOKENS = 50_000
"""The size of a request that no provider calls long."""
LIST = "genai_prices"
"""Imported when the first price is asked for: it takes a quarter of a second."""


class PriceList:
    """Prices of all models that are known."""

    def __init__(self, overrides: Mapping[str, Price] | None = None) -> None:
        self._overrides = dict(overrides or {})
        self._library: Any = None
        self._tried = False

    def override(self, overrides: Mapping[str, Price]) -> None:
        """Let these prices win from now on; keys are parts of models' names."""
        self._overrides = dict(overrides)

    def cost(self, agent: str, usage: Usage, *, wait: bool = True) -> float | None:
        """Return US dollars, or None when the model's price is unknown.

        Cached input is counted as cached only: the list wants it as part of the input, we do not.
        Blocks the first time; without `wait` the list counts only when it is there already.
        """
        if not usage.model:
            return None
        own = table_price(usage.model, self._overrides)
        overridden = any(part.lower() in usage.model.lower() for part in self._overrides if part)
        if own is not None and overridden:
            return own.cost(usage)
        listed = self._listed(usage) if wait or self._tried else None
        if listed is not None:
            return listed
        return None if own is None else own.cost(usage)

    def _listed(self, usage: Usage) -> float | None:
        library = self._import()
        if library is None:
            return None
        # A model is often named with its provider, "anthropic/claude-sonnet-4".
        name = usage.model.rpartition("/")[2]
        # Long requests cost more; these are the sums of many, which must not count as one long one.
        times = max(1, (usage.tokens_in + usage.cache + usage.tokens_out) // REQUEST_TOKENS)

        def share(tokens: int) -> int:
            return round(tokens / times)

        try:
            read, write = share(usage.cache_read), share(usage.cache_write)
            tokens = library.Usage(
                input_tokens=share(usage.tokens_in) + read + write,
                cache_read_tokens=read,
                cache_write_tokens=write,
                output_tokens=share(usage.tokens_out),
            )
            return float(library.calc_price(tokens, model_ref=name).total_price) * times
        except (LookupError, ValueError, TypeError, AttributeError):
            return None

    def _import(self) -> Any:
        if not self._tried:
            self._tried = True
            try:
                self._library = importlib.import_module(LIST)
            except ImportError:
                self._library = None
        return self._library
