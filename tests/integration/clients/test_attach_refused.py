"""What `luvus attach` refuses, and how it leaves the person's own screen alone."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.live import LiveServer
from tests.support.person import attached

DETACH = "\x1c"


def test_a_pane_cannot_be_shown_in_itself(live: LiveServer) -> None:
    command = (
        f"PYTHONPATH={live.env['PYTHONPATH']} {sys.executable} -m luvus_client.cli.main attach"
    )
    live.call("pane.run", {"pane": "1", "command": f"{command}; echo sta''tus $?"})
    live.wait_text("1", "status 2")

    shown = live.call("pane.read", {"pane": "1"})["text"]
    assert "this is pane 1: showing a pane in itself would never end" in shown


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["99"], "no such pane: 99"),
        (["x"], "'x' is no pane"),
        (["--fast"], "there is no option --fast"),
        (["1", "--detach-key"], "needs a key"),
        (["1", "--detach-key", "q"], "'q' is no detach key"),
    ],
)
def test_what_cannot_be_attached_is_refused_and_the_screen_left_alone(
    served: LiveServer, words: list[str], says: str
) -> None:
    with attached(served, *words, cols=200) as person:
        assert person.left() in (1, 2)

        assert says in person.screen()
        assert b"\x1b[?1049h" not in person.received


def test_without_a_terminal_it_says_so(served: LiveServer) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "luvus_client.cli.main", "attach", "1"],
        env=served.env,
        cwd=served.folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=15,
    )

    assert (done.returncode, done.stderr) == (
        2,
        "luvus: attach needs a terminal, and standard input is none\n",
    )


def test_what_comes_with_the_answer_is_not_written_to_the_persons_own_screen(
    short_tmp: Path,
) -> None:
    started = {"type": "view_started", "pane": "1", "terminal_id": "0" * 32, "writable": True}
    data = {"text": "a picture", "end": 9, "cols": 80, "rows": 24}
    said = ({"id": "1", "result": started}, {"event": "view.snapshot", "data": data})
    live = LiveServer(short_tmp)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
        listening.bind(str(live.socket))
        live.socket.chmod(0o600)
        listening.listen()
        with attached(live, "1", "--no-resize") as person:
            server, _ = listening.accept()
            with server:
                server.recv(65536)
                server.sendall(b"".join(json.dumps(line).encode() + b"\n" for line in said))
                person.until_shown("a picture")
                assert person.received.startswith(b"\x1b[22;0t\x1b[?1049h")
                person.press(DETACH)
                assert person.left() == 0

            assert person.screen() == "[detached from pane 1]"
