"""What choices carry."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from luvus_service.rpc.models import LenientParams


class SelectModel(LenientParams):
    """A model by the pair that names it."""

    provider: Annotated[str, Field(description="The provider's name.")]
    model: Annotated[str, Field(description="The model's name at the provider.")]
