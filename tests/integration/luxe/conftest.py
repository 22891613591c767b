"""Rules for every test of the agent: no key stands in a command line or a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.key_watch import CommandLines, files_with_keys


@pytest.fixture(scope="session")
def command_lines() -> Iterator[CommandLines]:
    """Watch the command lines of all processes while the agent is tested."""
    watch = CommandLines()
    yield watch
    watch.end()


@pytest.fixture(autouse=True)
def no_key_is_told(command_lines: CommandLines, tmp_path: Path) -> Iterator[None]:
    """Fail a test in which a key was in a command line, or is in a file of its folder."""
    yield
    found, command_lines.found = command_lines.found, set()
    if found:
        pytest.fail("a key was in these command lines:\n" + "\n".join(sorted(found)), pytrace=False)
    files = files_with_keys(tmp_path)
    if files:
        pytest.fail("a key is in these files:\n" + "\n".join(files), pytrace=False)
