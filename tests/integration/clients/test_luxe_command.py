from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize("words", [["luxe"], ["luxe", "--rpc"], ["luxe", "do", "it"]])
def test_luxe_says_that_it_is_not_there(environment: dict[str, str], words: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "luvus_client.luxe_cli", *words[1:]],
        env=environment, capture_output=True, text=True, timeout=15,
    )  # fmt: skip

    assert (done.returncode, done.stdout) == (2, "")
    assert "not part of this release" in done.stderr


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_luxe_has_a_help_and_a_version(environment: dict[str, str], option: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "luvus_client.luxe_cli", option],
        env=environment, capture_output=True, text=True, timeout=15,
    )  # fmt: skip

    assert (done.returncode, done.stderr) == (0, "")
    assert "luxe" in done.stdout
