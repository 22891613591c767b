"""What the dashboard refuses, on every transport, against a real server."""

from __future__ import annotations

from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.support.browsers import Visitor, message
from tests.support.live import LiveServer

EVIL = "http://evil.test"


def test_the_dashboard_is_off_until_it_is_asked_for(live: LiveServer) -> None:
    assert live.call("web.status") == {
        "type": "web_status",
        "running": False,
        "url": None,
        "browsers": 0,
    }


def test_a_login_link_works_once(live: LiveServer, stranger: Visitor) -> None:
    link = live.call("web.start")["link"]

    first = stranger.log_in(link)
    second = Visitor(stranger.origin).log_in(link)

    assert first.status == 200
    assert second.status == 403
    assert "set-cookie" not in second.headers


def test_the_cookie_is_out_of_reach_of_scripts_and_of_other_sites(
    live: LiveServer, stranger: Visitor
) -> None:
    answer = stranger.log_in(live.call("web.start")["link"])

    name, *attributes = answer.headers["set-cookie"].split("; ")
    assert name.startswith(f"luvus_{stranger.port}=")
    assert len(name.partition("=")[2]) >= 43
    assert {"Path=/", "HttpOnly", "SameSite=Strict"} <= set(attributes)


@pytest.mark.parametrize("host", ["evil.test", "evil.test:{port}", "127.0.0.1", "127.0.0.1:1", ""])
def test_another_host_name_gets_no_answer_on_http(visitor: Visitor, host: str) -> None:
    host = host.format(port=visitor.port)
    headers = {"Host": host, "Origin": f"http://{host}"}

    assert visitor.request("GET", "/", headers=headers).status == 421
    assert visitor.post("/uhp/v1/ping", {}, headers).status == 421
    assert visitor.post("/login", {"ticket": "x"}, headers).status == 421


def test_another_host_name_gets_no_answer_on_server_sent_events(visitor: Visitor) -> None:
    host = f"evil.test:{visitor.port}"

    answer = visitor.request("GET", "/uhp/v1/events", headers={"Host": host})

    assert answer.status == 421


def test_another_host_name_gets_no_answer_on_a_web_socket(visitor: Visitor) -> None:
    host = f"evil.test:{visitor.port}"

    answer = visitor.handshake("events.subscribe", {"Host": host, "Origin": f"http://{host}"})

    assert answer.status == 403


def test_a_page_of_another_origin_can_do_nothing_with_the_cookie(visitor: Visitor) -> None:
    headers = {"Origin": EVIL}

    assert visitor.post("/uhp/v1/tab.new", {}, headers).status == 403
    assert visitor.post("/login", {"ticket": "x"}, headers).status == 403
    assert visitor.post("/logout", {}, headers).status == 403
    assert visitor.request("GET", "/uhp/v1/events", headers=headers).status == 403
    assert visitor.handshake("events.subscribe", headers).status == 403


def test_a_web_socket_without_an_origin_is_refused(visitor: Visitor) -> None:
    assert visitor.handshake("events.subscribe", {}).status == 403


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded"])
def test_a_form_of_another_page_can_change_nothing(
    live: LiveServer, visitor: Visitor, kind: str
) -> None:
    before = live.call("tab.list")["tabs"]
    form = {"Content-Type": kind, "Origin": visitor.origin}

    refused = visitor.request("POST", "/uhp/v1/tab.new", b"{}", form)

    assert refused.status == 403
    assert live.call("tab.list")["tabs"] == before


def test_a_request_that_another_site_made_is_refused_whatever_else_it_says(
    visitor: Visitor,
) -> None:
    answer = visitor.post("/uhp/v1/ping", {}, {"Sec-Fetch-Site": "cross-site"})

    assert answer.status == 403


def test_nobody_calls_a_method_or_opens_a_stream_without_a_login(stranger: Visitor) -> None:
    assert stranger.call("ping").status == 401
    assert stranger.request("GET", "/uhp/v1/events").status == 401
    assert stranger.handshake("events.subscribe", {"Origin": stranger.origin}).status == 403
    stranger.cookie = f"luvus_{stranger.port}=guessed"
    assert stranger.call("ping").status == 401


def test_a_token_of_the_browser_s_own_choice_is_not_looked_at(
    live: LiveServer, stranger: Visitor
) -> None:
    token = live.call("uhp.token.create", {"scopes": ["all"], "ttl_s": 60})["token"]

    answer = stranger.post("/uhp/v1/ping", {}, {"Authorization": f"Bearer {token}"})

    assert answer.status == 401


