from __future__ import annotations

from pathlib import Path

from luvus_service.adapters.instructions import TOTAL_BYTES, Instructions


def folders(tmp_path: Path) -> tuple[Path, Path, Path]:
    user, root = tmp_path / "user", tmp_path / "root"
    cwd = root / "a/b"
    user.mkdir()
    cwd.mkdir(parents=True)
    return user, root, cwd


def test_they_come_from_the_user_then_from_the_root_to_the_folder(tmp_path: Path) -> None:
    user, root, cwd = folders(tmp_path)
    (user / "AGENTS.md").write_text("user")
    (root / "AGENTS.md").write_text("root")
    (root / "CLAUDE.md").write_text("not beside AGENTS.md")
    (root / "a/CLAUDE.md").write_text("a")
    (cwd / "AGENTS.md").write_text(" \n")

    found = Instructions(user, root, cwd)()

    assert [(item.path, item.text) for item in found] == [
        (str(user / "AGENTS.md"), "user"),
        (str(root / "AGENTS.md"), "root"),
        (str(root / "a/CLAUDE.md"), "a"),
    ]


def test_the_nearest_are_kept_when_not_all_fit(tmp_path: Path) -> None:
    user, root, cwd = folders(tmp_path)
    (user / "AGENTS.md").write_text("user")
    (root / "AGENTS.md").write_text("é" * TOTAL_BYTES)
    (cwd / "AGENTS.md").write_text("near")

    found = Instructions(user, root, cwd)()

    assert [(item.bytes, item.truncated) for item in found] == [
        (TOTAL_BYTES - 4, True),
        (4, False),
    ]


def test_a_link_counts_once_and_only_within_the_project(tmp_path: Path) -> None:
    user, root, cwd = folders(tmp_path)
    (tmp_path / "secret").write_text("outside")
    (root / "AGENTS.md").write_text("root")
    (root / "a/AGENTS.md").symlink_to(root / "AGENTS.md")
    (cwd / "AGENTS.md").symlink_to(tmp_path / "secret")

    assert [item.text for item in Instructions(user, root, cwd)()] == ["root"]


def test_they_are_read_again_when_asked_for(tmp_path: Path) -> None:
    user, root, cwd = folders(tmp_path)
    source = Instructions(user, root, cwd)
    before = source()
    (root / "AGENTS.md").write_text("new")

    held = source()
    source.again()

    assert (before, held, [item.text for item in source()]) == ((), (), ["new"])
