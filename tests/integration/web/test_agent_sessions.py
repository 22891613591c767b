"""Agent sessions behind the dashboard's login: the same guards; who may only look does nothing."""

from __future__ import annotations

import json

import httpx
import pytest
from websockets.exceptions import ConnectionClosed

from luvus_service.luxe.domain.handshake import ACTIONS
from tests.support.browsers import Visitor, message
from tests.support.live import LiveServer

LIST = "/luxe/v2/sessions"
EVIL = "http://evil.test"


@pytest.fixture
def session(live: LiveServer, visitor: Visitor) -> str:
    answer = visitor.post(LIST, {"cwd": str(live.folder)})
    assert answer.status == 201, answer.body
    return str(answer.json()["content"]["session_id"])


def test_another_host_name_reaches_no_agent_on_any_transport(
    visitor: Visitor, session: str
) -> None:
    host = f"evil.test:{visitor.port}"
    other = {"Host": host, "Origin": f"http://{host}"}

    assert visitor.request("GET", LIST, headers={"Host": host}).status == 421
    assert visitor.post(LIST, {"cwd": "/"}, other).status == 421
    assert visitor.handshake(LIST, other).status == 403
    assert visitor.handshake(f"{LIST}/{session}", other).status == 403


def test_a_page_of_another_origin_reaches_no_agent(visitor: Visitor, session: str) -> None:
    headers = {"Origin": EVIL}

    assert visitor.post(LIST, {"cwd": "/"}, headers).status == 403
    assert visitor.request("GET", LIST, headers=headers).status == 403
    assert visitor.handshake(f"{LIST}/{session}", headers).status == 403
    assert visitor.handshake(LIST, {}).status == 403


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded"])
def test_a_form_of_another_page_starts_no_agent(visitor: Visitor, kind: str) -> None:
    form = {"Content-Type": kind, "Origin": visitor.origin}

    assert visitor.request("POST", LIST, b'{"cwd":"/"}', form).status == 403
    assert visitor.request("GET", LIST).json() == {"sessions": []}


def test_nobody_sees_an_agent_without_a_login(stranger: Visitor, session: str) -> None:
    own = {"Origin": stranger.origin}

    assert stranger.request("GET", LIST).status == 401
    assert stranger.post(f"{LIST}/{session}/cancel", None).status == 401
    assert stranger.handshake(LIST, own).status == 403
    assert stranger.handshake(f"{LIST}/{session}", own).status == 403


def test_a_read_only_login_looks_at_agents_and_does_nothing_to_them(
    live: LiveServer, stranger: Visitor, session: str
) -> None:
    stranger.log_in(live.call("web.start", {"read_only": True})["link"])
    one = f"{LIST}/{session}"

    assert stranger.request("GET", LIST).json()["sessions"][0]["session_id"] == session
    assert stranger.post(LIST, {"cwd": "/"}).status == 403
    assert stranger.post(f"{one}/submit_user_message", {"text": "x"}).status == 403
    assert stranger.post(f"{one}/close", None).status == 403
    with stranger.socket(LIST) as watching:
        assert message(watching)["kind"] == "sessions"
    with stranger.socket(one) as viewing:
        assert message(viewing)["kind"] == "ready"
        viewing.send(json.dumps({"kind": "close"}))
        while (frame := message(viewing))["kind"] != "action_rejected":
            pass
    assert frame["content"]["code"] == "forbidden"
    assert len(stranger.request("GET", LIST).json()["sessions"]) == 1


def test_every_act_on_an_agent_is_refused_to_a_login_that_may_only_look(
    live: LiveServer, stranger: Visitor, session: str
) -> None:
    stranger.log_in(live.call("web.start", {"read_only": True})["link"])
    one = f"{LIST}/{session}"
    own = {"Origin": stranger.origin, "X-Luvus": "1"}

    by_post = {act: stranger.post(f"{one}/{act}", {}).status for act in ACTIONS}
    by_socket: list[tuple[str, str]] = []
    with stranger.socket(one) as viewing:
        for act in ACTIONS:
            viewing.send(json.dumps({"kind": act, "content": {}}))
        while len(by_socket) < len(ACTIONS):
            frame = message(viewing)
            if frame["kind"] == "action_rejected":
                by_socket.append((frame["content"]["kind"], frame["content"]["code"]))

    assert by_post == dict.fromkeys(ACTIONS, 403)
    assert by_socket == [(act, "forbidden") for act in ACTIONS]
    assert stranger.request("DELETE", one, headers=own).status == 403
    assert stranger.request("GET", "/luxe/v2/models").status == 403


def test_a_browser_that_is_logged_out_loses_its_agents_at_once(
    live: LiveServer, visitor: Visitor, session: str
) -> None:
    (browser,) = live.call("web.sessions")["browsers"]
    with visitor.socket(LIST) as watching, visitor.socket(f"{LIST}/{session}") as viewing:
        message(watching)
        message(viewing)
        live.call("web.revoke", {"browser": browser["browser"]})

        for stream in (watching, viewing):
            with pytest.raises(ConnectionClosed, match="4401"):
                while True:
                    message(stream)

    transport = httpx.HTTPTransport(uds=str(live.http))
    with httpx.Client(transport=transport, base_url="http://luvus") as owner:
        (row,) = owner.get(LIST).json()["sessions"]
    assert row["viewers"] == 0
