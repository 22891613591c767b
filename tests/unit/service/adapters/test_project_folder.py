from __future__ import annotations

from pathlib import Path
from typing import Literal

from luvus_service.adapters.project_folder import entries_of
from luvus_service.adapters.tools.paths import ProjectPaths
from luvus_service.luxe.domain.permission_units import PathUnit


class Vanishing(ProjectPaths):
    """A project whose links are removed while they are looked at."""

    def locate(
        self, written: str, action: Literal["read", "edit"], *, cwd: str | None = None
    ) -> PathUnit:
        """Say where it leads, for the last time."""
        unit = super().locate(written, action, cwd=cwd)
        Path(written).unlink(missing_ok=True)
        return unit


async def test_a_link_that_goes_while_its_folder_is_listed_is_listed_without_its_target(
    tmp_path: Path,
) -> None:
    (tmp_path / "link").symlink_to("/etc")
    folder = ProjectPaths(str(tmp_path), str(tmp_path), home="/").locate(".", "read")
    paths = Vanishing(str(tmp_path), str(tmp_path), home="/")

    (entry,) = await entries_of(paths, folder, lambda _unit: False, include_ignored=True)

    assert (entry.name, entry.kind, entry.target) == ("link", "symlink", None)
