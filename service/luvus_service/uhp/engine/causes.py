"""Tells changes that somebody asked for from those that the end of a program brings about."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import Context, ContextVar

_by_itself: ContextVar[bool] = ContextVar("by_itself", default=False)


@contextmanager
def unasked() -> Generator[None]:
    """Mark the changes made inside as ones that nobody asked for."""
    token = _by_itself.set(True)
    try:
        yield
    finally:
        _by_itself.reset(token)


def by_itself() -> Context:
    """Return an empty context for work that nobody asked for."""
    context = Context()
    context.run(_by_itself.set, True)
    return context


def asked() -> bool:
    """Say whether somebody asked for what is being done."""
    return not _by_itself.get()
