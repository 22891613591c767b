"""The session's lock."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from luvus_service.adapters.ptyhost.lock import is_free, lock_owner, take_lock


def test_the_lock_is_held_until_every_copy_of_its_descriptor_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "server.lock"
    fd = take_lock(path)
    assert fd is not None
    inherited = os.dup(fd)
    taken = take_lock(path)
    os.close(fd)
    after_one = is_free(path)
    os.close(inherited)

    assert (taken, after_one, is_free(path)) == (None, False, True)


def test_the_owner_is_read_from_what_it_wrote_and_unknown_otherwise(tmp_path: Path) -> None:
    path = tmp_path / "server.lock"
    path.write_text('{"pid": 7, "session": "default"}\n')
    known = lock_owner(path)
    path.write_text("garbage")

    assert (known, lock_owner(path), lock_owner(tmp_path / "none")) == (7, None, None)


def test_a_link_in_the_place_of_the_lock_is_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "target")

    with pytest.raises(OSError, match="symbolic links"):
        take_lock(tmp_path / "link")
