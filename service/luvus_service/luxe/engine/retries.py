"""Whether and when a failed model call is tried again."""

from __future__ import annotations

from collections.abc import Callable

from luvus_service.luxe.domain.limits import (
    PROVIDER_TRIES,
    RETRY_AFTER_S,
    RETRY_JITTER,
    RETRY_WAITS_S,
)
from luvus_service.luxe.domain.ports import ProviderFailure


def wait_before_retry(
    failure: ProviderFailure, tries: int, random: Callable[[], float]
) -> float | None:
    """Return the seconds to wait after `tries` failed tries, or None to give up.

    What the provider asks for is obeyed when it is bearable, and is never shortened.
    """
    if not failure.info.retryable or tries >= PROVIDER_TRIES:
        return None
    asked = failure.retry_after_s
    if asked is not None:
        return max(0.0, asked) if asked <= RETRY_AFTER_S else None
    base = RETRY_WAITS_S[min(tries, len(RETRY_WAITS_S)) - 1]
    return base * (1 + RETRY_JITTER * (2 * random() - 1))
