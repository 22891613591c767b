"""Starting and stopping a session: one server, whoever calls, and honest answers."""

from __future__ import annotations

import json
import os
import signal
import stat
import time
from pathlib import Path

from luvus_service import launch
from luvus_service.adapters.ptyhost.lock import is_free
from tests.support.host_session import Session, session


def finish(made: Session, *options: str) -> tuple[int, str, str]:
    child = made.launcher(*options)
    out, err = child.communicate(timeout=15)
    return child.returncode, out.decode(), err.decode()


def test_twenty_starts_at_once_make_one_server() -> None:
    with session() as made:
        children = [made.launcher() for _ in range(20)]
        results = [(*child.communicate(timeout=18), child.returncode) for child in children]

        servers = (made.home / "servers").read_text().split()
        assert [code for _, _, code in results] == [0] * 20, results
        assert servers == [str(made.ready()["server_pid"])]
        assert sum(b"is ready" in out for out, _, _ in results) == 1


def test_the_lock_names_the_host_and_lives_with_the_server() -> None:
    with session() as made:
        made.start()
        status = made.ready()
        owner = json.loads((made.home / "server.lock").read_text())
        os.kill(status["host_pid"], signal.SIGKILL)

        assert owner == {"pid": status["host_pid"], "session": "default"}
        # The server lives and so does its lock: a second one is impossible.
        assert not is_free(made.settings.lock_path)


def test_a_second_foreground_start_is_refused_with_the_owner() -> None:
    with session() as made:
        made.start()
        host = made.ready()["host_pid"]

        code, out, err = finish(made, "--foreground")

        assert (code, out) == (3, "")
        assert err == (
            f"luvus: Session 'default' is served by process {host} already; stop that one first.\n"
        )


def test_a_terminated_foreground_start_ends_server_and_panes_within_three_seconds() -> None:
    with session() as made:
        child = made.launcher("--foreground")
        made.spawn("bash", "-c", "trap '' HUP TERM; while :; do sleep 1; done")
        made.spawn("sleep", "100")
        begun = time.monotonic()

        child.send_signal(signal.SIGTERM)
        code = child.wait(10)

        took = time.monotonic() - begun
        assert code == 0
        assert made.pids() == []
        assert took < 3.2
        assert is_free(made.settings.lock_path)


def test_a_server_that_fails_at_once_is_reported_with_its_last_words() -> None:
    with session(FAKE_BEHAVIOUR="fail9") as made:
        code, out, err = finish(made)

        assert (code, out) == (1, "")
        assert err.startswith("luvus: The server ended with code 9 before it answered.\n")
        assert "the fake server was told to fail" in err
        made.await_true(lambda: made.pids() == [])


def test_an_orderly_end_of_the_server_ends_the_session() -> None:
    with session() as made:
        made.start()
        made.spawn("sleep", "100")

        made.ask("leave", 0)

        made.await_true(lambda: made.pids() == [])
        assert not (made.home / "host.sock").exists()
        made.start()


def test_a_stop_that_was_answered_allows_a_start_at_once() -> None:
    with session() as made:
        for _ in range(3):
            made.start()
            made.stop()
            assert is_free(made.settings.lock_path)


def test_everything_is_owner_only_under_an_open_umask() -> None:
    with session() as made:
        made.home.rmdir()
        child = made.launcher(umask=0)
        assert child.wait(15) == 0

        modes = {
            name: stat.S_IMODE((made.home / name).stat().st_mode)
            for name in ("", "host.sock", "server.lock", "server.log")
        }
        assert modes == {"": 0o700, "host.sock": 0o600, "server.lock": 0o600, "server.log": 0o600}


def test_a_session_in_a_deep_folder_is_reached_by_its_alias() -> None:
    with session() as made:
        deep = made.home / ("d" * 60) / ("e" * 60)
        made.move_to(deep)

        made.start()

        assert made.settings.host_address.startswith(f"/tmp/luvus-{os.getuid()}/")
        assert Path(made.settings.host_address).exists()
        assert made.ready()["session"] == "default"
        made.stop()
        assert not Path(made.settings.host_address).exists()


def test_a_watcher_over_the_limit_is_closed() -> None:
    with session() as made:
        made.start()
        watchers = [launch.connect(made.settings, 1) for _ in range(33)]

        told = [made.is_told(watcher) for watcher in watchers if watcher is not None]

        assert told == [True] * 32 + [False]
        for watcher in watchers:
            if watcher is not None:
                watcher.close()


def test_a_server_that_does_not_hear_is_killed_within_the_stop() -> None:
    with session(FAKE_DEAF="1") as made:
        child = made.launcher("--foreground")
        made.spawn("bash", "-c", "trap '' HUP TERM; while :; do sleep 1; done")
        begun = time.monotonic()

        child.send_signal(signal.SIGINT)

        assert child.wait(10) == 0
        assert time.monotonic() - begun < 3.3
        assert made.pids() == []


def test_a_foreground_start_stays_with_the_replacement_of_its_host() -> None:
    with session() as made:
        child = made.launcher("--foreground")
        assert child.stdout is not None
        announced = child.stdout.readline()
        before = made.ready()
        os.kill(before["host_pid"], signal.SIGKILL)
        made.ask_server(before["server_pid"], "replace")
        after = made.ready()

        child.send_signal(signal.SIGTERM)

        assert after["host_pid"] != before["host_pid"]
        assert announced.startswith(b"luvus: session default is ready")
        assert (child.wait(10), child.communicate()) == (0, (b"", b""))
        made.await_true(lambda: made.pids() == [], 1.0)


def test_host_and_launcher_load_the_standard_library_only() -> None:
    # A host without asyncio and pydantic is small and has nothing native that could fail.
    program = (
        "import sys, luvus_service.launch, luvus_service.adapters.ptyhost.__main__\n"
        "print(sorted({'asyncio', 'pydantic', 'threading'} & set(sys.modules)))\n"
        "print(all(name.partition('.')[0] in {*sys.stdlib_module_names, 'luvus_service'}"
        " for name, module in sys.modules.items() if getattr(module, '__file__', None)"
        " and 'site-packages' not in module.__file__ or name.startswith('pydantic')))"
    )
    with session() as made:
        run = made.python("-c", program)

    assert run == "['threading']\nTrue\n"


def test_the_folder_we_stand_in_is_not_searched_for_code(tmp_path: Path) -> None:
    # A hostile checkout may hold a `json.py`; starting a session there must not run it.
    (tmp_path / "json.py").write_text("raise SystemExit('hostile code ran')\n")
    with session() as made:
        child = made.launcher(cwd=tmp_path)

        assert child.wait(15) == 0
        assert "hostile" not in (made.home / "server.log").read_text()


def test_a_start_during_a_stop_waits_and_then_starts_anew() -> None:
    with session() as made:
        made.start()
        made.spawn("bash", "-c", "trap '' HUP TERM; while :; do sleep 1; done")
        first = made.ready()
        made.tell("stop")

        made.start()

        assert made.ready()["host_pid"] != first["host_pid"]


def test_a_server_that_cannot_be_run_at_all_is_reported() -> None:
    with session() as made:
        program = "import sys; from luvus_service.launch import main\n"
        child = made.popen(
            ["-c", program + "sys.exit(main(['start'], server_command=['/no/such']))"]
        )
        _, err = child.communicate(timeout=15)

        assert child.returncode == 1
        assert b"the server cannot be started" in err
        made.await_true(lambda: made.pids() == [])
