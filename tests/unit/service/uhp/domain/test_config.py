"""How patches merge and older documents are read."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from luvus_service.uhp.domain.config import (
    joined,
    merged,
    migrated,
    overlaid,
    scrollback_of_lines,
    without,
)
from luvus_service.uhp.domain.errors import InvalidRequest

KEYS = st.sampled_from("abc")
DOCUMENTS = st.recursive(
    st.integers(0, 9) | st.none(), lambda inner: st.dictionaries(KEYS, inner), max_leaves=8
)
OBJECTS = st.dictionaries(KEYS, DOCUMENTS)
CURRENT: dict[str, Any] = {
    "theme": "x",
    "sidebars": None,
    "layout": {"col_gap": 1, "row_gap": 0},
    "keybindings": {"pane.zoom": "z"},
}


def test_objects_are_merged_and_all_else_is_replaced() -> None:
    patch = {"theme": "y", "layout": {"row_gap": 2}, "sidebars": {"left": {"width": 20}}}

    assert merged(CURRENT, patch) == {
        "theme": "y",
        "sidebars": {"left": {"width": 20}},
        "layout": {"col_gap": 1, "row_gap": 2},
        "keybindings": {"pane.zoom": "z"},
    }


def test_the_open_tables_take_new_keys() -> None:
    patch = {"keybindings": {"tab.new": "t"}}

    assert merged(CURRENT, patch)["keybindings"] == {"pane.zoom": "z", "tab.new": "t"}


@pytest.mark.parametrize(
    ("patch", "path"),
    [({"unknown": 1}, "'unknown'"), ({"layout": {"gap": 1}}, "'layout.gap'")],
)
def test_an_unknown_field_is_refused_with_its_dotted_path(patch: dict[str, Any], path: str) -> None:
    with pytest.raises(InvalidRequest, match=path):
        merged(CURRENT, patch)


def test_two_patches_joined_do_what_they_do_one_after_the_other() -> None:
    first = {"theme": "y", "layout": {"col_gap": 2}, "keybindings": {"a": "x"}}
    second = {"layout": {"row_gap": 3}, "keybindings": {"a": "y", "b": "z"}}

    both = joined(first, second)

    assert merged(CURRENT, both) == merged(merged(CURRENT, first), second)


@given(OBJECTS, OBJECTS)
def test_what_is_laid_over_wins_and_nothing_below_is_lost(
    under: dict[str, Any], over: dict[str, Any]
) -> None:
    found = overlaid(under, over)

    assert set(found) == set(under) | set(over)
    assert all(found[key] == over[key] for key in over if not isinstance(over[key], dict))


def test_what_was_removed_from_an_open_table_stays_removed() -> None:
    assert overlaid({"keybindings": {"a": "x"}}, {"keybindings": {}}) == {"keybindings": {}}


def test_an_older_document_loses_the_keys_that_were_taken_and_gets_new_names() -> None:
    old = {
        "version": 1,
        "keybindings": {"mission.open": "m", "menu.open": "M", "pane.zoom": "z"},
        "layout": {"scrollback": 4000, "compact_width": 50, "resume_in_new_node": False},
    }

    assert migrated(old) == {
        "version": 2,
        "keybindings": {"pane.zoom": "z"},
        "layout": {
            "scrollback_bytes": 20_971_520,
            "mobile_width": 50,
            "resume_in_new_workspace": False,
        },
    }


def test_an_old_key_that_is_no_text_is_left_for_the_check_of_values() -> None:
    old = {"version": 1, "keybindings": {"pane.zoom": ["m"], "pane.close": "m", "tab.new": {}}}

    assert migrated(old) == {"version": 2, "keybindings": {"pane.zoom": ["m"], "tab.new": {}}}


@pytest.mark.parametrize(
    ("lines", "size"),
    [(2000, 10_485_760), (1, 1 << 20), (10**9, 104_857_600), (True, None), ("9", None)],
)
def test_a_limit_in_lines_becomes_one_in_bytes(lines: object, size: int | None) -> None:
    assert scrollback_of_lines(lines) == size


@given(OBJECTS, st.lists(KEYS, min_size=1, max_size=4))
def test_taking_out_a_broken_value_always_takes_something_out(
    document: dict[str, Any], path: list[str]
) -> None:
    found = without(document, tuple(path))

    assert (found == document) == (path[0] not in document)
