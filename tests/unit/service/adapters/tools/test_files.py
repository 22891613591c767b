"""Files are read in windows and replaced whole or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from luvus_service.adapters.tools import files
from luvus_service.adapters.tools.file_diff import COMPARED_LINES, file_diff


def seen(path: Path, first: int = 1, count: int = 10, size: int = 10_000) -> files.Window:
    return files.window(str(path), path.name, first=first, count=count, chars=20, size=size)


def test_a_window_holds_the_lines_it_was_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"\xef\xbb\xbfone\r\ntwo\n\nfour")

    assert seen(path).lines == ("one", "two", "", "four")
    assert (seen(path, 2, 1).lines, seen(path, 2, 1).more) == (("two",), True)
    assert (seen(path, 4).lines, seen(path, 4).more) == (("four",), False)
    assert seen(path, 9).lines == ()


def test_a_long_line_is_cut_and_a_window_of_bytes_ends(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text("é" * 100 + "\n" + "b\n" * 100)

    window = seen(path, count=1_000, size=60)

    assert window.lines[0] == "é" * 20 + "… [line cut]"
    assert window.cut
    assert window.more
    assert len(window.lines) < 20


def test_a_file_far_bigger_than_a_window_is_read_in_the_middle(tmp_path: Path) -> None:
    path = tmp_path / "big"
    path.write_text("".join(f"line {number}\n" for number in range(1, 300_001)))

    window = seen(path, 250_000, 2)

    assert window.lines == ("line 250000", "line 250001")
    assert window.stamp.size == path.stat().st_size


@given(st.lists(st.text(alphabet="abé", max_size=5), max_size=30), st.integers(1, 32))
def test_windows_put_together_are_the_file(lines: list[str], count: int) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "f"
        path.write_text("".join(line + "\n" for line in lines))
        found: list[str] = []
        while (window := seen(path, len(found) + 1, count)).lines:
            found += window.lines
            if not window.more:
                break
    assert found == lines


@pytest.mark.parametrize("kind", ["pipe", "folder", "link", "missing", "binary"])
def test_what_is_no_text_file_is_refused_at_once(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "x"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "link":
        path.symlink_to("/etc/hostname")
    elif kind == "binary":
        path.write_bytes(b"a\0b")

    with pytest.raises(files.FileFault):
        seen(path)


def test_a_replaced_file_keeps_its_mode_and_leaves_no_temporary_file(tmp_path: Path) -> None:
    path = tmp_path / "run.sh"
    path.write_text("old")
    path.chmod(0o751)
    found = files.whole(str(path), path.name)

    files.replace_whole(str(path), b"new", mode=found.mode, expected=found.stamp)

    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o751
    assert list(tmp_path.iterdir()) == [path]


def test_a_new_file_has_the_mode_of_the_umask_and_its_folders_are_made(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "c.txt"
    before = os.umask(0o027)
    try:
        files.replace_whole(str(path), b"new", mode=None, expected=None)
    finally:
        os.umask(before)

    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_file_that_changed_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text("old")
    stamp = files.stamp_of(str(path), "f")
    path.write_text("somebody else's")

    with pytest.raises(files.FileFault, match="has changed since it was read"):
        files.replace_whole(str(path), b"new", mode=0o644, expected=stamp)

    assert path.read_text() == "somebody else's"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_made_meanwhile_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text("somebody else's")

    with pytest.raises(files.FileFault, match="made by somebody else"):
        files.replace_whole(str(path), b"new", mode=None, expected=None)

    assert path.read_text() == "somebody else's"


def test_a_path_that_became_a_link_is_not_written_through(tmp_path: Path) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    path = str(inside / "f")
    inside.rmdir()
    inside.symlink_to(outside)

    with pytest.raises(files.FileFault, match="leads elsewhere"):
        files.replace_whole(path, b"new", mode=None, expected=None)

    assert list(outside.iterdir()) == []


def test_a_touched_file_with_the_same_content_counts_as_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text("same")
    before = files.stamp_of(str(path), "f")
    os.utime(path, (1, 1))

    assert files.unchanged(before, files.stamp_of(str(path), "f"))


def test_a_diff_says_what_changed_with_its_place() -> None:
    old = "".join(f"{number}\n" for number in range(1, 21))

    found = file_diff(old, old.replace("15\n", "fifteen\n"), "a/f")

    assert found.text == (
        "--- a/a/f\n+++ b/a/f\n@@ -12,7 +12,7 @@\n 12\n 13\n 14\n-15\n+fifteen\n 16\n 17\n 18\n"
    )
    assert (found.additions, found.deletions) == (1, 1)


def test_a_diff_of_a_new_file_and_of_a_missing_line_end() -> None:
    assert file_diff(None, "a", "f").text == (
        "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n\\ No newline at end of file\n"
    )
    assert file_diff("a\n", "a\n", "f").text == ""


def test_a_huge_change_is_shown_as_a_whole() -> None:
    old = "".join(f"{number}\n" for number in range(COMPARED_LINES + 10))
    new = "".join(f"x{number}\n" for number in range(COMPARED_LINES + 10))

    found = file_diff(old, new, "f")

    assert (found.additions, found.deletions) == (COMPARED_LINES + 10, COMPARED_LINES + 10)
