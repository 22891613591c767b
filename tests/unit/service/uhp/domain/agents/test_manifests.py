from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from luvus_service.uhp.domain.agents.identity import Names
from luvus_service.uhp.domain.agents.manifests import BadManifest, assemble, parse
from luvus_service.uhp.domain.agents.rules import Rule


def test_a_manifest_has_names_and_rules() -> None:
    found = parse(
        {
            "agent": "Helper",
            "identity": {"distinct": ["Helper-CLI"], "ambiguous": ["help"]},
            "rule": [
                {"state": "blocked", "priority": 3, "any": ["Allow?"], "not": ["never"]},
                {"state": "idle", "region": "title", "spinner": True},
            ],
        }
    )

    assert found.agent == "helper"
    assert found.names == Names(("helper-cli",), ("help",))
    assert found.rules == (
        Rule("blocked", 3, "helper", any=("allow?",), none=("never",)),
        Rule("idle", 0, "helper", region="title", spinner=True),
    )


def test_rules_that_say_nothing_are_dropped_and_named() -> None:
    found = parse(
        {
            "rule": [
                {"state": "busy", "any": ["x"]},
                {"state": "idle"},
                {"state": "idle", "region": 1},
            ]
        }
    )

    assert (found.agent, found.rules, len(found.dropped)) == ("", (), 3)


@pytest.mark.parametrize(
    "document",
    [
        {"agent": 1},
        {"agent": " "},
        {"identity": []},
        {"agent": "x", "identity": {"distinct": "x"}},
        {"agent": "x", "identity": {"distinct": [""]}},
        {"rule": {}},
        {"rule": [1]},
        {"rule": [{"state": "idle", "priority": "1"}]},
        {"rule": [{"state": "idle", "priority": True}]},
        {"rule": [{"state": "idle", "any": [1]}]},
        {"rule": [{"state": "idle", "groups": "x"}]},
    ],
)
def test_a_document_with_a_value_of_the_wrong_type_is_refused(document: dict[str, Any]) -> None:
    with pytest.raises(BadManifest):
        parse(document)


def test_later_manifests_add_names_or_replace_them_and_their_rules_come_last() -> None:
    first = parse({"agent": "a", "identity": {"distinct": ["one"]}, "rule": [_rule("x")]})
    more = parse({"agent": "a", "identity": {"distinct": ["two"]}, "rule": [_rule("y")]})
    other = parse({"agent": "a", "identity": {"distinct": ["three"], "replace": True}})
    named = parse({"agent": "b", "identity": {}})

    assert assemble([first, more]).registry.agents == {"a": Names(("one", "two"))}
    assert assemble([first, more, other]).registry.agents == {"a": Names(("three",))}
    assert assemble([named]).registry.agents == {"b": Names(("b",))}
    assert [rule.any for rule in assemble([first, more]).rules] == [("x",), ("y",)]


def test_rules_of_an_unknown_agent_alone_make_no_agent() -> None:
    assert assemble([parse({"agent": "c", "rule": [_rule("x")]})]).registry.agents == {}


json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["agent", "identity", "rule", "screen", "x"]), json))
def test_any_document_is_read_or_refused(document: dict[str, Any]) -> None:
    try:
        parse(document)
    except BadManifest:
        return


def _rule(text: str) -> dict[str, Any]:
    return {"state": "idle", "any": [text]}
