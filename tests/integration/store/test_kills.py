"""A kill at any instant leaves the old content or the new one, and a full disk the old one."""

from __future__ import annotations

import asyncio
import json
import os
import random
import resource
import select
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from luvus_service.adapters.config_file import JsonConfigFile
from luvus_service.adapters.store.sqlite import SqliteStore
from luvus_service.uhp.domain.storage import Delete, Put
from tests.support.live import REPOSITORY
from tests.support.programs import needs

CALLS = ("write", "pwrite64", "fsync", "fdatasync", "rename", "ftruncate", "unlink", "flock")
MOST_CALLS = 60
"""Of one name, that a writer makes."""
ROUNDS = 8

CONFIG_WRITER = """
import sys
from collections.abc import Callable
from pathlib import Path
from luvus_service.adapters.config_file import JsonConfigFile
JsonConfigFile(Path(sys.argv[1])).update(lambda stored: {"text": "new" * 5000})
"""
STORE_WRITER = """
import asyncio, sys
from pathlib import Path
from luvus_service.adapters.store.sqlite import SqliteStore
from luvus_service.uhp.domain.storage import Put
async def main():
    store = SqliteStore(Path(sys.argv[1]))
    await store.write([Put("a", key, b"new" * 5000) for key in "xyz"])
    await store.close()
asyncio.run(main())
"""
COUNTING_WRITER = """
import asyncio, os, sys
from pathlib import Path
from luvus_service.adapters.store.sqlite import SqliteStore
from luvus_service.uhp.domain.storage import Put
async def main():
    store = SqliteStore(Path(sys.argv[1]))
    number = int(sys.argv[2])
    while True:
        number += 1
        body = str(number).encode()
        await store.write([Put("a", key, body.ljust(9000)) for key in "xyz"])
        os.write(1, body + b"\\n")
asyncio.run(main())
"""
LIMITED_WRITER = """
import asyncio, resource, sys
from pathlib import Path
from luvus_service.adapters.store.sqlite import SqliteStore
from luvus_service.uhp.domain.storage import Put, StoreFailed
async def main():
    store = SqliteStore(Path(sys.argv[1]))
    await store.write([Put("a", "x", b"old")])
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
    try:
        await store.write([Put("a", "x", b"new"), Put("a", "y", bytes(500_000))])
    except StoreFailed as fault:
        print(fault)
    await store.write([Put("a", "z", b"small")])
    await store.close()
asyncio.run(main())
"""


def environment() -> dict[str, str]:
    paths = [str(REPOSITORY / part) for part in ("service", "bridge")]
    return {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.pathsep.join(paths),
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def instants(run: Callable[[str, int], bool]) -> int:
    """Call `run` with each name and number of a call until it says that there is none such."""
    total = 0
    for name in CALLS:
        for number in range(1, MOST_CALLS):
            if not run(name, number):
                break
            total += 1
        else:
            pytest.fail(f"the writer never came to the end of its {name}")
    return total


def killed_at(name: str, number: int, script: str, path: Path) -> bool:
    """Run a script and kill it at its n-th system call of a name; say whether it came to that."""
    words = ["strace", "-f", "-qq", "-o", os.devnull, "-e", f"trace={name}"]
    words += ["-e", f"inject={name}:signal=SIGKILL:when={number}"]
    done = subprocess.run(
        [*words, sys.executable, "-c", script, str(path)],
        env=environment(),
        capture_output=True,
        timeout=30,
        check=False,
    )
    if done.returncode == 0:
        return False
    assert done.returncode in (-9, 137), done.stderr.decode()
    return True


@needs("strace")
@pytest.mark.timeout(90)
def test_a_kill_at_any_call_leaves_the_old_configuration_or_the_new_one(tmp_path: Path) -> None:
    found: list[str] = []

    def run(name: str, number: int) -> bool:
        (tmp_path / "config.json").write_text(json.dumps({"text": "old"}))
        if not killed_at(name, number, CONFIG_WRITER, tmp_path):
            return False
        found.append(JsonConfigFile(tmp_path).read()["text"][:3])
        return True

    assert instants(run) >= 5
    assert set(found) == {"old", "new"}
    assert not list(tmp_path.glob("*.broken*"))


@needs("strace")
@pytest.mark.timeout(90)
def test_a_kill_at_any_call_leaves_all_old_records_or_all_new_ones(tmp_path: Path) -> None:
    found: list[bytes] = []

    def run(name: str, number: int) -> bool:
        path = tmp_path / f"{name}-{number}.db"
        written(path, [Put("a", key, b"old") for key in "xyz"])
        if not killed_at(name, number, STORE_WRITER, path):
            return False
        records = written(path, [])
        assert len(set(records.values())) == 1
        found.append(records["x"][:3])
        return True

    assert instants(run) >= 8
    assert set(found) == {b"old", b"new"}
    assert not list(tmp_path.glob("*.broken*"))


def written(path: Path, changes: list[Put | Delete]) -> dict[str, bytes]:
    """Change a store that nobody uses and return its records."""

    async def change() -> dict[str, bytes]:
        store = SqliteStore(path)
        await store.write(changes)
        records = await store.read("a")
        await store.close()
        return records

    return asyncio.run(change())


async def test_a_writer_killed_at_random_instants_loses_nothing_it_was_told_is_stored(
    tmp_path: Path,
) -> None:
    chance = random.Random(7)
    path = tmp_path / "session.db"
    number = 0
    for _ in range(ROUNDS):
        words = [sys.executable, "-c", COUNTING_WRITER, str(path), str(number)]
        with subprocess.Popen(words, env=environment(), stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            told = int(writer.stdout.readline())
            select.select([], [], [], chance.uniform(0, 0.1))
            writer.kill()
            lines = writer.stdout.read().split(b"\n")[:-1]
        told = int(lines[-1]) if lines else told

        store = SqliteStore(path)
        records = await store.read("a")
        await store.close()

        (number,) = {int(body) for body in records.values()}
        assert number in (told, told + 1)


async def test_a_full_disk_refuses_a_write_whole_and_the_next_one_is_made(tmp_path: Path) -> None:
    path = tmp_path / "session.db"
    done = subprocess.run(
        [sys.executable, "-c", LIMITED_WRITER, str(path)],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert "cannot be written" in done.stdout
    store = SqliteStore(path)
    assert await store.read("a") == {"x": b"old", "z": b"small"}
    await store.close()
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY
