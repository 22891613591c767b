from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, NotRequired, get_origin, get_type_hints

import pytest

import luvus_client
from luvus_service.codegen.python_client import method_name, python_client
from tests.unit.service.codegen.sample import CATALOGUE

PACKAGE = "luvus_client.generated"


class Recorder:
    """Remembers calls and answers each with an empty result."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, dict[str, object]]] = []

    def call(self, method: str, params: dict[str, object]) -> dict[str, Any]:
        self.calls.append((method, params))
        return {}

    def stream(self, method: str, params: dict[str, object]) -> Iterator[dict[str, Any]]:
        self.calls.append((method, params))
        return iter([{"sequence": 1}])


class AsyncRecorder:
    """The same for the loop."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, dict[str, object]]] = []

    async def call(self, method: str, params: dict[str, object]) -> dict[str, Any]:
        self.calls.append((method, params))
        return {}

    async def stream(self, method: str, params: dict[str, object]) -> AsyncIterator[dict[str, Any]]:
        self.calls.append((method, params))
        yield {"sequence": 1}


@pytest.fixture
def generated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Import the client generated for the sample instead of the product's own."""
    folder = tmp_path / "generated"
    folder.mkdir()
    for name, text in python_client(CATALOGUE).items():
        (folder / name).write_text(text)
    monkeypatch.setattr(luvus_client, "__path__", [str(tmp_path), *luvus_client.__path__])
    kept = {name: module for name, module in sys.modules.items() if name.startswith(PACKAGE)}
    for name in kept:
        monkeypatch.delitem(sys.modules, name)
    importlib.invalidate_caches()
    yield importlib.import_module(f"{PACKAGE}.methods")
    for name in [name for name in sys.modules if name.startswith(PACKAGE)]:
        del sys.modules[name]


def sync_client(generated: Any) -> Any:
    return type("Client", (Recorder, generated.SyncMethods), {})()


def test_a_call_sends_what_was_given_under_its_wire_names(generated: Any) -> None:
    client = sync_client(generated)

    client.box.move(from_="1", to="left")
    client.box.split(direction="down", if_revision=4)
    client.box.list()
    client.box()
    client.box.note_type(box="1", text="ls")
    client.box_lid.get()
    frames = list(client.box.watch(after_sequence=None))

    assert frames == [{"sequence": 1}]
    assert client.calls == [
        ("box.move", {"from": "1", "to": "left"}),
        ("box.split", {"direction": "down", "if_revision": 4}),
        ("box.list", {}),
        ("box", {}),
        ("box.note.type", {"box": "1", "text": "ls"}),
        ("box.lid.get", {}),
        ("box.watch", {"after_sequence": None}),
    ]


async def test_the_asynchronous_client_has_the_same_methods(generated: Any) -> None:
    client: Any = type("Client", (AsyncRecorder, generated.AsyncMethods), {})()

    await client.box.split(box=3)
    frames = [frame async for frame in client.box.watch()]

    assert frames == [{"sequence": 1}]
    assert client.calls == [("box.split", {"box": 3}), ("box.watch", {})]


def test_parameters_are_keywords_and_the_required_ones_are_demanded(generated: Any) -> None:
    client = sync_client(generated)

    with pytest.raises(TypeError):
        client.box.split("1")
    with pytest.raises(TypeError):
        client.box.move(from_="1")


def test_the_types_of_results_say_when_the_revision_is_there(generated: Any) -> None:
    types = importlib.import_module(f"{PACKAGE}.types")

    def optional(name: str) -> set[str]:
        hints = get_type_hints(getattr(types, name), include_extras=True)
        return {field for field, kind in hints.items() if get_origin(kind) is NotRequired}

    assert optional("BoxList") == set()
    assert optional("BoxSplitResult") == {"revision"}
    assert optional("CodegenOtherSampleRow") == {"revision"}
    assert optional("CodegenSampleRow") == {"note"}
    assert optional("BoxMoved") == set()


def test_a_method_named_like_its_family_is_the_family_called() -> None:
    assert method_name("box", "box") == "__call__"
    assert method_name("box.lid", "box.lid.get") == "get"
    assert method_name("lease", "lease.import") == "import_"


def test_generated_modules_pass_the_strict_type_check(tmp_path: Path) -> None:
    package = tmp_path / "luvus_client"
    (package / "generated").mkdir(parents=True)
    source = Path(luvus_client.__file__).parent
    for name in ("__init__.py", "calling.py"):
        text = "" if name == "__init__.py" else (source / name).read_text()
        (package / name).write_text(text)
    for name, text in python_client(CATALOGUE).items():
        (package / "generated" / name).write_text(text)
    (tmp_path / "use.py").write_text(_USE)

    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "use.py", "luvus_client"]
    checked = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=False, env={"PATH": ""}
    )

    assert checked.stdout.splitlines() == [
        'use.py:18: error: Argument "direction" to "split" of "BoxMethods" has incompatible type '
        "\"Literal['up']\"; expected \"Literal['right', 'down']\"  [arg-type]",
        "Found 1 error in 1 file (checked 9 source files)",
    ]


_USE = """from collections.abc import Iterator
from typing import Any

from luvus_client.generated.methods import SyncMethods


class Client(SyncMethods):
    def call(self, method: str, params: dict[str, object]) -> dict[str, Any]:
        return {}

    def stream(self, method: str, params: dict[str, object]) -> Iterator[dict[str, Any]]:
        return iter(())


client = Client()
box: str = client.box.split(box=1, direction="down")["box"]
sequence: int = next(client.box.watch())["sequence"]
client.box.split(direction="up")
"""
