"""The watch for keys finds what it is there for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.support.key_watch import CommandLines, files_with_keys, holds_key, key_of

KEY = key_of("watched")


def test_a_key_in_a_command_line_is_found() -> None:
    watch = CommandLines()
    with subprocess.Popen([sys.executable, "-c", "input()", KEY], stdin=subprocess.PIPE) as process:
        seen = watch.seen.wait(10)
        process.communicate(b"\n")
    watch.end()

    assert seen
    assert any(KEY in line for line in watch.found)


def test_a_key_in_a_file_is_found(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep/log").write_text(f"x {KEY}\n")
    (tmp_path / "other").write_text("sk-real-key\n")

    assert files_with_keys(tmp_path) == ["deep/log"]
    assert holds_key(KEY.encode()) and not holds_key(b"sk-real-key")
