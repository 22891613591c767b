from __future__ import annotations

import pytest

from luvus_client.cli.attach import detach_key
from luvus_client.cli.usage import UsageError


@pytest.mark.parametrize(
    ("name", "control"),
    [
        ("ctrl-a", 0x01),
        ("ctrl-Z", 0x1A),
        ("ctrl-\\", 0x1C),
        ("^]", 0x1D),
        ("C-^", 0x1E),
        ("ctrl-_", 0x1F),
        ("ctrl-@", 0x00),
        ("ctrl-space", 0x00),
    ],
)
def test_a_detach_key_is_a_control_character(name: str, control: int) -> None:
    assert detach_key(name) == control


@pytest.mark.parametrize("name", ["", "a", "ctrl-", "ctrl-1", "ctrl-[", "alt-a", "ctrl-a\n"])
def test_other_keys_are_refused_with_those_that_are_possible(name: str) -> None:
    with pytest.raises(UsageError, match="is no detach key; use ctrl-a to ctrl-z"):
        detach_key(name)
