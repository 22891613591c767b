"""Arranging panes, and what is measured of them, against a real server with real shells."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.arranged import open_folders, plain, structural
from tests.support.live import LiveServer


def tree(live: LiveServer, **where: Any) -> Any:
    """Return a tab's layout tree."""
    return live.call("layout.export", where)["tree"]


def columns(*panes: int) -> Any:
    """Return the tree of two panes side by side, evenly."""
    a, b = panes
    return {"Split": {"axis": 0, "ratio": 0.5, "a": {"Leaf": a}, "b": {"Leaf": b}}}


def size(live: LiveServer, pane: str) -> str:
    """Return a terminal's size as the program in it sees it."""
    mark = f"seen{live.call('ping')['revision']}"
    live.call("pane.run", {"pane": pane, "command": f'echo "{mark}" `stty size`'})
    live.wait_text(pane, f"\n{mark} ")
    text = str(live.call("pane.read", {"pane": pane})["text"])
    return text.rpartition(f"\n{mark} ")[2].splitlines()[0]


def test_geometry_is_that_of_a_logical_area_and_looking_moves_no_focus(live: LiveServer) -> None:
    live.call("pane.split", {"pane": 1, "direction": "right"})
    live.call("pane.split", {"pane": 2, "direction": "down"})

    layout = plain(live.call("pane.layout", {"pane": "3"}))

    assert layout == {
        "type": "pane_layout",
        "pane": "3",
        "workspace": "0",
        "tab": "1",
        "logical_size": {"width": 10000, "height": 10000},
        "rect": {"x": 5000, "y": 5000, "width": 5000, "height": 5000},
        "tree": tree(live),
    }
    assert live.call("pane.edges", {"pane": 3})["edges"] == {
        "left": False,
        "right": True,
        "top": False,
        "bottom": True,
    }
    assert live.call("pane.neighbor", {"pane": 3, "direction": "up"})["neighbor"] == "2"
    assert live.call("pane.neighbor", {"direction": "right"})["neighbor"] is None
    assert live.call("pane.current")["pane"] == "3"


def test_focus_goes_to_the_neighbour(live: LiveServer) -> None:
    live.call("pane.split", {"pane": 1, "direction": "right"})
    with live.stream("events.subscribe") as events:
        focused = plain(live.call("pane.focus_direction", {"direction": "left"}))
        told = structural(events, "pane.focused")

    assert focused == {"type": "pane_focus", "pane": "1"}
    assert told == [("pane.focused", {"pane": "1"})]
    assert live.call("pane.current")["pane"] == "1"


def test_swapped_panes_exchange_their_places_and_programs_live_on(live: LiveServer) -> None:
    live.call("pane.split", {"pane": 1, "direction": "right"})
    live.call("pane.run", {"pane": 1, "command": "KEPT=yes"})
    with live.stream("events.subscribe") as events:
        swapped = plain(live.call("pane.swap", {"pane": 1, "with": "2"}))
        told = structural(events, "pane.swapped")

    assert swapped == {"type": "pane_swap", "pane": "1", "with": "2"}
    assert told == [("pane.swapped", {"pane": "1", "with": "2"})]
    assert tree(live) == columns(2, 1)
    live.call("pane.run", {"pane": 1, "command": "echo kept=$KEPT"})
    live.wait_text("1", "\nkept=yes")


def test_resizing_moves_the_divider_by_cells_and_stops_where_panes_would_be_too_small(
    live: LiveServer,
) -> None:
    live.call("pane.split", {"pane": 1, "direction": "right"})
    assert size(live, "1") == "40 60"
    with live.stream("events.subscribe") as events:
        resized = plain(live.call("pane.resize", {"pane": 1, "direction": "right", "cells": 10}))
        told = structural(events, "pane.resized")

    assert resized == {"type": "pane_resize", "pane": "1"}
    assert told == [("pane.resized", {"pane": "1", "cells": 10})]
    assert (size(live, "1"), size(live, "2")) == ("40 70", "40 49")

    live.call("pane.resize", {"pane": 2, "direction": "left", "cells": 1000})

    assert (size(live, "1"), size(live, "2")) == ("40 4", "40 115")
    with live.stream("events.subscribe") as events:
        live.call("pane.resize", {"pane": 2, "direction": "left"})
        live.call("pane.zoom", {"pane": 2})
        assert structural(events, "pane.zoomed") == [
            ("pane.zoomed", {"pane": "2", "enabled": True})
        ]


