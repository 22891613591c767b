"""Names that are no sentences and tests without a source file are found."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.check_test_names import complaints, is_mirrored, short_names


def test_only_test_functions_of_fewer_than_three_words_are_named() -> None:
    text = (
        "def test_works(): ...\n"
        "def helper(): ...\n"
        "async def test_two_words(): ...\n"
        "class TestA:\n    def test_it_is_read(self): ...\n"
    )

    assert sorted(short_names(text)) == ["test_two_words", "test_works"]


@pytest.mark.parametrize(
    ("test", "mirrored"),
    [
        ("test_whole_house.py", True),
        ("service/a/test_b.py", True),
        ("service/a/test_b_under_load.py", True),
        ("service/test_a.py", True),
        ("service/a/test_main.py", True),
        ("service/a/test_c.py", False),
        ("service/test_b.py", False),
        ("elsewhere/test_b.py", False),
    ],
)
def test_a_unit_test_stands_where_its_source_stands(
    tmp_path: Path, test: str, mirrored: bool
) -> None:
    package = tmp_path / "service/luvus_service/a"
    package.mkdir(parents=True)
    (package / "b.py").touch()
    (package / "__main__.py").touch()

    assert is_mirrored(tmp_path, Path(test)) is mirrored


def test_complaints_name_the_file_and_the_function(tmp_path: Path) -> None:
    folder = tmp_path / "tests/unit/bridge"
    folder.mkdir(parents=True)
    (folder / "test_x.py").write_text("def test_x(): ...\n")

    assert list(complaints(tmp_path)) == [
        "tests/unit/bridge/test_x.py: test_x is not a sentence of 3 words or more.",
        "tests/unit/bridge/test_x.py: no source file stands at the same place; "
        "move or rename the test.",
    ]
