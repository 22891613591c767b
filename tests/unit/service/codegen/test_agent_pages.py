from __future__ import annotations

from luvus_service.codegen.agent_pages import PAGE, agent_pages
from luvus_service.codegen.pages import MARK
from luvus_service.luxe.catalogue import kinds
from luvus_service.luxe_wiring.described import agent_api

TEXT = agent_pages(agent_api())[PAGE]


def test_every_action_and_event_has_a_section() -> None:
    assert TEXT.startswith(MARK + "\n\n# ")
    assert [f"\n### {kind}\n" in TEXT for kind in kinds()] == [True] * len(kinds())
    for kind in ("ready", "token_delta", "permission_requested", "turn_ended"):
        assert f"\n### {kind} (event)\n" in TEXT


def test_routes_say_their_scope_and_contents_their_fields() -> None:
    assert "| `GET /luxe/v2/sessions` |" in TEXT
    assert "| `POST /luxe/v2/sessions` | Open a session, new or resumed. | `all` |" in TEXT
    assert "| `text` | string |" in TEXT
    assert "Its content: boolean." in TEXT
    assert "It has no content." in TEXT
