"""Fixtures and rules for every test: socket folders, leak guards, needed programs, hypothesis.

A test may not leave a child process or an asyncio task behind, nor depend on the machine's own
Luvus, git configuration or missing programs.
"""

from __future__ import annotations

import asyncio
import inspect
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.support import leaks, programs, reference

settings.register_profile(
    "ci",
    deadline=None,
    derandomize=True,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("dev", deadline=timedelta(seconds=1))
settings.register_profile("deep", deadline=None, max_examples=2_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "dev"))


def pytest_configure() -> None:
    """Cut the run off from the caller's own session and git configuration."""
    for name in [name for name in os.environ if name.startswith(("LUVUS_", "LUXE_", "GIT_"))]:
        if name != reference.VARIABLE:
            del os.environ[name]
    os.environ.update(
        GIT_CONFIG_GLOBAL=os.devnull,
        GIT_CONFIG_NOSYSTEM="1",
        GIT_AUTHOR_NAME="Test",
        GIT_AUTHOR_EMAIL="test@example.invalid",
        GIT_COMMITTER_NAME="Test",
        GIT_COMMITTER_EMAIL="test@example.invalid",
        GIT_TERMINAL_PROMPT="0",
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let the task guard come first in asynchronous tests, so that it looks last."""
    for item in items:
        if isinstance(item, pytest.Function) and inspect.iscoroutinefunction(item.function):
            item.fixturenames.insert(0, "no_task_left")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip, or in CI fail, a test whose programs are not installed."""
    programs.refuse_missing(item)


@pytest.fixture
async def no_task_left() -> AsyncIterator[None]:
    """Fail a test that leaves an asyncio task running after all its fixtures have closed."""
    known = asyncio.all_tasks()
    yield
    left = await leaks.unfinished_tasks(known)
    if left:
        pytest.fail("the test left tasks running:\n" + "\n".join(left), pytrace=False)


@pytest.fixture(autouse=True)
def no_process_left(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test that leaves a child process running, and end that process."""
    known = leaks.children()
    yield
    if request.node.get_closest_marker("leaves_processes") is not None:
        return
    left = leaks.end(leaks.children() - known)
    if left:
        pytest.fail("the test left processes running:\n" + "\n".join(left), pytrace=False)


@pytest.fixture
def short_tmp() -> Iterator[Path]:
    """A private folder with a path short enough for Unix sockets (107 bytes), removed afterwards.

    Processes that were started for this folder and still run then fail the test, daemons included.
    """
    folder = Path(tempfile.mkdtemp(prefix="lv-", dir="/tmp")).resolve()  # mkdtemp makes it 0700
    yield folder
    left = leaks.end(leaks.processes_of(folder))
    shutil.rmtree(folder, ignore_errors=True)
    if left:
        pytest.fail(f"processes of {folder} still run:\n" + "\n".join(left), pytrace=False)
