"""A small repository with a bug that its tests find, and a model that fixes it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.support.provider_script import Call, Reply, calls, says

BUG = "def mean(numbers):\n    return sum(numbers) / (len(numbers) - 1)\n"
TESTS = """\
import unittest

from stats import mean


class MeanTest(unittest.TestCase):
    def test_the_mean_of_three(self):
        self.assertEqual(mean([1, 2, 3]), 2)


if __name__ == "__main__":
    unittest.main()
"""
RUN_TESTS = f"{sys.executable} -m unittest -q test_stats"
FIXED = BUG.replace("(len(numbers) - 1)", "len(numbers)")


def planted_bug(folder: Path) -> Path:
    """Make a repository with a bug that its tests find."""
    root = folder / "project"
    root.mkdir()
    (root / "stats.py").write_text(BUG)
    (root / "test_stats.py").write_text(TESTS)
    for words in (
        ["init", "-q", "-b", "main"],
        ["add", "-A"],
        ["-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "Begin"],
    ):
        subprocess.run(["git", *words], cwd=root, check=True)
    return root


def fixing() -> list[Reply]:
    """Return what a model does that finds and fixes the bug."""
    return [
        calls(Call("bash", {"command": RUN_TESTS}, "c1")),
        calls(Call("read", {"path": "stats.py"}, "c2"), Call("ls", {"path": "."}, "c3")),
        calls(
            Call(
                "edit",
                {"path": "stats.py", "old": "(len(numbers) - 1)", "new": "len(numbers)"},
                "c4",
            )
        ),
        calls(Call("bash", {"command": RUN_TESTS}, "c5")),
        says("The divisor was one too small; the tests pass."),
    ]
