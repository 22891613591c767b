"""Delegated tokens against a real server: what they open, and that they are not seen."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.live import LiveServer


def token(live: LiveServer, *scopes: str, ttl_s: int = 60) -> str:
    """Make a token and return its secret."""
    made = live.call("uhp.token.create", {"scopes": list(scopes), "ttl_s": ttl_s})
    assert re.fullmatch(r"token_[0-9a-f]{32}", made["id"])
    assert re.fullmatch(r"luv_tok_[0-9a-f]{32}", made["token"])
    return str(made["token"])


def test_a_read_token_reads_everything_but_admin_and_changes_nothing(live: LiveServer) -> None:
    secret = token(live, "read")
    before = live.call("session.snapshot")

    assert live.call("pane.list", auth=secret)["type"] == "pane_list"
    assert live.call("session.snapshot", auth=secret) == before
    for method in ("pane.close", "tab.new", "uhp.token.list", "uhp.token.create", "server.stop"):
        error = live.refusal(method, {"does": "not fit"}, auth=secret)
        assert error["code"] == "forbidden"
    assert live.call("session.snapshot") == before


def test_a_workspace_token_changes_the_workspace_and_delegates_nothing(live: LiveServer) -> None:
    secret = token(live, "workspace")

    assert live.call("tab.new", auth=secret)["tab"] == "2"
    assert live.refusal("server.stop", auth=secret)["code"] == "forbidden"
    assert live.refusal("ping", auth=secret)["code"] == "forbidden"


def test_an_admin_token_cannot_give_away_what_it_does_not_hold(live: LiveServer) -> None:
    secret = token(live, "admin")

    lesser = live.call("uhp.token.create", {"scopes": ["admin"]}, auth=secret)
    error = live.refusal("uhp.token.create", {"scopes": ["admin", "workspace"]}, auth=secret)

    assert lesser["scopes"] == ["admin"]
    assert error["code"] == "forbidden"
    assert "'workspace'" in error["message"]


def test_a_revoked_token_opens_nothing_and_its_streams_end(live: LiveServer) -> None:
    made = live.call("uhp.token.create", {"scopes": ["read"]})
    with live.stream("events.subscribe", auth=made["token"]) as events:
        assert events.line()

        assert live.call("uhp.token.revoke", {"id": made["id"]})["revoked"] is True
        assert live.call("uhp.token.revoke", {"id": made["id"]})["revoked"] is False
        live.call("pane.rename", {"name": "a"})

        assert list(events.lines()) == []
    assert live.refusal("ping", auth=made["token"])["code"] == "forbidden"


def test_an_expired_token_is_gone(live: LiveServer) -> None:
    secret = token(live, "read", ttl_s=1)
    assert live.call("ping", auth=secret)

    live.call("events.wait", {"event": "never", "timeout_s": 1.1})

    assert live.refusal("ping", auth=secret)["code"] == "forbidden"
    assert live.call("uhp.token.list")["tokens"] == []


def test_the_65th_token_is_refused(live: LiveServer) -> None:
    for _ in range(64):
        token(live, "read")

    assert live.refusal("uhp.token.create", {"scopes": ["read"]})["code"] == "limit_exceeded"
    assert len(live.call("uhp.token.list")["tokens"]) == 64


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"scopes": []},
        {"scopes": ["root"]},
        {"scopes": ["read", "read"]},
        {"scopes": ["read"], "ttl_s": 0},
        {"scopes": ["read"], "ttl_s": 86_401},
        {"scopes": ["read"], "more": 1},
    ],
)
def test_a_malformed_wish_for_a_token_makes_none(
    served: LiveServer, params: dict[str, object]
) -> None:
    assert served.refusal("uhp.token.create", params)["code"] == "invalid_request"
    assert served.call("uhp.token.list")["tokens"] == []


def test_no_secret_is_written_anywhere(live: LiveServer) -> None:
    secret = token(live, "all")
    live.call("tab.new", auth=secret)
    live.refusal("no.such.method", auth=secret)
    live.exchange(b'{"id":"1","method":"ping","auth":"' + secret.encode() + b'","params":[}\n')

    written = [p.read_bytes() for p in live.home.rglob("*") if p.is_file()]
    commands = [
        (entry / "cmdline").read_bytes()
        for entry in Path("/proc").iterdir()
        if entry.name.isdigit() and (entry / "cmdline").exists()
    ]
    assert not any(secret.encode() in text for text in [*written, *commands])
