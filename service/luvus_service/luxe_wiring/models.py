"""`luxe --list-models`: every model that can be selected, asked of its endpoint."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Sequence

from luvus_service.luxe.domain.ports import Provider, ProviderFailure
from luvus_service.luxe.domain.values import Model
from luvus_service.luxe_wiring.opening import Opener
from luvus_service.luxe_wiring.wish import Wish
from luvus_service.rpc.frame_lines import encode

ASK_S = 20.0
"""How long one endpoint may take to list its models."""


async def print_models(opener: Opener, wish: Wish, stdout: int, *, as_json: bool) -> int:
    """Print a model a line; what could not be asked is said on standard error."""
    world = opener.world(wish)
    found = await asyncio.gather(*(_asked(provider) for provider in world.providers))
    models = [model for listed in found for model in listed]
    if as_json:
        text = json.dumps([json.loads(encode(model)) for model in models], indent=2) + "\n"
    else:
        text = "".join(f"{model.provider}/{model.model}\n" for model in models)
    os.write(stdout, text.encode())
    for provider in world.providers:
        await provider.close()
    return 0


async def _asked(provider: Provider) -> Sequence[Model]:
    missing = provider.missing_credential()
    if missing is not None:
        sys.stderr.write(f"luxe: {provider.name} has no credential; set {missing}\n")
        return ()
    try:
        async with asyncio.timeout(ASK_S):
            return await provider.discover()
    except ProviderFailure as failure:
        sys.stderr.write(f"luxe: {provider.name} was not asked: {failure}\n")
    except TimeoutError:
        sys.stderr.write(f"luxe: {provider.name} did not answer in {ASK_S:.0f} s\n")
    return provider.models()
