"""Panes outlive servers: nothing that a program wrote or how it ended is lost."""

from __future__ import annotations

import base64
import os
import random
import select
import signal
import time
from pathlib import Path

from tests.support.host_session import Session, session

COUNT = "i=0; while [ $i -lt %d ]; do echo line $i; i=$((i+1)); done; echo over; sleep 100"


def lines(output: bytes) -> list[str]:
    return [line for line in output.decode().split("\r\n") if line.startswith("line ")]


def both(found: Session, terminal_id: str) -> bytes:
    """Return dump and rest of the replay that the current server found at its start."""
    dump, rest = found.ask("replayed", terminal_id)
    return base64.b64decode(dump) + base64.b64decode(rest)


def test_a_killed_server_loses_no_line_and_doubles_none() -> None:
    with session() as made:
        made.start()
        terminal = made.spawn("sh", "-c", COUNT % 20_000)
        made.output(terminal, "line 500")

        made.kill_server(signal.SIGKILL)

        seen = lines(made.output(terminal, "over"))
        assert seen == [f"line {number}" for number in range(20_000)]


def test_servers_killed_at_random_instants_lose_no_line_and_double_none() -> None:
    dice = random.Random(20)
    with session() as made:
        made.start()
        terminal = made.spawn("sh", "-c", COUNT % 60_000)
        status = made.ready()
        for _ in range(20):
            select.select([], [], [], dice.uniform(0, 0.03))
            os.kill(status["server_pid"], signal.SIGKILL)
            made.await_status(lambda status: status["state"] == "waiting")
            # Without the pause of the supervisor, so that twenty rounds stay short.
            made.tell("start")
            status = made.ready(status["restarts"] + 1)

        seen = lines(made.output(terminal, "over"))
        assert seen == [f"line {number}" for number in range(60_000)]
        assert made.ready()["restarts"] == 20


def test_a_program_runs_on_while_no_server_can_be_started() -> None:
    with session() as made:
        made.start()
        terminal = made.spawn("sh", "-c", COUNT % 20_000 + " & wait")
        made.break_server()
        status = made.ready()
        os.kill(status["server_pid"], signal.SIGKILL)
        failed = made.await_status(lambda status: status["state"] == "failed")

        made.mend_server()
        made.start()

        assert (failed["terminals"], failed["code"]) == (1, 9)
        assert lines(made.output(terminal, "over"))[-1] == "line 19999"


def test_output_that_no_server_takes_for_long_drops_the_oldest_and_says_so() -> None:
    with session() as made:
        made.start()
        flood = "head -c 6000000 /dev/zero | tr '\\0' x; echo; echo over > $0; sleep 100"
        mark = made.home / "over"
        made.break_server()
        terminal = made.spawn("sh", "-c", "read go; " + flood, str(mark))
        assert made.ask("checkpoint", terminal, "a dump")
        made.ask("write", terminal, "go\n")
        os.kill(made.ready()["server_pid"], signal.SIGKILL)
        made.await_file(mark)

        made.mend_server()
        made.start()

        dump, rest = map(base64.b64decode, made.ask("replayed", terminal))
        [recovered] = made.ask("recovered")
        # Whatever fell out of the ring, the dump before it is void and the newest bytes are there.
        assert (dump, len(rest) <= 2 << 20, rest[-3:]) == (b"", True, b"x\r\n")
        assert recovered["lost"] > 3_000_000


def test_exit_codes_and_signals_are_kept_while_the_server_is_away() -> None:
    with session() as made:
        made.start()
        mark = made.home / "go"
        wait = f"while [ ! -e {mark} ]; do sleep 0.01; done; "
        code = made.spawn("sh", "-c", wait + "exit 7")
        killed = made.spawn("sh", "-c", wait + "kill -TERM $$")
        alive = made.spawn("sleep", "100")
        pids = [made.root(code), made.root(killed)]
        made.break_server()
        os.kill(made.ready()["server_pid"], signal.SIGKILL)
        made.await_status(lambda status: status["state"] == "failed")
        roots = [Path(f"/proc/{pid}") for pid in pids]
        mark.touch()
        made.await_true(lambda: not any(root.exists() for root in roots))

        made.mend_server()
        made.start()

        found = {entry["id"]: entry["exit"] for entry in made.ask("recovered")}
        assert found == {code: [7, None], killed: [None, "SIGTERM"], alive: None}
        assert list(found) == [code, killed, alive]


def test_exit_code_75_starts_a_new_server_on_the_same_panes() -> None:
    with session() as made:
        made.start()
        terminal = made.spawn("sh", "-c", "echo hello; exec sleep 100")
        made.output(terminal, "hello")
        made.ask("resize", terminal, 132, 43)
        assert made.ask("state", "the layout") == ""
        before = made.ready()

        made.ask("leave", 75)
        after = made.ready(1)

        [recovered] = made.ask("recovered")
        assert after["server_pid"] != before["server_pid"]
        assert after["host_pid"] == before["host_pid"]
        assert (recovered["id"], recovered["size"], recovered["exit"]) == (
            terminal,
            [132, 43],
            None,
        )
        assert both(made, terminal) == b"hello\r\n"
        assert made.ask("state", None) == "the layout"


def test_a_restart_by_signal_keeps_the_panes_too() -> None:
    with session() as made:
        made.start()
        terminal = made.spawn("sleep", "100")

        made.tell("restart")
        made.ready(1)

        assert [entry["id"] for entry in made.ask("recovered")] == [terminal]


def test_only_a_native_fault_makes_the_terminal_being_fed_a_suspect() -> None:
    with session() as made:
        made.start()
        fed, other = made.spawn("sleep", "100"), made.spawn("sleep", "100")
        made.ask("feeding", fed, True)
        made.kill_server(signal.SIGKILL)
        after_kill = [(entry["id"], entry["suspect"]) for entry in made.ask("recovered")]
        made.ask("feeding", fed, True)
        made.kill_server(signal.SIGSEGV)
        after_fault = [(entry["id"], entry["suspect"]) for entry in made.ask("recovered")]

        assert after_kill == [(fed, False), (other, False)]
        assert after_fault == [(fed, True), (other, False)]


def test_a_replacement_takes_the_place_of_a_killed_host() -> None:
    with session() as made:
        made.start()
        terminal = made.spawn("sh", "-c", COUNT % 20_000)
        short = made.spawn("sh", "-c", "read line; exit 3")
        made.ask("state", "the layout")
        host, server = made.ready()["host_pid"], made.ready()["server_pid"]

        os.kill(host, signal.SIGKILL)
        made.ask_server(server, "replace")
        status = made.ready()
        made.ask("write", short, "go\n")
        unknown = made.ask("exit", short)
        made.kill_server(signal.SIGKILL)

        assert status["host_pid"] != host
        assert status["server_pid"] == server
        assert unknown == [None, None]
        seen = lines(made.output(terminal, "over"))
        assert seen == [f"line {number}" for number in range(20_000)]
        assert made.ask("state", None) == "the layout"
        assert made.ask("end", terminal, 0.2) == [None, None]


def test_a_stop_through_a_replacement_ends_everything() -> None:
    with session() as made:
        made.start()
        made.spawn("sleep", "100")
        server = made.ready()["server_pid"]
        os.kill(made.ready()["host_pid"], signal.SIGKILL)
        made.ask_server(server, "replace")
        begun = time.monotonic()

        made.stop()

        made.await_true(lambda: made.pids() == [], 1.0)
        assert time.monotonic() - begun < 3.5
