"""Programs in terminals: how they start, fail, end, and what is left of them."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from luvus_service.adapters.procfs import all_stats
from tests.support.host_session import Session, session

C_LIBRARY = 0b11 << 31
"""Signals 32 and 33 in a mask of /proc."""


@pytest.fixture
def made() -> Iterator[Session]:
    with session() as made:
        made.start()
        yield made


def failed(made: Session, *argv: str, env: dict[str, str] | None = None) -> str:
    return str(made.ask("spawn", argv, "/", env or {"PATH": "/usr/bin:/bin"})["failed"])


def test_a_program_starts_as_on_a_terminal_of_its_own(made: Session) -> None:
    script = (
        "import os, signal\n"
        "print(os.getpid() == os.getsid(0) == os.tcgetpgrp(0), os.ttyname(0) == os.ttyname(2),"
        " signal.pthread_sigmask(signal.SIG_BLOCK, []),"
        " open('/dev/tty').isatty(),"
        " sorted(os.environ), os.getcwd(), os.get_terminal_size(),"
        " sorted(os.listdir('/proc/self/fd')), end='!')"
    )
    answer = made.ask(
        "spawn", ["/usr/bin/env", "-u", "LC_CTYPE", "python3", "-c", script], "/usr", {"A": "1"}
    )

    text = made.output(answer["id"], "!").decode()
    assert text.startswith("True True set() True ['A'")
    assert "/usr os.terminal_size(columns=80, lines=24)" in text
    # 3 is the listing itself.
    assert text.endswith("['0', '1', '2', '3']!")


def test_signals_that_the_host_ignores_are_at_their_defaults(made: Session) -> None:
    terminal = made.spawn("cat", "/proc/self/status")

    text = made.output(terminal, "voluntary").decode()
    masks = [line.split()[1] for line in text.splitlines() if line.startswith("Sig")]
    # Signals 32 and 33 are the C library's own: it lets nobody see or set them, so what our own
    # parents left there is passed on.
    assert [int(mask, 16) & ~C_LIBRARY for mask in masks[1:]] == [0, 0, 0, 0]


def test_erasing_in_the_kernel_removes_whole_characters(made: Session) -> None:
    terminal = made.spawn("stty", "-a")

    assert " iutf8" in made.output(terminal, "iutf8").decode()


def test_the_reason_of_a_failed_start_comes_back(made: Session, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o755)
    plain = tmp_path / "plain"
    plain.write_text("text")

    assert failed(made, "no-such-program") == (
        "There is no program 'no-such-program' (looked along PATH when it has no slash). (ENOENT)"
    )
    assert failed(made, str(script)).endswith("(ENOENT)")
    assert failed(made, str(plain)).endswith("is not executable for this user. (EACCES)")
    assert failed(made, "true", "x" * 200_000).endswith("larger than the system allows. (E2BIG)")
    assert failed(made, "true", "x" * 1_100_000).startswith("The program's arguments and")
    assert made.ready()["terminals"] == 0


def test_a_vanished_folder_is_replaced_by_home(made: Session, tmp_path: Path) -> None:
    env = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    answer = made.ask("spawn", ["pwd"], str(tmp_path / "gone"), env)

    assert made.output(answer["id"], "\n").decode() == f"{tmp_path}\r\n"


def test_two_hundred_short_programs_leave_no_zombie_and_no_descriptor(made: Session) -> None:
    host = made.ready()["host_pid"]
    warm = made.spawn("true")
    made.ask("exit", warm)
    made.ask("forget", warm)
    before = made.ask("fds"), made.host_fds()

    for _ in range(200):
        terminal = made.spawn("true")
        assert made.ask("exit", terminal) == [0, None]
        made.ask("forget", terminal)

    made.await_true(lambda: made.host_fds() <= before[1])
    made.await_true(lambda: made.ask("fds") <= before[0])
    children = [stat for stat in all_stats() or [] if stat.parent == host]
    assert [stat.state for stat in children] == [children[0].state]
    assert children[0].state != "Z"


def test_ending_kills_what_ignores_the_hang_up_and_every_job(made: Session) -> None:
    script = "trap '' HUP TERM; (trap '' HUP; sleep 300) & echo up; sleep 300"
    terminal = made.spawn("bash", "-m", "-c", script)
    made.output(terminal, "up")
    members = [stat.pid for stat in all_stats() or [] if stat.session == made.root(terminal)]

    status = made.ask("end", terminal, 0.3)

    left = [stat for stat in all_stats() or [] if stat.pid in members and stat.state not in "ZX"]
    assert (status, left) == ([None, "SIGKILL"], [])
    assert len(members) >= 2


def test_ending_reaches_a_stopped_program(made: Session) -> None:
    terminal = made.spawn("sleep", "300")
    os.kill(made.root(terminal), signal.SIGSTOP)

    assert made.ask("end", terminal, 5) == [None, "SIGHUP"]


def test_ending_twice_gives_the_same_status(made: Session) -> None:
    terminal = made.spawn("sh", "-c", "exit 4")
    made.ask("exit", terminal)

    assert [made.ask("end", terminal, 5) for _ in range(2)] == [[4, None], [4, None]]


def test_forgetting_a_running_program_ends_it(made: Session) -> None:
    terminal = made.spawn("sleep", "300")
    root = made.root(terminal)

    made.ask("forget", terminal)

    made.await_true(lambda: not Path(f"/proc/{root}").exists())
    made.await_true(lambda: made.ready()["terminals"] == 0)
