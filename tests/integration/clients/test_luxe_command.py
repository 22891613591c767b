"""The `luxe` command as a program: it becomes the agent and hands its words on."""

from __future__ import annotations

import os
import subprocess
import sys

from luvus_service import __version__


def luxe(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "luvus_client.luxe_cli", *words],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


def test_the_version_is_that_of_the_service() -> None:
    assert luxe("--version").stdout == f"luxe {__version__}\n"


def test_without_a_way_to_speak_it_says_how_to_go_on() -> None:
    done = luxe()

    assert (done.returncode, done.stdout) == (2, "")
    assert "luxe --help" in done.stderr
