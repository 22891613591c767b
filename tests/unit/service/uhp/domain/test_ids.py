"""Which values are ids and positions."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from luvus_service.uhp.domain.errors import InvalidRequest
from luvus_service.uhp.domain.ids import (
    is_alias,
    is_tab_id,
    is_terminal_id,
    is_workspace_id,
    parse_opaque_id,
    parse_pane_id,
    parse_tab_position,
    parse_workspace_index,
)

MALFORMED: list[object] = [
    "07", " 7", "7 ", "+7", "-7", "-1", "7.0", "", "0x7", "7\n", "７", "٧", "1e3", "1_0", "9" * 400,
    7.0, True, False, -1, 2**64, "18446744073709551616", [7], {"pane": 7}, b"7", float("nan"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("value", "pane"),
    [
        (None, None),
        (0, 0),
        ("0", 0),
        (7, 7),
        ("7", 7),
        (4294967295, 4294967295),
        ("4294967295",) * 2,
    ],
)
def test_a_pane_id_is_an_unsigned_integer_of_32_bits_or_its_decimal_string(
    value: object, pane: object
) -> None:
    assert parse_pane_id(value) == (int(pane) if isinstance(pane, str) else pane)


@pytest.mark.parametrize("value", [*MALFORMED, 4294967296, "4294967296"])
def test_another_pane_id_is_invalid(value: object) -> None:
    with pytest.raises(InvalidRequest, match="pane must be a pane id"):
        parse_pane_id(value)


@pytest.mark.parametrize("parse", [parse_workspace_index, parse_tab_position])
@pytest.mark.parametrize("value", MALFORMED)
def test_another_position_is_invalid(parse: Callable[[object], int | None], value: object) -> None:
    with pytest.raises(InvalidRequest):
        parse(value)


def test_workspaces_count_from_0_and_tabs_from_1() -> None:
    assert (parse_workspace_index("0"), parse_workspace_index(3)) == (0, 3)
    assert (parse_tab_position("1"), parse_tab_position(2)) == (1, 2)
    assert (parse_workspace_index(None), parse_tab_position(None)) == (None, None)
    for zero in (0, "0"):
        with pytest.raises(InvalidRequest, match="counted from 1"):
            parse_tab_position(zero)


def test_an_error_repeats_a_long_value_shortened() -> None:
    with pytest.raises(InvalidRequest) as caught:
        parse_pane_id("x" * 100_000)

    assert len(caught.value.message) < 200
    assert caught.value.code == "invalid_request"


def test_an_opaque_id_is_any_string() -> None:
    assert parse_opaque_id("workspace_example", "workspace_id") == "workspace_example"
    assert parse_opaque_id(None, "tab_id") is None
    with pytest.raises(InvalidRequest, match="tab_id must be a string"):
        parse_opaque_id(7, "tab_id")


@pytest.mark.parametrize(
    ("check", "prefix"),
    [(is_workspace_id, "workspace_"), (is_tab_id, "tab_"), (is_terminal_id, "")],
)
def test_made_ids_are_32_lowercase_hex_digits_after_their_prefix(
    check: Callable[[str], bool], prefix: str
) -> None:
    assert check(prefix + "0123456789abcdef" * 2)
    for bad in ("0" * 31, "0" * 33, "A" * 32, "0" * 32 + "\n", "g" * 32):
        assert not check(prefix + bad)


def test_an_alias_is_a_lowercase_word_of_up_to_32_characters() -> None:
    assert all(map(is_alias, ("a", "a-b_9", "x" * 32)))
    assert not any(map(is_alias, ("", "A", "9a", "-a", "a b", "a\n", "x" * 33, "é")))