def test_a_zoomed_pane_has_the_whole_area_and_the_others_keep_their_size(
    live: LiveServer,
) -> None:
    live.call("pane.split", {"pane": 1, "direction": "right"})
    other = size(live, "2")
    with live.stream("events.subscribe") as events:
        zoomed = plain(live.call("pane.zoom", {"pane": 1}))
        told = structural(events, "pane.focused")

    assert zoomed == {"type": "pane_zoom", "pane": "1", "enabled": True}
    assert ("pane.zoomed", {"pane": "1", "enabled": True}) in told
    assert (size(live, "1"), size(live, "2")) == ("40 120", other)
    assert live.call("pane.current")["pane"] == "1"
    assert live.call("pane.zoom", {"pane": 1, "enabled": True})["enabled"] is True
    assert live.call("pane.zoom", {"pane": 1})["enabled"] is False
    assert size(live, "1") == "40 60"


def test_a_moved_pane_keeps_its_process_and_an_empty_tab_is_removed(live: LiveServer) -> None:
    live.call("pane.split", {"pane": 1, "direction": "right"})
    before = live.call("pane.get", {"pane": 2})
    live.call("pane.run", {"pane": 2, "command": "KEPT=yes"})
    with live.stream("events.subscribe") as events:
        away = plain(live.call("pane.move", {"pane": 2, "new_tab": True}))
        told = structural(events, "pane.moved")

    assert away == {"type": "pane_move", "pane": "2", "workspace": "0", "tab": "2"}
    assert told == [
        ("tab.created", {"tab": "2"}),
        ("pane.moved", {"pane": "2", "workspace": "0", "tab": "2"}),
    ]
    assert live.call("pane.current")["pane"] == "2"
    assert tree(live, tab=1) == {"Leaf": 1}

    back = plain(live.call("pane.move", {"tab": 1}))

    assert back == {"type": "pane_move", "pane": "2", "workspace": "0", "tab": "1"}
    assert [row["tab"] for row in live.call("tab.list")["tabs"]] == ["1"]
    assert live.call("pane.get", {"pane": 2})["terminal_id"] == before["terminal_id"]
    live.call("pane.run", {"pane": 2, "command": "echo kept=$KEPT"})
    live.wait_text("2", "\nkept=yes")


def test_a_pane_of_another_workspace_moves_inside_that_workspace(live: LiveServer) -> None:
    open_folders(live, "api")
    live.call("pane.split", {"pane": 2, "direction": "down", "focus": False})

    moved = plain(live.call("pane.move", {"pane": 3, "new_tab": True}))

    assert moved == {"type": "pane_move", "pane": "3", "workspace": "1", "tab": "2"}
    assert live.call("pane.current")["pane"] == "3"
    first = live.call("tab.get", {"workspace": 1, "tab": 1})
    assert plain(live.call("pane.move", {"pane": 3, "tab_id": first["tab_id"]}))["tab"] == "1"


