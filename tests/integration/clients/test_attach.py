"""`luvus attach` on a real terminal: a person's keys, window and screen."""

from __future__ import annotations

import os
import re
import signal
import sys
from time import monotonic

import pytest

from tests.support.live import LiveServer
from tests.support.person import Person, attached
from tests.support.programs import needs

DETACH = "\x1c"


def size_of(live: LiveServer, pane: str) -> tuple[int, int]:
    """Return the (columns, rows) of a pane, as its views are told."""
    with live.stream("view.pane", {"pane": pane}) as view:
        view.line()
        data = view.until("view.snapshot")["data"]
        return data["cols"], data["rows"]


def until_size(live: LiveServer, pane: str, size: tuple[int, int]) -> None:
    """Return when a pane has a size."""
    with live.stream("view.pane", {"pane": pane}) as view:
        view.line()
        view.until("view.snapshot", cols=size[0], rows=size[1])


def shell_said(live: LiveServer, person: Person, text: str) -> None:
    """Have the shell print a text, typed by the person, and see it on the person's screen."""
    person.press(f"echo {text[:2]}''{text[2:]}\r")
    person.until_shown(text)


def detach(person: Person) -> None:
    person.press(DETACH)
    assert person.left() == 0


def test_a_person_sees_the_pane_types_into_it_and_leaves(live: LiveServer) -> None:
    live.call("pane.run", {"pane": "1", "command": "echo be''fore"})
    live.wait_text("1", "before")

    with attached(live, "1") as person:
        person.until_shown("before")
        shell_said(live, person, "typed here")
        assert size_of(live, "1") == (80, 24)
        detach(person)

        assert person.screen() == "[detached from pane 1]"
        assert person.modes_now() == person.modes
        assert not person.emulator.modes().alternate_screen
        until_size(live, "1", (120, 40))


def test_the_pane_follows_the_window(live: LiveServer) -> None:
    with attached(live, "1") as person:
        person.until_shown("$")
        # A size and a key may reach the pane in any order.
        person.press("while stty size; do sleep 0.1; done\r")
        person.resize(101, 31)
        person.until_shown("31 101")
        person.press("\x03")
        detach(person)


def test_the_focused_pane_is_meant_when_none_is_named(live: LiveServer) -> None:
    with attached(live) as person:
        person.until_shown("$")
        detach(person)

        assert "detached from pane 1" in person.screen()


@needs("vim")
def test_the_screen_and_modes_come_back_after_a_program_that_changed_all_of_them(
    live: LiveServer,
) -> None:
    with attached(live, "1") as person:
        person.until_shown("$")
        person.press("vim -u NONE --not-a-term -c 'set mouse=a' -c 'set title'\r")
        person.until(lambda: person.emulator.modes().mouse != "off")
        person.press("ihello from vim")
        person.until_shown("hello from vim")
        detach(person)

        modes = person.emulator.modes()
        assert (modes.alternate_screen, modes.mouse, modes.bracketed_paste) == (
            False,
            "off",
            False,
        )
        assert person.screen() == "[detached from pane 1]"


@needs("vim")
def test_leaving_vim_brings_the_shell_back_on_the_screen(live: LiveServer) -> None:
    with attached(live, "1") as person:
        shell_said(live, person, "before vim")
        person.press("vim -u NONE --not-a-term\r")
        person.until(lambda: "before vim" not in person.screen())
        person.press(":q!\r")
        person.until_shown("before vim")
        shell_said(live, person, "after vim")
        detach(person)


@needs("htop")
def test_htop_is_drawn_and_follows_the_window(live: LiveServer) -> None:
    live.extra["HTOPRC"] = os.devnull
    with attached(live, "1", cols=100, rows=30) as person:
        person.press("htop\r")
        person.until_shown("F10Quit")
        person.resize(90, 20)
        person.until(lambda: "F10Quit" in person.screen().split("\n")[-1])
        person.press("q")
        person.until(lambda: "F10Quit" not in person.screen())
        detach(person)


