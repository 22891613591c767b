"""Checks that the compiled requirements satisfy every range that was written by hand.

Works without a network, so it notices a forgotten `make lock`; it does not look for newer releases.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PIN = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)==([^\s;\\]+)")


def pins(text: str) -> dict[str, str]:
    """Return the version of each name that a compiled file pins."""
    found = (PIN.match(line) for line in text.splitlines())
    return {canonicalize_name(match[1]): match[2] for match in found if match}


def complaints(shown: str, wanted: Iterable[str], pinned: Mapping[str, str]) -> Iterator[str]:
    """Yield a sentence for each wanted requirement that the pins of file `shown` do not meet."""
    for requirement in map(Requirement, wanted):
        version = pinned.get(canonicalize_name(requirement.name))
        if version is None:
            yield f"{shown} does not pin {requirement}: run `make lock`."
        elif not requirement.specifier.contains(version, prereleases=True):
            yield f"{shown} pins {requirement.name} {version}, not {requirement}: run `make lock`."


def main() -> int:
    """Print what is out of date and return the exit status."""
    root = Path(__file__).resolve().parent.parent
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    run: list[str] = project["dependencies"]
    extras = [item for extra in project["optional-dependencies"].values() for item in extra]
    lines = (root / "requirements/dev.in").read_text(encoding="utf-8").splitlines()
    dev = [line for line in lines if line and not line.startswith("#")]
    run_pins = pins((root / "requirements/run.txt").read_text(encoding="utf-8"))
    dev_pins = pins((root / "requirements/dev.txt").read_text(encoding="utf-8"))
    found = [
        *complaints("requirements/run.txt", run, run_pins),
        *complaints("requirements/dev.txt", [*run, *extras, *dev], dev_pins),
        *(
            f"run.txt and dev.txt pin different versions of {name}: run `make lock`."
            for name, version in run_pins.items()
            if dev_pins.get(name) != version
        ),
    ]
    print("\n".join(found) if found else f"requirements: {len(dev_pins)} pins meet their ranges")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
