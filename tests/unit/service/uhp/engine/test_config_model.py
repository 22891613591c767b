"""The configuration's types, ranges and defaults."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from luvus_service.uhp.engine.config_model import Config, read_leniently, read_strictly

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)
KEYS = sorted(Config.model_fields)


def test_the_defaults_are_those_of_the_protocol() -> None:
    document = Config().document()

    assert document == {
        "version": 2,
        "theme": "quattro-rally",
        "language": "en",
        "shell": "default",
        "sidebar_width": 26,
        "sidebars": None,
        "layout": {
            "col_gap": 1,
            "row_gap": 0,
            "show_titles": True,
            "pane_title_path": False,
            "agent_title": False,
            "workspace_paths": True,
            "agent_paths": True,
            "resume_in_new_workspace": True,
            "new_pane_to_workspace_root": False,
            "file_open": "readonly",
            "file_click": "preview",
            "scrollback_bytes": 10_485_760,
            "files_show_hidden": True,
            "diff_layout": "auto",
            "diff_wrap": False,
            "diff_context_lines": 3,
            "diff_show_line_numbers": True,
            "diff_marker_style": "symbols",
            "diff_color_mode": "theme",
            "diff_live_refresh": True,
            "mobile_width": 64,
            "shift_enter": "esc-cr",
        },
        "notifications": {
            "sound_style": "retro",
            "sound_on_done": False,
            "sound_on_blocked": False,
        },
        "check_updates": True,
        "resume_launch_flags": False,
        "agents_active_only": False,
        "agents_this_workspace": False,
        "keybindings": {},
        "direct_keybindings": {},
        "prefix": "ctrl+space",
        "mission_pricing": {},
        "mission_budget": None,
        "docks_off": [],
        "bars": {"top_right": [], "bottom_right": ["core:runtime-status"], "off": []},
        "worktree": {"provider": "git"},
    }


@pytest.mark.parametrize(
    "change",
    [
        {"version": 3},
        {"theme": ""},
        {"language": "e\n"},
        {"sidebar_width": 17},
        {"sidebar_width": 26.0},
        {"sidebars": {"left": {"width": 45}}},
        {"sidebars": {"middle": {}}},
        {"layout": {**Config().document()["layout"], "scrollback_bytes": (1 << 20) - 1}},
        {"layout": {**Config().document()["layout"], "scrollback_bytes": (256 << 20) + 1}},
        {"layout": {**Config().document()["layout"], "diff_context_lines": 21}},
        {"check_updates": 1},
        {"keybindings": {"pane.zoom": 7}},
        {"keybindings": {"Not A Command": "x"}},
        {"direct_keybindings": {"pane.zoom": "z"}},
        {"mission_pricing": {"opus": [1, 2]}},
        {"mission_pricing": {"opus": [1, 2, -3]}},
        {"mission_budget": float("nan")},
        {"docks_off": ["x"] * 65},
    ],
)
def test_a_value_of_another_type_or_out_of_range_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        read_strictly({**Config().document(), **change})


def test_a_stored_document_may_lack_keys_and_have_unknown_ones() -> None:
    config, broken = read_leniently({"prefix": "f1", "later": 1, "layout": {"later": 2}})

    assert (config, broken) == (Config(prefix="f1"), [])


def test_a_broken_value_is_put_back_to_its_default_and_the_others_stay() -> None:
    stored = {
        "prefix": "x",
        "language": "de",
        "layout": {"col_gap": 99, "row_gap": 2},
        "mission_pricing": {"opus": [1, 2, "x"], "haiku": [1, 2, 3]},
    }

    config, broken = read_leniently(stored)

    assert (config.language, config.layout.col_gap, config.layout.row_gap) == ("de", 1, 2)
    assert (config.prefix, config.mission_pricing) == ("ctrl+space", {"haiku": [1.0, 2.0, 3.0]})
    assert sorted(broken) == ["layout.col_gap", "mission_pricing.opus.2", "prefix"]


@given(st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=5), JSON))
def test_any_stored_document_gives_a_configuration(stored: dict[str, Any]) -> None:
    config, _ = read_leniently(stored)

    assert read_strictly(config.document()) == config
