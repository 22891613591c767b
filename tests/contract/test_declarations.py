from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from luvus_service import __version__
from luvus_service.asgi.status import OF_KIND
from luvus_service.codegen.__main__ import SERVER_SENT
from luvus_service.codegen.files import CLIENT, generated_files, stale_files
from luvus_service.luxe_wiring.described import agent_api
from luvus_service.rpc.registry import Catalogue
from luvus_service.uhp.catalogue import catalogue
from tests.contract.declarations import RULES

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: str(rule.__name__))
def test_every_declaration_keeps_the_rule(rule: Callable[[Catalogue], Iterator[str]]) -> None:
    assert list(rule(catalogue())) == []


def test_the_generated_files_are_those_of_the_declarations() -> None:
    files = generated_files(
        catalogue(),
        __version__,
        status_of_kind=OF_KIND,
        server_sent=SERVER_SENT,
        agents=agent_api(),
    )

    assert stale_files(ROOT, files) == []


def test_the_published_protocol_names_every_method_and_event() -> None:
    document = json.loads((ROOT / CLIENT / "protocol.json").read_bytes())

    assert set(document["methods"]) == set(catalogue().methods)
    assert set(document["event_catalog"]["properties"]) == set(catalogue().events)
