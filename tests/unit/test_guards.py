"""The rules of tests/conftest.py fail the tests they are meant to fail."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest_plugins = ("pytester",)

ROOT = Path(__file__).parents[2]

TESTS = """
import asyncio
import os
import stat
import subprocess

import pytest

KEPT = []


def start(*arguments, **options):
    command = ["sh", "-c", "echo; exec tail -f /dev/null", *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, **options)
    process.stdout.readline()
    return process


def test_clean(short_tmp):
    assert stat.S_IMODE(short_tmp.stat().st_mode) == 0o700
    assert len(os.fsencode(short_tmp)) < 20
    assert not [name for name in os.environ if name.startswith("LUVUS_")]


async def test_clean_async():
    await asyncio.sleep(0)


async def test_leaves_a_task():
    KEPT.append(asyncio.get_running_loop().create_task(asyncio.Event().wait()))


@pytest.fixture
async def server():
    task = asyncio.get_running_loop().create_task(asyncio.Event().wait())
    yield
    task.cancel()


async def test_fixture_closes_its_task(server):
    await asyncio.sleep(0)


def test_leaves_a_child():
    KEPT.append(start())


def test_leaves_a_daemon(short_tmp):
    subprocess.run(["sh", "-c", "tail -f /dev/null & echo"], cwd=short_tmp,
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)


@pytest.mark.needs("no-such-program")
def test_needs_a_program():
    raise AssertionError
"""


def test_leaks_fail_and_clean_tests_pass(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("LUVUS_SOCKET", "/of/the/caller.sock")
    monkeypatch.delenv("CI", raising=False)
    pytester.makeconftest("from tests.conftest import *  # noqa: F403")
    pytester.makeini("[pytest]\nasyncio_mode = auto\nmarkers =\n  needs\n  leaves_processes\n")
    pytester.makepyfile(TESTS)

    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-rEs")

    result.assert_outcomes(passed=6, skipped=1, errors=3)
    result.stdout.fnmatch_lines_random(
        [
            "the test left tasks running:",
            "the test left processes running:",
            "processes of /tmp/lv-* still run:",
            "*no-such-program not installed*",
        ]
    )
