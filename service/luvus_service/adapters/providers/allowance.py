"""What response headers tell of a subscription: how much of each window is used."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final, Literal

from luvus_service.luxe.domain.values import Credits, PlanUsage, PlanWindow

WINDOWS: Final = 16
WARNING_PERCENT: Final = 80.0
CHANGE_PERCENT: Final = 1.0
"""The least change that is worth telling."""

_UNIFIED: Final = re.compile(r"anthropic-ratelimit-unified-([a-z0-9_-]{1,40})-utilization")
_CODEX: Final = re.compile(r"x-codex-(primary|secondary)-used-percent")
_STATUSES: Final[dict[str, Literal["ok", "warning", "exhausted"]]] = {
    "allowed": "ok",
    "allowed_warning": "warning",
    "throttled": "exhausted",
    "rejected": "exhausted",
}


def plan_usage(provider: str, headers: Mapping[str, str], now: float) -> PlanUsage | None:
    """Return the use of a subscription, None when the headers tell of none; never raises."""
    windows: list[PlanWindow] = []
    for name in list(headers)[:500]:
        found = _unified(name, headers) or _codex(name, headers, now)
        if found is not None and len(windows) < WINDOWS:
            windows.append(found)
    if not windows:
        return None
    balance = _number(headers.get("x-codex-credits-balance"))
    return PlanUsage(
        provider=provider,
        windows=tuple(windows),
        updated_at=_timestamp(now) or "",
        plan=headers.get("x-codex-plan-type"),
        credits=None if balance is None else Credits(balance, "credits"),
    )


def changed(old: PlanUsage | None, new: PlanUsage) -> bool:
    """Say whether the difference is worth telling."""
    if old is None or [w.name for w in old.windows] != [w.name for w in new.windows]:
        return True
    return any(
        a.status != b.status or abs(a.used_percent - b.used_percent) >= CHANGE_PERCENT
        for a, b in zip(old.windows, new.windows, strict=True)
    )


def _unified(name: str, headers: Mapping[str, str]) -> PlanWindow | None:
    found = _UNIFIED.fullmatch(name)
    used = _number(headers[name]) if found else None
    if found is None or used is None:
        return None
    prefix = f"anthropic-ratelimit-unified-{found[1]}"
    percent = round(used * 100, 1)
    status = _STATUSES.get(headers.get(f"{prefix}-status", ""))
    resets = _number(headers.get(f"{prefix}-reset"))
    return PlanWindow(found[1], percent, status or _status(percent), _timestamp(resets))


def _codex(name: str, headers: Mapping[str, str], now: float) -> PlanWindow | None:
    found = _CODEX.fullmatch(name)
    percent = _number(headers[name]) if found else None
    if found is None or percent is None:
        return None
    prefix = f"x-codex-{found[1]}"
    minutes = _number(headers.get(f"{prefix}-window-minutes"))
    resets = _number(headers.get(f"{prefix}-reset-at"))
    after = _number(headers.get(f"{prefix}-reset-after-seconds"))
    if resets is None and after is not None:
        resets = now + after
    title = found[1] if minutes is None else _span(minutes)
    return PlanWindow(title, round(percent, 1), _status(percent), _timestamp(resets))


def _span(minutes: float) -> str:
    hours = round(minutes / 60)
    return f"{hours // 24}d" if hours >= 48 else f"{hours}h"


def _status(percent: float) -> Literal["ok", "warning", "exhausted"]:
    return "exhausted" if percent >= 100 else "warning" if percent >= WARNING_PERCENT else "ok"


def _number(text: str | None) -> float | None:
    if text is None or not re.fullmatch(r"\d{1,12}(?:\.\d{1,9})?", text.strip()):
        return None
    return float(text)


def _timestamp(seconds: float | None) -> str | None:
    if seconds is None:
        return None
    moment = datetime.fromtimestamp(min(seconds, 32_503_680_000), UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z"
