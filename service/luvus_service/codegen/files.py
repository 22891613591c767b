"""Which generated file holds what, and whether the ones on disk are still true."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from luvus_service.codegen.agent_api import AgentApi
from luvus_service.codegen.agent_pages import agent_pages
from luvus_service.codegen.openapi import openapi
from luvus_service.codegen.pages import MARK as PAGE_MARK
from luvus_service.codegen.pages import pages
from luvus_service.codegen.protocol import commands, protocol
from luvus_service.codegen.python_agents import python_agents
from luvus_service.codegen.python_client import MARK as PYTHON_MARK
from luvus_service.codegen.python_client import python_client
from luvus_service.codegen.typescript import MARK as TYPESCRIPT_MARK
from luvus_service.codegen.typescript import typescript_client
from luvus_service.codegen.typescript_agents import typescript_agents
from luvus_service.rpc.errors import Kind
from luvus_service.rpc.registry import Catalogue

CLIENT = "clients/luvus_client/generated"
TYPESCRIPT = "clients/typescript/src/generated"
PAGES = "service/docs/reference"
OPENAPI = "service/docs/openapi.json"


def generated_files(
    catalogue: Catalogue,
    version: str,
    *,
    status_of_kind: Mapping[Kind, int],
    server_sent: Mapping[str, str],
    agents: AgentApi,
) -> dict[str, str]:
    """Return the text of every generated file by its path in the repository."""
    described = openapi(
        catalogue, version, status_of_kind=status_of_kind, server_sent=server_sent, agents=agents
    )
    contract = protocol(catalogue)
    return {
        f"{CLIENT}/protocol.json": as_json(contract),
        f"{CLIENT}/commands.json": as_json(commands(contract)),
        OPENAPI: as_json(described),
        **{f"{CLIENT}/{name}": text for name, text in python_client(catalogue).items()},
        **{f"{CLIENT}/{name}": text for name, text in python_agents(agents).items()},
        **{f"{TYPESCRIPT}/{name}": text for name, text in typescript_client(catalogue).items()},
        **{f"{TYPESCRIPT}/{name}": text for name, text in typescript_agents(agents).items()},
        **{f"{PAGES}/{name}": text for name, text in pages(catalogue).items()},
        **{f"{PAGES}/{name}": text for name, text in agent_pages(agents).items()},
    }


def stale_files(root: Path, files: Mapping[str, str]) -> list[str]:
    """Return the paths that are missing, differ, or should be gone."""
    wrong = [path for path, text in files.items() if _read(root / path) != text]
    return sorted(wrong + left_over(root, files))


def write_files(root: Path, files: Mapping[str, str]) -> list[str]:
    """Write what differs, delete what should be gone, and return the paths touched."""
    touched = stale_files(root, files)
    for path in touched:
        target = root / path
        if path not in files:
            target.unlink()
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(files[path], encoding="utf-8")
    return touched


def left_over(root: Path, files: Mapping[str, str]) -> list[str]:
    """Return the generated files of the folders that nothing generates any more."""
    found = [
        path
        for folder, ending in ((CLIENT, "*.py"), (TYPESCRIPT, "*.ts"), (PAGES, "*.md"))
        for path in (root / folder).glob(ending)
        if (_read(path) or "").partition("\n")[0] in {PYTHON_MARK, TYPESCRIPT_MARK, PAGE_MARK}
    ]
    names = [path.relative_to(root).as_posix() for path in found]
    return [name for name in names if name not in files]


def as_json(value: object) -> str:
    """Return a document as it is written to a file."""
    return json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
