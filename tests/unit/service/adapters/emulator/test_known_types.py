"""Types told to cffi beforehand are those that it would have parsed."""

from __future__ import annotations

import pytest

from luvus_service.adapters.emulator.known_types import FUNCTIONS, POINTERS, know_types
from luvus_service.adapters.emulator.native import ffi


@pytest.mark.parametrize("name", [*(f"{name.replace(' ', '')}*" for name in POINTERS), *FUNCTIONS])
def test_a_known_type_is_the_one_that_its_name_means(name: str) -> None:
    known = ffi.typeof(name)

    # A blank makes it another name to cffi, which parses it.
    assert ffi.typeof(f" {name}") is known


def test_a_cffi_that_remembers_elsewhere_is_left_alone() -> None:
    know_types(object())