def test_a_read_only_login_sees_and_changes_nothing(live: LiveServer, stranger: Visitor) -> None:
    stranger.log_in(live.call("web.start", {"read_only": True})["link"])

    assert stranger.call("session.snapshot").status == 200
    for method in ("tab.new", "pane.split", "pane.close", "workspace.new", "server.stop"):
        assert stranger.call(method).status == 403, method
    assert stranger.call("pane.run", {"command": "touch typed"}).status == 403
    assert stranger.call("web.start").status == 403
    with stranger.socket("view.pane", {"pane": "1"}) as view:
        assert message(view)["result"]["writable"] is False
        view.send('{"action":"type","text":"touch typed\\r"}')
        frames = [message(view), message(view)]
        assert [f["event"] for f in frames].count("view.refused") == 1
    assert not (live.folder / "typed").exists()


def test_a_browser_that_is_logged_out_loses_its_streams_at_once(
    live: LiveServer, visitor: Visitor
) -> None:
    (browser,) = live.call("web.sessions")["browsers"]
    with visitor.socket("events.subscribe") as events:
        message(events)

        live.call("web.revoke", {"browser": browser["browser"]})

        with pytest.raises(ConnectionClosed) as closed:
            while True:
                events.recv(10)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4401
    assert visitor.call("ping").status == 401


def test_logging_out_in_the_browser_ends_the_login(live: LiveServer, visitor: Visitor) -> None:
    answer = visitor.post("/logout", {})

    assert answer.status == 200
    assert "Max-Age=0" in answer.headers["set-cookie"]
    assert visitor.call("ping").status == 401
    assert live.call("web.sessions")["browsers"] == []


def test_stopping_the_dashboard_logs_everybody_out_and_frees_the_port(
    live: LiveServer, visitor: Visitor
) -> None:
    with visitor.socket("events.subscribe") as events:
        message(events)
        live.call("web.stop")
        with pytest.raises(ConnectionClosed):
            while True:
                events.recv(10)

    again = live.call("web.start", {"port": visitor.port})

    assert again["url"] == visitor.origin
    assert visitor.call("ping").status == 401


def test_every_answer_carries_the_headers_that_keep_other_pages_out(visitor: Visitor) -> None:
    for path in ("/", "/login", "/session", "/nothing.js", "/uhp/v1/nothing"):
        headers = visitor.request("GET", path).headers
        policy = headers["content-security-policy"]
        scripts = next(p for p in policy.split("; ") if p.startswith("script-src"))
        assert scripts == "script-src 'self'"
        assert "frame-ancestors 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize(
    "path",
    ["/../saved.py", "/..%2fsaved.py", "/assets/../../app.py", "/%2e%2e/app.py", "//etc/a.b"],
)
def test_a_path_out_of_the_pages_finds_nothing(visitor: Visitor, path: str) -> None:
    answer = visitor.request("GET", path)

    assert answer.status in {401, 404}
    assert b"import" not in answer.body


def test_a_login_body_without_end_is_cut_off(stranger: Visitor) -> None:
    answer = stranger.post("/login", {"ticket": "x" * 4096})

    assert answer.status == 413


def test_wrong_tickets_are_counted_and_a_good_one_still_works(
    live: LiveServer, stranger: Visitor
) -> None:
    answers = [stranger.post("/login", {"ticket": str(number)}).status for number in range(25)]

    assert answers == [403] * 20 + [429] * 5
    assert stranger.log_in(live.call("web.start")["link"]).status == 200


def test_no_secret_stands_in_a_command_line_a_log_or_a_file(
    live: LiveServer, visitor: Visitor
) -> None:
    link = live.call("web.start")["link"]
    secrets = [link.partition("#")[2].encode(), str(visitor.cookie).partition("=")[2].encode()]
    visitor.call("ping")

    files = [path for path in live.home.rglob("*") if path.is_file()]
    commands = list(Path("/proc").glob("[0-9]*/cmdline"))
    for path in [*files, *commands]:
        try:
            found = path.read_bytes()
        except OSError:
            continue
        assert not [secret for secret in secrets if secret in found], path


def test_a_server_that_takes_over_after_a_crash_keeps_the_logins(
    live: LiveServer, visitor: Visitor
) -> None:
    state = live.directory / "web.json"
    assert state.stat().st_mode & 0o777 == 0o600

    live.kill()
    live.start()

    assert visitor.call("ping").status == 200
    live.stop()
    assert not state.exists()


def test_a_port_that_is_taken_is_refused_by_name(live: LiveServer, visitor: Visitor) -> None:
    live.call("web.stop")
    import socket

    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        refused = live.refusal("web.start", {"port": port})

    assert refused["code"] == "unavailable"
    assert str(port) in refused["message"]


def test_a_stream_without_a_login_is_refused_in_its_handshake(stranger: Visitor) -> None:
    with pytest.raises(InvalidStatus), stranger.socket("view.pane"):
        pass
