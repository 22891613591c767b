"""`attach.pane` brings a pane to the front."""

from __future__ import annotations

from tests.support.live import LiveServer


def test_attaching_focuses_a_pane_of_another_tab_and_zooms_it(live: LiveServer) -> None:
    live.call("pane.split", {})
    live.call("tab.new")

    done = live.call("attach.pane", {"pane": "1"})
    revision = done.pop("revision")

    assert done == {"type": "ok", "pane": "1"}
    assert isinstance(revision, int)
    assert live.call("pane.current")["pane"] == "1"
    assert live.call("pane.zoom", {"pane": "1"}) | {"revision": 0} == {
        "type": "pane_zoom",
        "pane": "1",
        "enabled": False,
        "revision": 0,
    }


def test_attaching_again_changes_nothing(live: LiveServer) -> None:
    first = live.call("attach.pane")

    assert live.call("attach.pane", {"pane": "1"}) == first


def test_attaching_to_no_pane_is_refused(live: LiveServer) -> None:
    assert live.refusal("attach.pane", {"pane": "99"}) == {
        "code": "not_found",
        "message": "no such pane: 99",
    }


def test_a_token_without_admin_may_not_attach(live: LiveServer) -> None:
    made = live.call("uhp.token.create", {"scopes": ["workspace", "terminal"], "ttl_s": 600})

    assert live.refusal("attach.pane", auth=made["token"])["code"] == "forbidden"