ASK = """
import os, select, sys, tty
tty.setraw(0)
os.write(1, b"ready\\r\\n\\x1b]11;?\\x1b\\\\\\x1b[>0q\\x1b[c\\x1b[6n")
got = b""
while b"!" not in got:
    got += os.read(0, 1000)
open("answers", "wb").write(got)
os.system("stty sane")
print("asked")
"""


def test_queries_of_the_program_are_answered_once(live: LiveServer) -> None:
    (live.folder / "ask.py").write_text(ASK)
    with attached(live, "1") as person:
        person.until_shown("$")
        person.press(f"{sys.executable} ask.py\r")
        person.until_shown("ready")
        person.until(lambda: b"ready\r\n" in person.received)
        person.press("\x1b[?64;1;2c\x1b[5;7;9$y\x1b[3;4R\x1b]11;rgb:abab/0000/0000\x1b\\!")
        person.until_shown("asked")

        assert person.replies == b""
        detach(person)
    answers = (live.folder / "answers").read_bytes()
    assert re.findall(rb"\x1b\[\?[0-9;]+c", answers) == [b"\x1b[?62;22c"]
    assert re.findall(rb"\x1b\[([0-9;]+)R", answers) == [b"3;1"]
    assert b"abab" not in answers


def test_bytes_reach_the_program_as_they_were_typed(live: LiveServer) -> None:
    sent = bytes(range(1, 28)) + bytes(range(29, 256)) + "ü€😀".encode() + b"\x1b[1;5R\x1bOP"
    with attached(live, "1") as person:
        person.until_shown("$")
        person.press(
            f"stty raw -echo; echo rea''dy; head -c {len(sent)} > got; stty sane; echo al''l\r"
        )
        person.until_shown("ready")
        person.press(sent)
        person.until_shown("all")
        detach(person)

    assert (live.folder / "got").read_bytes() == sent


def test_a_paste_is_passed_on_with_its_brackets_and_cannot_detach(live: LiveServer) -> None:
    paste = b"\x1b[200~one\rtwo \x1c\x1b[3;4R three\x1b[201~"
    with attached(live, "1") as person:
        person.until_shown("$")
        person.press(
            f"printf '\\033[?2004h'; stty raw -echo; echo rea''dy; head -c {len(paste)} > got; "
            "stty sane; printf '\\033[?2004l'; echo al''l\r"
        )
        person.until(lambda: person.emulator.modes().bracketed_paste)
        person.until_shown("ready")
        person.press(paste)
        person.until_shown("all")
        detach(person)

    assert (live.folder / "got").read_bytes() == paste


def test_another_detach_key_lets_the_usual_one_through(live: LiveServer) -> None:
    with attached(live, "1", "--detach-key", "ctrl-]") as person:
        person.until_shown("$")
        person.press("stty raw -echo; echo rea''dy; head -c 1 | od -c; stty sane\r")
        person.until_shown("ready")
        person.press(DETACH)
        person.until_shown("034")
        person.press("\x1d")

        assert person.left() == 0


def test_a_pane_whose_program_ends_says_how(live: LiveServer) -> None:
    pane = live.call("pane.split", {})["pane"]
    with attached(live, pane) as person:
        person.until_shown("$")
        person.press("exit 3\r")

        assert person.left() == 0
        assert person.screen() == f"[pane {pane} closed: exit status 3]"


def test_a_pane_that_is_closed_ends_the_attachment(live: LiveServer) -> None:
    pane = live.call("pane.split", {})["pane"]
    with attached(live, pane) as person:
        person.until_shown("$")
        live.call("pane.close", {"pane": pane})

        assert person.left() == 0
        assert person.screen() == f"[pane {pane} closed]"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_gives_the_terminal_back(live: LiveServer, number: signal.Signals) -> None:
    with attached(live, "1") as person:
        person.until_shown("$")
        person.process.send_signal(number)

        assert person.left() == 128 + number
        assert person.screen() == f"[{number.name}: left pane 1]"
        assert person.modes_now() == person.modes
        until_size(live, "1", (120, 40))


def test_a_killed_attachment_leaves_the_size_to_the_session(live: LiveServer) -> None:
    with attached(live, "1") as person:
        person.until_shown("$")
        until_size(live, "1", (80, 24))
        person.process.kill()
        person.process.wait()

        until_size(live, "1", (120, 40))