def test_an_exported_layout_applied_again_changes_nothing_and_another_one_rearranges(
    live: LiveServer,
) -> None:
    live.call("pane.split", {"pane": 1, "direction": "right"})
    live.call("pane.split", {"pane": 2, "direction": "down"})
    exported = live.call("layout.export")
    before = live.call("pane.get", {"pane": 3})["terminal_id"]

    applied = plain(live.call("layout.apply", {"tree": exported["tree"]}))

    assert applied == {"type": "layout_applied", "workspace": "0", "tab": "1"}
    again = live.call("layout.export")
    assert (again["tree"], again["focus"]) == (exported["tree"], exported["focus"])

    other = {"Split": {"axis": 1, "ratio": 0.25, "a": {"Leaf": 3}, "b": columns(2, 1)}}
    with live.stream("events.subscribe") as events:
        live.call("layout.apply", {"tree": other, "focus": "1"})
        told = structural(events, "pane.focused")

    assert told == [
        ("layout.applied", {"workspace": "0", "tab": "1"}),
        ("pane.focused", {"pane": "1"}),
    ]
    found = plain(live.call("layout.export", {"workspace": "0", "tab": "1"}))
    assert found == {
        "type": "layout",
        "workspace": "0",
        "tab": "1",
        "focus": "1",
        "zoomed": None,
        "tree": other,
    }
    assert live.call("pane.get", {"pane": 3})["terminal_id"] == before
    assert size(live, "3") == "10 120"


def test_a_layout_of_sixty_four_levels_can_be_applied(live: LiveServer) -> None:
    live.call("layout.apply", {"tree": {"Leaf": 1}})

    error = live.refusal("layout.apply", {"tree": nested(65)})

    assert (error["code"], live.refusal("layout.apply", {"tree": nested(64)})["code"]) == (
        "limit_exceeded",
        "invalid_request",
    )


def nested(levels: int) -> Any:
    """Return a tree of this depth, of panes that mostly are not there."""
    made: Any = {"Leaf": 1}
    for level in range(levels):
        made = {"Split": {"axis": 0, "ratio": 0.5, "a": made, "b": {"Leaf": level + 2}}}
    return made


def test_a_ratio_is_answered_as_asked_and_kept_so_that_panes_stay_usable(
    live: LiveServer,
) -> None:
    live.call("pane.split", {"pane": 1, "direction": "right"})
    with live.stream("events.subscribe") as events:
        answered = plain(live.call("layout.set_split_ratio", {"path": [], "ratio": 0}))
        told = structural(events, "layout.ratio_changed")

    assert answered == {
        "type": "layout_split_ratio",
        "workspace": "0",
        "tab": "1",
        "ratio": 0.0,
    }
    data = {"workspace": "0", "tab": "1", "path": [], "ratio": 0.0}
    assert told == [("layout.ratio_changed", data)]
    assert tree(live)["Split"]["ratio"] == pytest.approx(4 / 119)
    assert size(live, "1") == "40 4"


def test_history_is_measured_or_null_and_counters_never_shrink(live: LiveServer) -> None:
    live.call("pane.split", {"pane": 1, "direction": "right"})
    live.call("pane.run", {"pane": 2, "command": "seq 300; echo end-of-it"})
    live.wait_text("2", "\nend-of-it")
    listed = live.call("pane.list")
    status = live.call("pane.status", {"pane": 2})

    row = listed["panes"][1]
    assert 200 < row["history_rows"] <= 310
    assert row["history_budget_bytes"] == 10_485_760
    assert 0 < row["history_bytes"] < row["history_budget_bytes"]
    assert (row["history_bytes_kind"], row["history_exact"]) == ("estimated", False)
    assert row["scroll_offset"] == 0
    assert {k: v for k, v in status.items() if k.startswith("history")} == {
        k: v for k, v in row.items() if k.startswith("history")
    }
    before = listed["render_performance"]
    assert before["output_bytes"] > 300
    assert before["output_wakes"] > 0
    assert before["causes_resize"] >= 1
    assert before["screens_published"] > 0

    live.call("pane.close", {"pane": 2})

    after = live.call("pane.list")["render_performance"]
    now = {"terminals", "subscribers"}
    assert {k: v for k, v in after.items() if k not in now and v < before[k]} == {}
    assert (before["terminals"], after["terminals"]) == (2, 1)


def test_subscribers_are_counted_by_what_they_took(live: LiveServer) -> None:
    before = live.call("pane.list")["render_performance"]["event_frames_delivered"]
    with live.stream("events.subscribe") as events:
        assert events.line()
        live.call("tab.new")
        events.until("tab.created")

    after = live.call("pane.list")["render_performance"]["event_frames_delivered"]

    assert after > before
