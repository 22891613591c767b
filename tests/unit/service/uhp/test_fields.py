from __future__ import annotations

from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from luvus_service.rpc.models import Params
from luvus_service.rpc.validation import explain
from luvus_service.uhp.domain.ids import MAX_PANE_ID, MAX_POSITION
from luvus_service.uhp.domain.layout import Axis, Leaf, Split, Tree
from luvus_service.uhp.fields import (
    GivenTree,
    LayoutLeaf,
    LayoutNode,
    PaneArgument,
    PaneRef,
    TabFields,
    TabOption,
    TabRef,
    WorkspaceFields,
    WorkspaceOption,
    WorkspaceRef,
    one_of,
    sentence,
    shown_tree,
)
from tests.support.judging import misfits


class Needed(Params):
    """Positions that must be given."""

    pane: PaneRef = 0
    workspace: WorkspaceRef = 0
    tab: TabRef = 1
    with_: Annotated[PaneRef, Field(alias="with")] = 0


class Optional(Params):
    """Positions that may be left out."""

    pane: PaneArgument = None
    tab: TabOption = None
    workspace: WorkspaceOption = None


class Place(Params, WorkspaceFields, TabFields):
    """A workspace and a tab."""


class GivenLayout(Params):
    """A layout."""

    tree: GivenTree


def refusal(model: type[BaseModel], given: dict[str, Any]) -> str:
    """Return the sentence for parameters that do not fit."""
    with pytest.raises(ValidationError) as failed:
        model.model_validate(given)
    return explain(failed.value)


@pytest.mark.parametrize(
    ("name", "given", "read"),
    [
        ("pane", 0, 0),
        ("pane", "7", 7),
        ("pane", MAX_PANE_ID, MAX_PANE_ID),
        ("pane", str(MAX_PANE_ID), MAX_PANE_ID),
        ("workspace", "0", 0),
        ("workspace", MAX_POSITION, MAX_POSITION),
        ("tab", 1, 1),
        ("tab", "12", 12),
    ],
)
def test_a_position_is_a_number_or_its_decimal_string(name: str, given: Any, read: int) -> None:
    assert getattr(Needed.model_validate({name: given}), name) == read


PANE = "must be a pane id: an unsigned 32-bit integer or its decimal string, not"
WORKSPACE = "must be a workspace position, counted from 0 or its decimal string, not"
TAB = "must be a tab position, counted from 1"


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("pane", "07", f"pane {PANE} '07'"),
        ("pane", " 7", f"pane {PANE} ' 7'"),
        ("pane", "+7", f"pane {PANE} '+7'"),
        ("pane", "", f"pane {PANE} ''"),
        ("pane", "٧", f"pane {PANE} '٧'"),
        ("pane", "7\n", f"pane {PANE} '7\\n'"),
        ("pane", 7.0, f"pane {PANE} 7.0"),
        ("pane", True, f"pane {PANE} true"),
        ("pane", -1, f"pane {PANE} -1"),
        ("pane", MAX_PANE_ID + 1, f"pane {PANE} {MAX_PANE_ID + 1}"),
        ("pane", None, "`pane` must not be null"),
        ("with", None, "`with` must not be null"),
        ("with", "x", f"with {PANE} 'x'"),
        ("workspace", -1, f"workspace {WORKSPACE} -1"),
        ("workspace", MAX_POSITION + 1, f"workspace {WORKSPACE} {MAX_POSITION + 1}"),
        ("workspace", None, "`workspace` must not be null"),
        ("tab", 0, f"tab {TAB}, not 0"),
        ("tab", "0", f"tab {TAB}, not '0'"),
        ("tab", "x", f"tab {TAB} or its decimal string, not 'x'"),
        ("tab", None, "`tab` must not be null"),
    ],
)
def test_what_is_no_position_has_its_sentence(name: str, given: Any, said: str) -> None:
    assert refusal(Needed, {name: given}) == said


@pytest.mark.parametrize("name", ["pane", "workspace", "tab"])
def test_a_number_of_thousands_of_digits_is_refused_too(name: str) -> None:
    assert refusal(Needed, {name: "9" * 5000}).startswith(name)


def test_a_position_may_be_left_out_or_null_where_there_is_a_default() -> None:
    assert Optional() == Optional.model_validate({"pane": None, "tab": None, "workspace": None})
    assert Optional.model_validate({"pane": "3"}).pane == 3


