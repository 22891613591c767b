from __future__ import annotations

from pathlib import Path

from luvus_service.adapters.instructions import BELOW_BYTES, TOTAL_BYTES, Instructions


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


def test_a_link_to_a_secret_of_the_project_is_not_read(tmp_path: Path) -> None:
    user, root, cwd = folders(tmp_path)
    (root / ".env").write_text("KEY=1")
    (root / "AGENTS.md").symlink_to(".env")
    (root / "c").mkdir()
    (root / "c/AGENTS.md").symlink_to(root / ".env")

    source = Instructions(user, root, cwd, lambda path: path.endswith(".env"))

    assert (source(), source.beside([str(root / "c/x")], set())) == ((), [])


def test_files_beside_what_is_touched_come_once_and_the_farthest_first(tmp_path: Path) -> None:
    user, root, cwd = folders(tmp_path)
    deep = cwd / "c/d"
    deep.mkdir(parents=True)
    for folder in (root, cwd, cwd / "c", deep, root / "a"):
        (folder / "AGENTS.md").write_text(folder.name)
    source = Instructions(user, root, cwd)
    told: set[str] = set()

    first = source.beside([str(deep / "x.py"), str(deep)], told)
    second = source.beside([str(deep / "y.py")], told)
    other = source.beside([str(deep / "y.py")], set())

    assert [item.text for item in first] == ["c", "d"]
    assert (second, other) == ([], first)


def test_beside_a_path_outside_or_in_the_folders_above_nothing_comes(tmp_path: Path) -> None:
    user, root, cwd = folders(tmp_path)
    (root / "AGENTS.md").write_text("root")
    (tmp_path / "AGENTS.md").write_text("outside")

    found = Instructions(user, root, cwd).beside(
        [str(root / "x"), str(tmp_path / "x"), str(cwd / "x"), "/"], set()
    )

    assert found == []


def test_what_comes_beside_one_call_is_bounded(tmp_path: Path) -> None:
    user, root, cwd = folders(tmp_path)
    (cwd / "c").mkdir()
    (cwd / "c/AGENTS.md").write_text("x" * (BELOW_BYTES + 1))

    (found,) = Instructions(user, root, cwd).beside([str(cwd / "c/x")], set())

    assert (found.bytes, found.truncated) == (BELOW_BYTES, True)


def test_what_does_not_fit_beside_one_call_comes_with_the_next(tmp_path: Path) -> None:
    user, root, cwd = folders(tmp_path)
    (cwd / "c/d").mkdir(parents=True)
    for folder in (cwd / "c", cwd / "c/d"):
        (folder / "AGENTS.md").write_text(folder.name * BELOW_BYTES)
    source = Instructions(user, root, cwd)
    told: set[str] = set()

    given = [source.beside([str(cwd / "c/d/x")], told) for _ in range(3)]

    assert [[item.text[0] for item in files] for files in given] == [["d"], ["c"], []]
