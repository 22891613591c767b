"""Every model that can be selected, asked of its endpoint; printed by `luxe --list-models`."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from collections.abc import Callable, Sequence

from luvus_service.luxe.domain.ports import Provider, ProviderFailure
from luvus_service.luxe.domain.values import Model
from luvus_service.luxe_wiring.opening import Opener
from luvus_service.luxe_wiring.telling import EXIT_UNREAD, tell
from luvus_service.luxe_wiring.wish import Wish
from luvus_service.luxe_wiring.words import EXIT_MODEL
from luvus_service.rpc.frame_lines import encode

_log = logging.getLogger(__name__)

ASK_S = 20.0
"""How long one endpoint may take to list its models."""


async def print_models(opener: Opener, wish: Wish, stdout: int, *, as_json: bool) -> int:
    """Print a model a line; what could not be asked is said on standard error."""
    world = opener.world(wish)
    models = await _all_of(world.providers, lambda text: _say(f"luxe: {text}"))
    if as_json:
        text = json.dumps([json.loads(encode(model)) for model in models], indent=2) + "\n"
    else:
        text = "".join(f"{model.provider}/{model.model}\n" for model in models)
    for provider in world.providers:
        await provider.close()
    if not tell(stdout, text.encode("utf-8", "replace")):
        return EXIT_UNREAD
    return 0 if models else EXIT_MODEL


async def selectable(opener: Opener) -> Sequence[Model]:
    """Return the models of the user's own configuration."""
    world = opener.world(Wish(cwd="/"))
    try:
        return await _all_of(world.providers, _log.info)
    finally:
        for provider in world.providers:
            await provider.close()


async def _all_of(providers: Sequence[Provider], say: Callable[[str], object]) -> list[Model]:
    found = await asyncio.gather(*(_asked(provider, say) for provider in providers))
    return [model for listed in found for model in listed]


def _say(text: str) -> None:
    sys.stderr.write(text + "\n")


async def _asked(provider: Provider, say: Callable[[str], object]) -> Sequence[Model]:
    missing = provider.missing_credential()
    if missing is not None:
        say(f"{provider.name} has no credential; set {missing}")
        return ()
    try:
        async with asyncio.timeout(ASK_S):
            return await provider.discover()
    except ProviderFailure as failure:
        say(f"{provider.name} was not asked: {failure}")
    except TimeoutError:
        say(f"{provider.name} did not answer in {ASK_S:.0f} s")
    return provider.models()
