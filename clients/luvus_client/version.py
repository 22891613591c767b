"""The version of this distribution, looked up when somebody asks."""

from __future__ import annotations

UNKNOWN = "unknown"


def version() -> str:
    """Return the version, or "unknown" in a checkout that was never installed."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed

    try:
        return installed("luvus")
    except PackageNotFoundError:
        return UNKNOWN
