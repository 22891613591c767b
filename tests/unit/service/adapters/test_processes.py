"""Names of programs from command lines, and scans of real processes."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from luvus_service.adapters import procfs
from luvus_service.adapters.processes import (
    BlindProcessTable,
    LinuxProcessTable,
    PsutilProcessTable,
    executable_names,
    process_table,
    program_paths,
)
from luvus_service.uhp.domain.ports import ProcessFacts, RootProcess


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["/usr/bin/vim", "x"], ("vim",)),
        (["-bash"], ("bash",)),
        (["C:\\bin\\Claude.EXE"], ("Claude",)),
        (
            ["node", "--max-old-space-size=1", "/opt/codex/bin/codex.js", "run"],
            ("node", "codex.js"),
        ),
        (["python3", "-m"], ("python3",)),
        (["vim", "codex"], ("vim",)),
        (["env", "-i", "/bin/claude"], ("env", "claude")),
        ([""], ()),
        ([], ()),
    ],
)
def test_a_command_line_names_its_program(words: list[str], names: tuple[str, ...]) -> None:
    assert executable_names([words]) == names


def test_names_are_listed_once_in_order_and_bounded() -> None:
    assert executable_names([["b"], ["a"], ["b"]]) == ("b", "a")
    assert len(executable_names([[f"p{number}"] for number in range(500)])) == 128
    assert executable_names([["x" * 600]]) == ("x" * 512,)


def test_a_stat_line_with_any_name_is_understood() -> None:
    tail = b" S 7 8 9 " + b"0 " * 15 + b"4711 0 0"

    stat = procfs.parse_stat(b"12 (a) b (\n c)" + tail)

    assert stat == procfs.Stat(pid=12, state="S", parent=7, session=9, started=4711)
    assert procfs.parse_stat(b"") is None
    assert procfs.parse_stat(b"x (a)" + tail) is None


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    # What `cat` writes tells that it runs; then it waits for somebody to open the pipe.
    os.mkfifo(tmp_path / "pipe")
    child = subprocess.Popen(
        ["sh", "-c", "echo up | cat - pipe & wait"],
        stdout=subprocess.PIPE,
        cwd=tmp_path,
        start_new_session=True,
    )
    assert child.stdout is not None
    child.stdout.readline()
    yield child
    os.killpg(child.pid, 9)
    child.wait()
    child.stdout.close()


@pytest.mark.parametrize("table", [LinuxProcessTable(), PsutilProcessTable(psutil)])
def test_a_scan_tells_programs_and_folder_of_a_terminal(
    shell: subprocess.Popen[bytes],
    tmp_path: Path,
    table: LinuxProcessTable | PsutilProcessTable,
) -> None:
    root = RootProcess(shell.pid, table.start_marker(shell.pid))

    facts = table.scan({"t": root})

    assert facts == {
        "t": ProcessFacts(
            True,
            ("sh", "echo up | cat - pipe & wait", "cat"),
            str(tmp_path),
            ("echo up | cat - pipe & wait", "cat"),
        )
    }


def test_a_program_is_told_by_the_path_of_what_it_runs() -> None:
    commands = [
        ["-bash"],
        ["/usr/bin/node", "--flag", "/opt/@openai/codex/bin/codex.js", "secret"],
        ["python3", "-m", "hermes_cli.main", "secret"],
        ["/usr/bin/claude", "--api-key", "secret"],
        [],
        ["node", "-e"],
    ]

    assert program_paths(commands) == (
        "/opt/@openai/codex/bin/codex.js",
        "hermes_cli.main",
        "/usr/bin/claude",
    )


@pytest.mark.parametrize("table", [LinuxProcessTable(), PsutilProcessTable(psutil)])
def test_another_process_of_the_same_number_is_not_observed(
    shell: subprocess.Popen[bytes], table: LinuxProcessTable | PsutilProcessTable
) -> None:
    other, gone = RootProcess(shell.pid, "linux:1"), RootProcess(2**22 + 1, None)

    facts = table.scan({"other": other, "gone": gone})

    assert facts == {"other": ProcessFacts(False), "gone": ProcessFacts(False)}
    assert (table.cwd(2**22 + 1), table.start_marker(2**22 + 1)) == (None, None)


def test_a_table_that_sees_nothing_says_so() -> None:
    table = BlindProcessTable()

    assert table.scan({"t": RootProcess(1, None)}) == {"t": ProcessFacts(observed=False)}
    assert (table.cwd(1), table.start_marker(1)) == (None, None)


def test_this_system_is_read_by_hand() -> None:
    assert isinstance(process_table(), LinuxProcessTable)
