from __future__ import annotations

import pytest

from luvus_service.luxe.domain.patterns import command_matches, escaped, path_matches
from luvus_service.luxe.domain.permission_units import PathUnit


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("git status *", "git status", True),
        ("git status *", "git status -s", True),
        ("git status *", "git statusx", False),
        ("ls *", "lsof", False),
        ("ls*", "lsof", True),
        ("make t?st", "make test", True),
        ("echo \\*", "echo *", True),
        ("echo \\*", "echo x", False),
        ("a.c", "abc", False),
        ("echo *", "echo a\nb", True),
        ("*", "anything at all", True),
    ],
)
def test_command_patterns_match_text_and_nothing_else(
    pattern: str, text: str, expected: bool
) -> None:
    assert command_matches(pattern, text) is expected


def test_an_escaped_command_matches_only_itself() -> None:
    text = "rm -- *.o [a-z]? \\x"

    assert command_matches(escaped(text), text)
    assert not command_matches(escaped(text), "rm -- x.o [a-z]? \\x")


@pytest.mark.parametrize(
    ("pattern", "relative", "expected"),
    [
        ("*.py", "src/deep/a.py", True),
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/deep/a.py", False),
        ("src/**", "src/deep/a.py", True),
        ("**/test_*.py", "test_a.py", True),
        ("**/test_*.py", "x/y/test_a.py", True),
        ("secrets", "secrets/key", True),
        ("secrets/", "secrets", True),
        ("a[0-9].txt", "a5.txt", True),
        ("a[!0-9].txt", "a5.txt", False),
        ("src/?.py", "src/a.py", True),
        ("src?a.py", "src/a.py", False),
    ],
)
def test_path_patterns_know_segments(pattern: str, relative: str, expected: bool) -> None:
    unit = PathUnit("read", relative, relative, f"/p/{relative}", inside=True)

    assert path_matches(pattern, unit, strict=False) is expected
