"""Prompting, answering and waiting, against scripted agents in real panes."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest

from tests.integration.agents.conftest import Crew
from tests.support.fake_agent import PASTE_END, PASTE_START


@pytest.fixture(scope="module")
def pane(shared: Crew) -> str:
    return shared.start("one", "claude")


@pytest.fixture(autouse=True)
def settled(shared: Crew, pane: str) -> None:
    """Begin each test with an agent that takes prompts and has nothing unseen."""
    shared.call("pane.focus", {"pane": pane})
    shared.wait(pane, "idle")
    shared.call("pane.focus", {"pane": "1"})


def test_a_prompt_waits_for_the_turn_that_it_caused(shared: Crew, pane: str) -> None:
    found = shared.call(
        "agent.prompt", {"target": "one", "text": "work 0.5", "wait": True, "timeout_s": 15}
    )

    assert found["content_revision"] > found["baseline_revision"]
    del found["content_revision"], found["baseline_revision"]
    assert found == {
        "type": "agent_prompt",
        "pane": pane,
        "submitted": True,
        "matched": True,
        "status": "done",
        "evidence": "state_transition",
    }


def test_a_turn_too_short_to_be_seen_counts_by_its_output(shared: Crew, pane: str) -> None:
    found = shared.call(
        "agent.prompt", {"target": "one", "text": "quick", "wait": True, "timeout_s": 15}
    )

    assert (found["matched"], found["evidence"], found["status"]) == (
        True,
        "output_settled",
        "idle",
    )


def test_a_prompt_that_waits_for_nothing_is_queued(shared: Crew, pane: str) -> None:
    found = shared.call("agent.prompt", {"target": pane, "text": "hello"})

    assert found["baseline_revision"] == found["content_revision"]
    assert (found["submitted"], found["matched"], found["evidence"]) == (True, False, "queued")
    shared.server.wait_text(pane, "5 characters: hello")


def test_a_wait_that_ends_too_early_says_that_the_prompt_was_sent(shared: Crew, pane: str) -> None:
    found = shared.call(
        "agent.prompt", {"target": "one", "text": "work 1", "wait": True, "timeout_s": 0.3}
    )

    assert (found["submitted"], found["matched"], found["evidence"]) == (True, False, "timeout")
    assert shared.received().count(b"work 1") == 1
    shared.wait(pane, "done")


def test_a_prompt_to_a_blocked_agent_is_refused_and_no_byte_is_written(
    shared: Crew, pane: str
) -> None:
    shared.call("agent.prompt", {"target": "one", "text": "ask", "wait": True, "timeout_s": 15})
    before = shared.received()

    for method in ("agent.prompt", "agent.send"):
        error = shared.refusal(method, {"target": "one", "text": "go on"})
        assert error["code"] == "agent_not_ready"
        assert "Do you want to proceed?" in error["message"]

    shared.call("agent.keys", {"target": "one", "keys": ["1"]})
    shared.server.wait_text(pane, "answered 1")
    assert shared.received() == before + b"1"


def test_a_prompt_right_after_the_dialog_appeared_is_refused(shared: Crew, pane: str) -> None:
    shared.call("agent.send", {"target": "one", "text": "ask"})
    shared.server.wait_text(pane, "proceed?")

    error = shared.refusal("agent.prompt", {"target": "one", "text": "go on"})

    assert error["code"] == "agent_not_ready"
    shared.call("agent.keys", {"target": "one", "keys": ["n"]})
    shared.server.wait_text(pane, "answered n")


def test_an_answer_to_another_screen_than_was_read_is_refused(shared: Crew, pane: str) -> None:
    shared.call("agent.prompt", {"target": "one", "text": "ask", "wait": True, "timeout_s": 15})
    read = shared.call("agent.read", {"target": "one", "source": "visible"})
    fence = {"if_content_revision": read["content_revision"], "terminal_id": read["terminal_id"]}
    before = shared.received()

    stale = {**fence, "if_content_revision": read["content_revision"] - 1}
    error = shared.refusal("agent.keys", {"target": "one", "keys": ["1"], **stale})
    assert error["code"] == "content_revision_conflict"
    other = {**fence, "terminal_id": "0" * 32}
    assert shared.refusal("agent.keys", {"target": "one", "keys": ["1"], **other})["code"] == (
        "agent_not_ready"
    )
    assert shared.received() == before
    shared.call("agent.keys", {"target": "one", "keys": ["1"], **fence})

    shared.server.wait_text(pane, "answered 1")


def test_only_one_prompt_waits_for_a_pane(shared: Crew, pane: str) -> None:
    answers: list[dict[str, Any]] = []

    def wait_long() -> None:
        params = {"target": "one", "text": "work 2", "wait": True, "timeout_s": 15}
        answers.append(shared.call("agent.prompt", params))

    first = threading.Thread(target=wait_long)
    first.start()
    shared.wait(pane, "working")
    before = shared.received()
    error = shared.refusal("agent.prompt", {"target": "one", "text": "second", "wait": True})

    assert error["code"] == "agent_prompt_busy"
    assert shared.received() == before
    first.join()
    assert [answer["matched"] for answer in answers] == [True]


def test_keys_arrive_as_their_bytes_and_a_bad_batch_not_at_all(shared: Crew, pane: str) -> None:
    keys = ["ctrl+c", "ctrl+z", "esc", "[", "Z", "y", "🙂"]
    before = len(shared.received())

    answer = shared.call("agent.keys", {"target": pane, "keys": keys})
    error = shared.refusal("agent.keys", {"target": pane, "keys": ["enter", "f13"]})
    shared.call("agent.keys", {"target": pane, "keys": ["Up", "enter"]})
    shared.server.wait_text(pane, "characters:")

    assert (answer["type"], answer["pane"], error["code"]) == ("ok", pane, "invalid_request")
    got = shared.received()[before:]
    assert got == b"\x03\x1a\x1b[Zy" + "🙂".encode() + b"\x1b[A\r"


def test_a_prompt_of_a_quarter_mebibyte_arrives_byte_for_byte(shared: Crew, pane: str) -> None:
    text = "".join(f"line {number} äöü\n" for number in range(30_000))[:262_143] + "."
    before = len(shared.received())

    shared.call("agent.prompt", {"target": "one", "text": text})
    shared.server.wait_text(pane, f"{len(text)} characters")

    assert shared.received()[before:] == PASTE_START + text.encode() + PASTE_END + b"\r"


@pytest.mark.parametrize("text", ["", "a\x1b[201~b", "a\x03", "x" * 262_145, "\x00"])
def test_a_text_that_is_no_prompt_is_refused_and_nothing_is_sent(
    shared: Crew, pane: str, text: str
) -> None:
    before = shared.received()

    assert shared.refusal("agent.prompt", {"target": "one", "text": text})["code"] == (
        "invalid_request"
    )
    assert shared.refusal("agent.send", {"target": "one", "text": text})["code"] == (
        "invalid_request"
    )

    assert shared.received() == before


@pytest.mark.parametrize(
    "params",
    [
        {"until": ["done"]},
        {"timeout_s": 3},
        {"wait": True, "until": []},
        {"wait": True, "until": ["unknown"]},
        {"wait": True, "timeout_s": 3601},
        {"wait": True, "timeout_s": -1},
        {"wait": "yes"},
        {"unknown": 1},
        {"terminal_id": "INVALID"},
    ],
)
def test_a_malformed_prompt_is_refused_and_nothing_is_sent(
    shared: Crew, pane: str, params: dict[str, Any]
) -> None:
    before = shared.received()

    error = shared.refusal("agent.prompt", {"target": "one", "text": "hi", **params})

    assert error["code"] == "invalid_request"
    assert shared.received() == before


def test_a_wait_answers_at_once_or_when_the_state_comes_or_when_time_is_over(
    shared: Crew, pane: str
) -> None:
    now = shared.call("agent.wait", {"pane": pane, "status": "idle"})
    late = shared.call("agent.wait", {"pane": pane, "status": "blocked", "timeout_s": 0.2})
    with shared.server.connect() as waiting:
        params = {"pane": pane, "statuses": ["blocked", "working"], "timeout_s": 15}
        request = {"id": "w", "method": "agent.wait", "params": params}
        waiting.sendall(json.dumps(request).encode() + b"\n")
        shared.call("agent.send", {"target": "one", "text": "work 0.5"})
        came = json.loads(waiting.makefile("rb").readline())

    assert now == {"type": "agent_wait", "matched": True, "pane": pane, "status": "idle"}
    assert late == {"type": "agent_wait", "matched": False, "pane": None, "status": None}
    assert came["result"] == {
        "type": "agent_wait",
        "matched": True,
        "pane": pane,
        "status": "working",
    }


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"status": "done", "statuses": ["done"]},
        {"statuses": []},
        {"statuses": ["done", "done"]},
        {"statuses": ["unknown"]},
        {"statuses": ["done", 7]},
        {"statuses": ["idle", "working", "blocked", "done", "idle"]},
    ],
)
def test_a_malformed_wait_is_refused(shared: Crew, pane: str, params: dict[str, Any]) -> None:
    assert shared.refusal("agent.wait", {"pane": pane, **params})["code"] == "invalid_request"
    assert shared.refusal("agent.wait", {"pane": "4000", "status": "done"})["code"] == "not_found"


def test_a_pane_that_closes_ends_its_waits(shared: Crew) -> None:
    pane = shared.start("doomed", "codex")
    params = {"target": "doomed", "text": "work 30", "wait": True, "timeout_s": 60}
    with shared.server.connect() as prompting, shared.server.connect() as waiting:
        for sock, method, body in (
            (prompting, "agent.prompt", params),
            (waiting, "agent.wait", {"pane": pane, "status": "blocked"}),
        ):
            request = {"id": "w", "method": method, "params": body}
            sock.sendall(json.dumps(request).encode() + b"\n")
        shared.wait(pane, "working")
        shared.call("pane.close", {"pane": pane})
        prompted = json.loads(prompting.makefile("rb").readline())
        waited = json.loads(waiting.makefile("rb").readline())

    assert waited["result"]["matched"] is False
    error = prompted["error"]
    assert error["code"] == "agent_not_running"
    assert error["data"].pop("content_revision") >= error["data"].pop("baseline_revision")
    assert error["data"] == {
        "pane": pane,
        "queued": True,
        "submitted": True,
        "observed_state": "working",
        "reason": "pane_closed",
    }


def test_a_kind_is_a_target_only_while_one_agent_is_of_it(shared: Crew, pane: str) -> None:
    assert shared.call("agent.get", {"target": "claude"})["pane"] == pane
    other = shared.start("two", "claude")

    error = shared.refusal("agent.get", {"target": "claude"})
    explained = shared.refusal("agent.explain", {"target": "codex"})
    shared.call("pane.close", {"pane": other})

    assert error["code"] == "ambiguous_target"
    assert f"pane {pane} in {shared.server.home}" in error["message"]
    assert explained["code"] == "not_found"


def test_a_read_token_sees_agents_and_cannot_drive_them(shared: Crew, pane: str) -> None:
    token = shared.call("uhp.token.create", {"scopes": ["read"]})["token"]
    before = shared.received()

    assert shared.call("agent.list", auth=token)["agents"]
    for method, params in (
        ("agent.prompt", {"target": "one", "text": "x"}),
        ("agent.keys", {"target": "one", "keys": ["enter"]}),
        ("agent.report", {"source": "a", "agent": "b", "status": "idle"}),
    ):
        assert shared.refusal(method, params, auth=token)["code"] == "forbidden"
    assert shared.received() == before
