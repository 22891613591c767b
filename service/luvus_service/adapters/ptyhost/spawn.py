"""Start one program on a new terminal, and say exactly why when it cannot be started.

The caller is single-threaded, so forking is safe. What happens in the child before the program
runs is reported through a pipe that the program itself never sees.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import pwd
import resource
import signal
import termios
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn, cast

from luvus_service.adapters.ptyhost.winsize import set_size

REPORT_LIMIT = 64 << 10
"""Bytes of a child's report; a longer one is cut and then unreadable."""

_IUTF8 = 0x4000
"""Of `c_iflag`, the same on Linux and macOS; the termios module has no name for it."""
_SPECIAL_FDS = 4


@dataclass(frozen=True, slots=True)
class Launch:
    """A program on its way: its terminal is there, whether it runs is told by `report_fd`."""

    pid: int
    master_fd: int
    report_fd: int
    """At end of file the program runs, unless what was read says otherwise."""


@dataclass(frozen=True, slots=True)
class Report:
    """What the child said before it became the program."""

    failure: str | None
    """Why the program does not run, for people; None when it runs."""
    cwd: str


def launch(
    argv: Sequence[str],
    cwd: str,
    env: Mapping[str, str],
    *,
    cols: int,
    rows: int,
    open_files: tuple[int, int],
) -> Launch:
    """Fork the program's process; `open_files` is its RLIMIT_NOFILE.

    The master end is non-blocking. All three results are the caller's.

    Raises:
        OSError: No terminal or no process was to be had.
    """
    master, slave = os.openpty()
    report_read, report_write = os.pipe()
    try:
        os.set_blocking(master, False)
        os.set_blocking(report_read, False)
        set_size(master, cols, rows)
        _enable_utf8(slave)
        pid = os.fork()
        if pid == 0:
            _become(argv, cwd, env, slave=slave, report=report_write, open_files=open_files)
    except BaseException:
        os.close(master)
        os.close(report_read)
        raise
    finally:
        os.close(slave)
        os.close(report_write)
    return Launch(pid, master, report_read)


def read_report(raw: bytes, argv: Sequence[str], cwd: str) -> Report:
    """Understand what came through a report pipe until its end."""
    if not raw:
        return Report(None, cwd)
    try:
        parsed: object = json.loads(raw.splitlines()[-1])
    except ValueError:
        return Report("The program could not be started and left no reason.", cwd)
    fields = cast("dict[str, object]", parsed) if isinstance(parsed, dict) else {}
    actual = str(fields.get("cwd", cwd))
    number = fields.get("errno")
    if not isinstance(number, int):
        return Report(None, actual)
    return Report(_sentence(number, argv), actual)


def _sentence(number: int, argv: Sequence[str]) -> str:
    program = argv[0] if argv else ""
    reasons = {
        errno.ENOENT: f"There is no program {program!r} (looked along PATH when it has no slash).",
        errno.EACCES: f"{program!r} may not be run: it is not executable for this user.",
        errno.ENOEXEC: f"{program!r} is neither a program nor a script with a #! line.",
        errno.E2BIG: "The arguments and the environment are larger than the system allows.",
    }
    reason = reasons.get(number, f"{program!r} could not be started.")
    return f"{reason} ({errno.errorcode.get(number, str(number))})"


def _enable_utf8(slave: int) -> None:
    """Make erasing in the line editor of the kernel remove a whole UTF-8 character."""
    with contextlib.suppress(termios.error):
        attributes = termios.tcgetattr(slave)
        attributes[0] |= _IUTF8
        termios.tcsetattr(slave, termios.TCSANOW, attributes)


def _become(
    argv: Sequence[str],
    cwd: str,
    env: Mapping[str, str],
    *,
    slave: int,
    report: int,
    open_files: tuple[int, int],
) -> NoReturn:
    """Turn the forked child into the program; never returns into the host's code."""
    # A signal that arrives before the handlers are gone must not run the host's.
    try:
        signal.set_wakeup_fd(-1)
        os.setsid()
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
        # Out of the way of 0, 1 and 2 first; the host may run with some of those closed.
        report = fcntl.fcntl(report, fcntl.F_DUPFD_CLOEXEC, 32)
        slave = fcntl.fcntl(slave, fcntl.F_DUPFD_CLOEXEC, 32)
        for fd in range(3):
            os.dup2(slave, fd)
        os.dup2(report, 3, inheritable=False)
        os.closerange(_SPECIAL_FDS, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
        report = 3
        resource.setrlimit(resource.RLIMIT_NOFILE, open_files)
        _reset_signals()
        actual = _enter(cwd, env)
        if actual != cwd:
            os.write(report, json.dumps({"cwd": actual}).encode() + b"\n")
        os.execvpe(argv[0], list(argv), dict(env))  # noqa: S606 - that is the purpose
    except OSError as fault:
        _say_errno(report, fault.errno or 0)
    except BaseException:  # noqa: BLE001 - the child must never run on in the host's loop
        _say_errno(report, errno.EINVAL)
    finally:
        os._exit(127)


def _say_errno(report: int, number: int) -> None:
    with contextlib.suppress(OSError):
        os.write(report, json.dumps({"errno": number}).encode() + b"\n")


def _reset_signals() -> None:
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        with contextlib.suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])


def _enter(cwd: str, env: Mapping[str, str]) -> str:
    """Change to the folder, or to home or `/` when it is gone; return where we are."""
    homes = [env.get("HOME", "")]
    with contextlib.suppress(KeyError):
        homes.append(pwd.getpwuid(os.getuid()).pw_dir)
    for folder in (cwd, *homes, "/"):
        if folder:
            try:
                os.chdir(folder)
            except (OSError, ValueError):
                continue
            return folder
    raise OSError(errno.ENOENT, "no folder to start in")
