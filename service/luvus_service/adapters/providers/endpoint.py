"""A configured endpoint: its address, format, credential, models and peculiarities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from luvus_service.adapters.providers.keys import KeySource
from luvus_service.adapters.providers.wire import Dialect, FormatName
from luvus_service.luxe.domain.limits import CONNECT_S, READ_S
from luvus_service.luxe.domain.values import Model

STALL_S: Final = 600.0
"""Of a stream that sends signs of life and nothing else."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One endpoint; everything that does not change while the process lives."""

    name: str
    format: FormatName
    base_url: str
    """Without the format's path and without a slash at its end."""
    keys: KeySource
    models: tuple[Model, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    """Sent with every request; treated as secret."""
    dialect: Dialect = field(default_factory=Dialect)
    prices: str | None = None
    """The provider's name in the price list; None where calls have no known price."""
    lists_models: bool = True
    """Whether it is worth asking for its models."""
    connect_s: float = CONNECT_S
    silence_s: float = READ_S
    stall_s: float = STALL_S
