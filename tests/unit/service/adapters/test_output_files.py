"""Files made for a caller: owner-only, and never over what is there."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from luvus_service.adapters.output_files import OwnerFiles
from luvus_service.uhp.domain.storage import FileRefused

FILES = OwnerFiles()


def test_a_new_file_is_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "a.cast"

    file = FILES.create(str(path), replace=False)
    file.write(b"one")
    file.write(b" two")
    file.close()
    file.close()

    assert path.read_bytes() == b"one two"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_what_is_there_stays_unless_it_is_to_be_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a.cast"
    path.write_text("precious and long")
    path.chmod(0o644)

    with pytest.raises(FileRefused, match="there already"):
        FILES.create(str(path), replace=False)
    assert path.read_text() == "precious and long"

    file = FILES.create(str(path), replace=True)
    file.write(b"new")
    file.close()
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("replace", [False, True])
@pytest.mark.parametrize("kind", ["link", "folder", "pipe", "missing folder", "device", "nul"])
def test_what_is_no_plain_file_is_refused(tmp_path: Path, kind: str, replace: bool) -> None:
    path = str(tmp_path / "a.cast")
    if kind == "link":
        Path(path).symlink_to(tmp_path / "victim")
    elif kind == "folder":
        Path(path).mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "missing folder":
        path = str(tmp_path / "missing" / "a.cast")
    elif kind == "device":
        path = "/dev/null"
    else:
        path = "/tmp/a\0b"

    with pytest.raises(FileRefused):
        FILES.create(path, replace=replace)

    assert not (tmp_path / "victim").exists()


def test_a_write_that_fails_is_told(tmp_path: Path) -> None:
    file = FILES.create(str(tmp_path / "a.cast"), replace=False)
    file.close()

    with pytest.raises(FileRefused, match="cannot be written"):
        file.write(b"x")
