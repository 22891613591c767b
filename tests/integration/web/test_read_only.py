"""A read-only login against every method and every action of every stream there is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, get_args

import pytest
from websockets.sync.client import ClientConnection

from luvus_service.rpc.scopes import Access, Scope
from luvus_service.uhp.catalogue import catalogue
from luvus_service.uhp.families.view import lines
from tests.integration.web.conftest import free_port
from tests.support.browsers import Visitor, message
from tests.support.live import LiveServer

SPECS = catalogue().methods
CALLS = sorted(name for name, spec in SPECS.items() if not spec.stream)
STREAMS = sorted(name for name, spec in SPECS.items() if spec.stream)
WRITES = {name for name, spec in SPECS.items() if spec.access is Access.WRITE}
PRIVATE = {name for name, spec in SPECS.items() if spec.scope is Scope.ADMIN}
"""What a login that may look does not see either: settings, tokens, who is logged in."""
HARMLESS = {"ack", "refresh"}
"""Actions of a view that type nothing."""
ACTIONS: dict[str, dict[str, Any]] = {
    "type": {"text": "touch typed\r"},
    "type_bytes": {"base64": "dG91Y2ggdHlwZWQN"},
    "paste": {"text": "touch typed\n"},
    "ack": {"end": 0},
    "refresh": {},
}


@pytest.fixture(scope="module")
def looker(served: LiveServer) -> Iterator[Visitor]:
    """Somebody who is logged in to look only."""
    answer = served.call("web.start", {"port": free_port(), "read_only": True})
    visitor = Visitor(answer["url"])
    assert visitor.log_in(answer["link"]).status == 200
    yield visitor
    served.call("web.stop")


@pytest.mark.parametrize("method", CALLS)
def test_a_method_that_changes_or_reveals_is_refused_and_no_other(
    looker: Visitor, method: str
) -> None:
    answer = looker.call(method, {})

    assert (answer.status == 403) is (method in WRITES | PRIVATE), answer.body


@pytest.mark.parametrize("method", STREAMS)
def test_a_stream_that_changes_something_is_refused_and_no_other(
    looker: Visitor, served: LiveServer, method: str
) -> None:
    params = {"view.size": {"cols": 80, "rows": 24}}.get(method, {})
    with looker.socket(method, params) as stream:
        first = message(stream)

    code = first.get("error", first).get("code")
    assert (code == "forbidden") is (method in WRITES | PRIVATE), first


def test_every_action_of_a_view_is_in_the_table() -> None:
    assert {action_of(model) for model in get_args(lines.ViewLine)} == set(ACTIONS)


@pytest.mark.parametrize("action", ACTIONS)
def test_no_action_of_a_view_types_for_a_login_that_may_only_look(
    looker: Visitor, served: LiveServer, action: str
) -> None:
    with looker.socket("view.pane", {"pane": "1"}) as view:
        assert message(view)["result"]["writable"] is False
        assert message(view)["event"] == "view.snapshot"

        view.send(json.dumps({"action": action, **ACTIONS[action]}))
        view.send(json.dumps({"action": "nothing"}))

        refused = refusals(view)
    assert refused == ([] if action in HARMLESS else ["forbidden"])
    assert not (served.folder / "typed").exists()


def test_a_login_that_may_only_look_opens_no_second_way_in(
    looker: Visitor, served: LiveServer
) -> None:
    before = served.call("uhp.token.list")["tokens"]

    for method in ("uhp.token.create", "web.start", "web.revoke", "uhp.token.revoke"):
        assert looker.call(method, {"scopes": ["all"], "ttl_s": 60}).status == 403

    assert served.call("uhp.token.list")["tokens"] == before


def action_of(model: Any) -> str:
    """Return the action that a line of a viewer asks for."""
    return str(get_args(model.model_fields["action"].annotation)[0])


def refusals(view: ClientConnection) -> list[str]:
    """Return the codes of what was refused before the line that no view knows."""
    codes: list[str] = []
    while True:
        frame = message(view)
        if frame["event"] == "view.refused":
            if frame["data"]["code"] == "invalid_params":
                return codes
            codes.append(frame["data"]["code"])
