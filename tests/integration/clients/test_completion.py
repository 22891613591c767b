from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.integration.clients.running import Luvus

BASH = """
source "$1"
COMP_WORDS=(luvus "${@:2}"); COMP_CWORD=$(($# - 1))
complete -p luvus > /dev/null || exit 9
_luvus
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["pane", "s"], ["send", "split"]),
        (["--session", "pane", "pane", "sp"], ["split"]),
        (["pane", "split", "7", "--d"], ["--direction", "--down"]),
        (["pane", "split", "--direction", ""], ["down", "right"]),
        (["server", "st"], ["start", "status", "stop"]),
        (["completion", ""], ["bash", "fish", "zsh"]),
        (["wait", "agent-status", "--status", "w"], ["working"]),
        (["--session", ""], []),
        (["nothing", "--"], ["--help", "--session", "--token-env", "--token-file", "--version"]),
    ],
)
def test_bash_completes_words_options_and_values(
    home: Path, luvus: Luvus, words: list[str], offered: list[str]
) -> None:
    (home / "completion").write_text(luvus("completion", "bash").out)

    done = subprocess.run(
        ["bash", "--norc", "-c", BASH, "bash", str(home / "completion"), *words],
        capture_output=True, text=True, timeout=15,
    )  # fmt: skip

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == offered


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_script_of_another_shell_is_valid_there(home: Path, luvus: Luvus, shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    (home / "completion").write_text(luvus("completion", shell).out)

    done = subprocess.run([shell, "-n", home / "completion"], capture_output=True, timeout=15)

    assert (done.returncode, done.stderr) == (0, b"")


FISH = "source $argv[1]; function luvus; end; complete -C $argv[2]"
ZSH = """
compdef() { :; }
compadd() { shift; print -l -- ${(M)@:#$prefix*}; }
source $1
words=(luvus "${@:2}"); CURRENT=$#words; prefix="${words[-1]}"
_luvus
"""


@pytest.mark.parametrize("shell", ["zsh", "fish"])
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["pane", "s"], ["send", "split"]),
        (["--session", "pane", "pane", "sp"], ["split"]),
        (["pane", "split", "--direction", ""], ["down", "right"]),
        (["server", "st"], ["start", "status", "stop"]),
    ],
)
def test_another_shell_offers_the_same(
    home: Path, luvus: Luvus, shell: str, words: list[str], offered: list[str]
) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    file = home / "completion"
    file.write_text(luvus("completion", shell).out)
    command = {
        "zsh": ["zsh", "-f", "-c", ZSH, "zsh", str(file), *words],
        "fish": ["fish", "-N", "-c", FISH, str(file), " ".join(["luvus", *words])],
    }[shell]

    done = subprocess.run(command, capture_output=True, text=True, timeout=15)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == offered
