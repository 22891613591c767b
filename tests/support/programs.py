"""Which installed programs a test needs, and what happens when one is missing."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable

import pytest


def needs(*programs: str) -> pytest.MarkDecorator:
    """Mark a test as needing these programs on the PATH: `@needs("tmux")`.

    Where one is missing the test is skipped with the reason; in CI (`CI=true`) it fails, so that a
    gate cannot pass by testing nothing.
    """
    return pytest.mark.needs(*programs)


def missing(programs: Iterable[str]) -> list[str]:
    """Return those of `programs` that are not installed."""
    return [program for program in programs if shutil.which(program) is None]


def refuse_missing(item: pytest.Item) -> None:
    """Skip or fail `item` when a program that it is marked to need is not installed."""
    wanted = [str(name) for mark in item.iter_markers("needs") for name in mark.args]
    absent = missing(wanted)
    if not absent:
        return
    reason = f"{', '.join(absent)} not installed (scripts/system_packages.sh installs it)"
    if os.environ.get("CI") == "true":
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)
