from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import luvus_client
from tests.integration.clients.fake_server import FakeServer, result
from tests.integration.clients.running import CLIENTS

HEAVY = {"argparse", "asyncio", "httpx", "importlib.metadata", "inspect", "pathlib", "pydantic"}
LIBRARY = "from luvus_client import LuvusClient; LuvusClient().pane"
PING = """
from luvus_client.cli.main import main
assert main(["ping"]) == 0
"""


def modules_after(home: Path, code: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c",
         f"import sys; sys.path.insert(0, {str(CLIENTS)!r})\n{code}\n"
         "print('modules', *sys.modules)"],
        env={**os.environ, "LUVUS_HOME": str(home)}, capture_output=True, text=True, timeout=15,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return set(done.stdout.splitlines()[-1].split()[1:])


def test_importing_the_package_imports_nothing_else_of_it(home: Path) -> None:
    found = modules_after(home, "import luvus_client")

    assert {name for name in found if name.startswith("luvus_client")} == {"luvus_client"}


@pytest.mark.parametrize("code", [LIBRARY, PING], ids=["library", "ping"])
def test_a_blocking_program_loads_nothing_that_is_slow_to_load(home: Path, code: str) -> None:
    def pong(request: dict[str, object], connection: object) -> None:
        connection.sendall(result(request, type="pong"))  # type: ignore[attr-defined]

    with FakeServer(home / "luvus.sock", pong):
        assert modules_after(home, code) & HEAVY == set()


def test_every_exported_name_is_there(home: Path) -> None:
    # Agent sessions are reached over HTTP and WebSockets, by libraries that are not at hand here.
    others = {"AsyncLuxe", "Luxe"}
    code = f"import luvus_client as l; [getattr(l, n) for n in l.__all__ if n not in {others!r}]"

    assert "asyncio" in modules_after(home, code)
    assert all(hasattr(luvus_client, name) for name in luvus_client.__all__)
