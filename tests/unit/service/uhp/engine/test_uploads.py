"""The storage of images and files that clients paste."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from luvus_service.rpc.errors import Unavailable
from luvus_service.uhp.engine import uploads
from luvus_service.uhp.engine.errors import InputTooLarge, RefusedParams
from luvus_service.uhp.engine.uploads import Uploads, check_image, safe_name

PNG = b"\x89PNG\r\n\x1a\n"


def test_a_file_is_whole_and_private_wherever_the_mask_points(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        upload = Uploads(str(tmp_path / "up")).begin("a.txt", 6)
        upload.write(0, b"abc")
        upload.write(3, b"def")
        path = upload.finish()
    finally:
        os.umask(before)

    assert path.read_bytes() == b"abcdef"
    found = [stat.S_IMODE(p.stat().st_mode) for p in (path.parent.parent, path.parent, path)]
    assert found == [0o700, 0o700, 0o600]
    assert sorted(p.name for p in (tmp_path / "up").iterdir()) == [upload.id]


def test_pieces_must_follow_one_another_and_fit_the_size(tmp_path: Path) -> None:
    upload = Uploads(str(tmp_path / "up")).begin("a", 4)
    upload.write(0, b"ab")

    with pytest.raises(RefusedParams):
        upload.write(0, b"ab")
    with pytest.raises(RefusedParams):
        upload.write(3, b"d")
    with pytest.raises(InputTooLarge):
        upload.write(2, b"cde")
    with pytest.raises(InputTooLarge):
        upload.write(2, bytes(uploads.CHUNK_BYTES + 1))
    with pytest.raises(RefusedParams):
        upload.finish()

    upload.write(2, b"cd")
    assert upload.finish().read_bytes() == b"abcd"


def test_a_discarded_file_is_gone_and_discarding_twice_is_harmless(tmp_path: Path) -> None:
    upload = Uploads(str(tmp_path / "up")).begin("a", 4)

    upload.discard()
    upload.discard()

    assert list((tmp_path / "up").iterdir()) == []


def test_what_a_killed_server_left_unfinished_is_removed(tmp_path: Path) -> None:
    left = Uploads(str(tmp_path / "up")).begin("a", 4)

    upload = Uploads(str(tmp_path / "up")).begin("b", 4)

    assert [p.name for p in (tmp_path / "up").iterdir()] == [f"{upload.id}.part"]
    left.discard()
    upload.discard()


def test_the_oldest_files_go_when_there_are_too_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "KEPT_FILES", 2)
    store = Uploads(str(tmp_path / "up"))
    paths = [store.store_image(PNG) for _ in range(4)]
    for age, path in enumerate(paths):
        os.utime(path.parent, (age, age))

    store.trim()

    assert [path.exists() for path in paths] == [False, False, True, True]


def test_the_oldest_files_go_when_they_are_too_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "KEPT_BYTES", 2 * len(PNG))
    store = Uploads(str(tmp_path / "up"))
    paths = [store.store_image(PNG) for _ in range(3)]
    for age, path in enumerate(paths):
        os.utime(path.parent, (age, age))

    store.trim()

    assert [path.exists() for path in paths] == [False, True, True]


def test_a_folder_that_is_a_link_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "up").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(Unavailable):
        Uploads(str(tmp_path / "up")).store_image(PNG)
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_without_a_folder_nothing_is_kept() -> None:
    with pytest.raises(Unavailable):
        Uploads("").store_image(PNG)


def test_only_a_small_png_is_an_image() -> None:
    check_image(PNG + bytes(uploads.IMAGE_BYTES - len(PNG)))
    with pytest.raises(RefusedParams):
        check_image(b"GIF89a")
    with pytest.raises(InputTooLarge):
        check_image(PNG + bytes(uploads.IMAGE_BYTES))


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("notes.txt", "notes.txt"),
        ("Übersicht 3.pdf", "Übersicht_3.pdf"),
        ("$(rm -rf ~).sh", "__rm_-rf___.sh"),
        ("-rf", "rf"),
        (".bashrc", "bashrc"),
        ("...", "file"),
    ],
)
def test_a_name_keeps_nothing_that_a_shell_would_obey(name: str, kept: str) -> None:
    assert safe_name(name) == kept


@given(st.text(min_size=1, max_size=255))
def test_no_name_leaves_its_folder_or_grows(name: str) -> None:
    kept = safe_name(name)

    assert kept not in ("", ".", "..")
    assert not set(kept) & set("/\\\0 \n;&|$`'\"()<>*?~")
    assert len(kept) <= max(len(name), len("file"))
