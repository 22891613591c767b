"""The published shapes of results tell apart what the protocol's example lines tell apart."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

from luvus_service.codegen.protocol import protocol
from luvus_service.uhp.catalogue import catalogue
from luvus_service.uhp.families.session.models import (
    Snapshot,
    SnapshotTab,
    SnapshotWorkspace,
    TerminalPane,
)
from tests.support.judging import misfits
from tests.support.reference import lines, needs_reference

pytestmark = needs_reference

FOLDER = "fixtures/invalid"
INVALID = lines(f"{FOLDER}/responses.jsonl") + lines(f"{FOLDER}/graphics-responses.jsonl")
NOT_OURS = {"prompt-exit-missing-pane", "alias-newline"}
"""An error with the data of a later release (what errors carry besides their message is open), and
a line end that the judge here lets pass, as Python's `$` does and that of schemas does not."""
_PRODUCT = catalogue()


@cache
def published() -> dict[str, Any]:
    return protocol(_PRODUCT)


def schemas_of(kind: object) -> list[dict[str, Any]]:
    """Return the schemas of the results that have this `type`."""
    found = [m["result"] for m in published()["methods"].values() if m.get("result")]
    return [s for s in found if s.get("properties", {}).get("type", {}).get("const") == kind]


def snapshot() -> dict[str, Any]:
    """Return a session with one of each, into which the rows of the lines are put."""
    pane = TerminalPane(
        pane_id="7",
        focused=True,
        cwd="/",
        terminal_id=None,
        root_process=None,
        content_revision=0,
        agent=None,
        agent_status=None,
        agent_authority=None,
        agent_session=None,
        agent_name=None,
        agent_status_since_ms=None,
        agent_title=None,
    )
    tab = SnapshotTab(index=1, tab_id="t", name=None, kind="panes", active=True, panes=[pane])
    workspace = SnapshotWorkspace(
        index=1,
        workspace_id="w",
        name="a",
        cwd="/",
        branch=None,
        pinned=False,
        active=True,
        tabs=[tab],
    )
    return Snapshot(
        session="default", server_generation="0", event_sequence=0, workspaces=[workspace]
    ).model_dump(mode="json")


def faults_of(schema: dict[str, Any], result: dict[str, Any]) -> list[str]:
    """Return what is wrong with a result besides fields that the lines leave out."""
    base = snapshot() if result["type"] == "session_snapshot" else {}
    found = misfits(schema, laid_over(base, result))
    return [fault for fault in found if "is a required property at $" not in fault[-80:]]


def laid_over(base: Any, value: Any) -> Any:
    """Return a value with whatever it leaves out filled in from another one."""
    if isinstance(base, dict) and isinstance(value, dict):
        # A row of another kind has other fields altogether.
        if "kind" in value and value["kind"] != base.get("kind"):
            return {"focused": True, **value}
        return base | {key: laid_over(base.get(key), inner) for key, inner in value.items()}
    if isinstance(base, list) and isinstance(value, list) and base:
        return [laid_over(base[0], inner) for inner in value]
    return value


@pytest.mark.parametrize("line", INVALID, ids=lambda line: json.loads(line)["id"])
def test_an_invalid_response_line_does_not_fit(line: bytes) -> None:
    response = json.loads(line)
    if response["id"] in NOT_OURS:
        pytest.skip("not ours to tell")
    if misfits(published()["response_schema"], response):
        return
    result = response["result"]
    schemas = schemas_of(result["type"])
    judge = misfits if "missing" in response["id"] else faults_of

    assert schemas != []
    for schema in schemas:
        assert judge(schema, result) != []


def test_a_whole_snapshot_fits() -> None:
    (schema,) = schemas_of("session_snapshot")

    assert faults_of(schema, snapshot()) == []


@pytest.mark.parametrize(
    "result",
    [
        {"matched": True, "pane": "7", "status": "done"},
        {"matched": False, "pane": None, "status": None},
    ],
)
def test_what_a_wait_for_an_agent_says_fits(result: dict[str, Any]) -> None:
    (schema,) = schemas_of("agent_wait")

    assert misfits(schema, {"type": "agent_wait", **result}) == []


@pytest.mark.parametrize(
    "result",
    [
        {"matched": True, "pane": "7", "status": None},
        {"matched": True, "pane": None, "status": "done"},
        {"matched": False, "pane": "7", "status": None},
        {"matched": False, "pane": None, "status": "done"},
    ],
)
def test_what_a_wait_for_an_agent_never_says_does_not_fit(result: dict[str, Any]) -> None:
    (schema,) = schemas_of("agent_wait")

    assert misfits(schema, {"type": "agent_wait", **result}) != []
