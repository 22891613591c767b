"""Every module can be imported alone, so a broken declaration is found without calling it."""

from __future__ import annotations

import importlib
import pkgutil

import pytest

PACKAGES = ("luvus_service", "luvus_bridge", "luvus_web", "luvus_client")


def modules() -> list[str]:
    names = list(PACKAGES)
    for package in PACKAGES:
        paths = importlib.import_module(package).__path__
        found = pkgutil.walk_packages(paths, prefix=f"{package}.")
        # Importing a `__main__` runs the program.
        names += [module.name for module in found if not module.name.endswith("__main__")]
    return names


@pytest.mark.parametrize("name", modules())
def test_a_module_imports_and_says_what_it_owns(name: str) -> None:
    module = importlib.import_module(name)

    assert module.__doc__, f"{name} has no docstring"