def test_of_two_attachments_the_one_that_types_has_the_size(live: LiveServer) -> None:
    with attached(live, "1", cols=80, rows=24) as one:
        shell_said(live, one, "from one")
        with attached(live, "1", cols=60, rows=20) as two:
            shell_said(live, two, "from two")
            one.until_shown("from two")
            assert size_of(live, "1") == (60, 20)

            shell_said(live, one, "one again")
            until_size(live, "1", (80, 24))
            two.until_shown("one again")
            detach(two)
        assert size_of(live, "1") == (80, 24)
        shell_said(live, one, "still one")
        detach(one)
    until_size(live, "1", (120, 40))


def test_reading_along_neither_types_nor_resizes(live: LiveServer) -> None:
    with attached(live, "1", "--read-only", cols=50, rows=10) as person:
        person.until_shown("$")
        person.press("touch typed\r")
        live.call("pane.run", {"pane": "1", "command": "echo to be se''en; echo 日本語"})
        person.until_shown("日本語")
        assert size_of(live, "1") == (120, 40)
        person.resize(120, 40)
        live.call("pane.run", {"pane": "1", "command": "echo at fu''ll size"})
        person.until_shown("at full size")
        detach(person)

    assert not (live.folder / "typed").exists()


def test_without_resizing_a_small_window_shows_the_part_around_the_cursor(
    live: LiveServer,
) -> None:
    with attached(live, "1", "--no-resize", cols=50, rows=10) as person:
        person.press("seq 1 30; echo do''ne\r")
        person.until_shown("done")
        assert "30" in person.screen().split("\n")
        assert size_of(live, "1") == (120, 40)
        detach(person)


def test_a_reading_token_sees_and_neither_types_nor_resizes(live: LiveServer) -> None:
    made = live.call("uhp.token.create", {"scopes": ["read"], "ttl_s": 600})
    argv = [sys.executable, "-m", "luvus_client.cli.main", "--token-env", "T", "attach", "1"]
    env = {**live.env, "T": made["token"]}
    with Person(argv, env=env, cwd=live.folder) as person:
        person.until_shown("$")
        person.press("touch typed\r")
        live.call("pane.run", {"pane": "1", "command": "echo to be se''en"})
        person.until_shown("to be seen")
        assert size_of(live, "1") == (120, 40)
        detach(person)

    assert not (live.folder / "typed").exists()


def test_the_detach_key_works_during_a_flood(live: LiveServer) -> None:
    with attached(live, "1") as person:
        person.until_shown("$")
        person.press("head -c 50000000 /dev/urandom | base64 -w 76; echo e''nd\r")
        person.until(lambda: len(person.received) > 300_000)
        began = monotonic()
        person.press(DETACH)
        assert person.left() == 0
        took = monotonic() - began

        assert person.screen() == "[detached from pane 1]"
        assert took < 2.0
    live.wait_text("1", "end", timeout_s=15)


def test_the_detach_key_works_while_the_terminal_takes_no_output(live: LiveServer) -> None:
    with attached(live, "1") as person:
        person.until_shown("$")
        person.press("yes\r")
        person.until(lambda: len(person.received) > 10_000)
        live.wait_text("1", "y\ny")
        person.press(DETACH)

        # Nobody reads the terminal here: the program ends all the same.
        assert person.process.wait(timeout=10) == 0


def test_a_server_that_crashes_is_found_again(live: LiveServer) -> None:
    with attached(live, "1") as person:
        shell_said(live, person, "before the crash")
        live.kill()
        person.until_shown("the server is gone")
        person.until(lambda: "the server is gone" not in person.screen(), timeout_s=15)
        assert "before the crash" in person.screen()
        shell_said(live, person, "after the crash")
        until_size(live, "1", (80, 24))
        detach(person)
    until_size(live, "1", (120, 40))


def test_the_detach_key_works_while_the_server_is_gone(live: LiveServer) -> None:
    with attached(live, "1") as person:
        person.until_shown("$")
        os.kill(live.server_pid(), signal.SIGSTOP)
        try:
            person.press("x")
            detach(person)
        finally:
            os.kill(live.server_pid(), signal.SIGCONT)