# To a schema 7.0 is an integer, which nothing can be done about.
@given(st.one_of(st.integers(), st.from_regex("[0-9 +]{1,4}"), st.booleans(), st.none()))
def test_what_the_schema_allows_is_read(given: Any) -> None:
    for name, schema in Needed.model_json_schema(by_alias=False)["properties"].items():
        if misfits(schema, given) == []:
            Needed.model_validate({name.rstrip("_"): given})


@pytest.mark.parametrize(
    ("given", "workspace", "tab"),
    [
        ({}, (None, None), (None, None)),
        ({"workspace": 0}, (0, None), (None, None)),
        ({"node": "2"}, (2, None), (None, None)),
        ({"workspace_id": "w"}, (None, "w"), (None, None)),
        ({"tab": 1}, (None, None), (1, None)),
        ({"tab_id": "t", "workspace": 0}, (0, None), (None, "t")),
        ({"workspace": None, "node": 1, "workspace_id": None}, (1, None), (None, None)),
    ],
)
def test_a_workspace_and_a_tab_are_named_in_one_way(
    given: dict[str, Any], workspace: Any, tab: Any
) -> None:
    place = Place.model_validate(given)

    assert (place.workspace_selector(), place.tab_selector()) == (workspace, tab)
    assert misfits(Place.model_json_schema(), {k: v for k, v in given.items() if v}) == []


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"workspace": 0, "node": 0}, "give either `workspace` or `node`, not both"),
        (
            {"workspace": 0, "workspace_id": "w"},
            "give either `workspace` or `workspace_id`, not both",
        ),
        ({"node": 0, "workspace_id": "w"}, "give either `node` or `workspace_id`, not both"),
        ({"tab": 1, "tab_id": "t"}, "give either `tab` or `tab_id`, not both"),
        (
            {"node": 0, "workspace": 1, "workspace_id": "w"},
            "give either `workspace` or `node`, not both",
        ),
    ],
)
def test_two_names_for_one_place_are_refused_in_words_and_in_the_schema(
    given: dict[str, Any], said: str
) -> None:
    assert refusal(Place, given) == said
    assert misfits(Place.model_json_schema(), given) != []


@pytest.mark.parametrize(
    ("given", "fits"),
    [
        ({}, False),
        ({"a": 1}, True),
        ({"a": None}, False),
        ({"a": None, "b": 1}, True),
        ({"a": 1, "b": 1}, False),
        ({"all": True}, True),
        ({"all": False}, False),
        ({"a": 1, "all": False}, True),
        ({"a": 1, "all": True}, False),
    ],
)
def test_exactly_one_of_some_fields_can_be_asked_for(given: dict[str, Any], fits: bool) -> None:
    assert (misfits(one_of("a", "b", flag="all"), given) == []) is fits


def test_a_choice_without_a_flag_has_none() -> None:
    assert one_of("a") == {
        "oneOf": [{"required": ["a"], "properties": {"a": {"not": {"type": "null"}}}}]
    }


def test_a_sentence_is_the_whole_message_whatever_stands_in_it() -> None:
    assert sentence("100% {of} it").message() == "100% {of} it"


TREE: Tree = Split(Axis.ROWS, 0.25, Leaf(1), Split(Axis.COLUMNS, 0.5, Leaf(2), Leaf(MAX_PANE_ID)))
SHOWN = {
    "Split": {
        "axis": 1,
        "ratio": 0.25,
        "a": {"Leaf": 1},
        "b": {"Split": {"axis": 0, "ratio": 0.5, "a": {"Leaf": 2}, "b": {"Leaf": MAX_PANE_ID}}},
    }
}


def test_a_tree_is_shown_in_its_wire_form_and_fits_its_schema() -> None:
    shown = shown_tree(TREE)

    assert shown.model_dump(by_alias=True) == SHOWN
    assert misfits(TypeAdapter[LayoutNode](LayoutNode).json_schema(), SHOWN) == []
    assert shown_tree(Leaf(3)) == LayoutLeaf(Leaf=3)


@pytest.mark.parametrize("tree", [SHOWN, {"Leaf": "x"}, {}, None, 3, [{"Leaf": 1}]])
def test_a_given_tree_is_left_to_the_rules_of_layouts(tree: Any) -> None:
    assert GivenLayout.model_validate({"tree": tree}).tree == tree
