from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.luxe_program import ROOT, Program, environment

SEED_CLIENT = ROOT / "tests/support/seed/client.py.txt"


def test_the_client_of_the_protocol_runs_unchanged(tmp_path: Path) -> None:
    script = [
        [["c1", "read", {"path": "README.md"}]],
        [["c2", "bash", {"command": "make test"}], ["c3", "question", {"questions": ["Sure?"]}]],
        "It tests the protocol.",
    ]

    done = subprocess.run(
        [sys.executable, SEED_CLIENT],
        env=environment(tmp_path, script),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=15,
    )

    assert (done.stdout, done.stderr, done.returncode) == (
        "\n[read]\n\n[bash]\n\n[question]\nIt tests the protocol.\n",
        "",
        0,
    )


def test_ready_is_the_first_line_and_every_action_it_names_is_known(tmp_path: Path) -> None:
    with Program(tmp_path, []) as luxe:
        ready = luxe.next()
        for kind in [*ready["content"]["actions"], "nosuch"]:
            if kind != "close":
                luxe.send(kind, {"request_id": "r", "path": 7})
        luxe.send("close")
        rest = luxe.rest()

        assert luxe.process.wait() == 0
    assert ready["kind"] == "ready"
    assert ready["content"]["protocol_version"] == 2
    unknown = [
        f["content"]["kind"] for f in rest if f.get("content", {}).get("code") == "unknown_action"
    ]
    assert unknown == ["nosuch"]


def test_bad_lines_are_answered_once_and_survived(tmp_path: Path) -> None:
    bad = [
        b"not json",
        b"[1]",
        b'{"content":{}}',
        b'{"kind":7}',
        b'{"kind":"set_mode","content":NaN}',
        b"[" * 100 + b"]" * 100,
        b'{"kind":"set_mode","content":' + b"9" * 33 + b"}",
        b'{"kind":"steer_turn","content":{}}',
        b'{"kind":"steer_turn","content":{"text":5}}',
        b'{"kind":"steer_turn"}',
        b"\xff\xfe",
        b'{"kind":"nosuch"}',
    ]

    with Program(tmp_path, ["Fine."]) as luxe:
        luxe.write(b"\xef\xbb\xbf \t\n\r\n" + b"\n".join(bad) + b"\r\n")
        luxe.send("submit_user_message", {"text": "go", "unknown": 1})
        luxe.until("turn_ended")
        luxe.send("close")
        luxe.rest()

    rejected = [json.loads(n)["content"] for n in luxe.lines if b"action_rejected" in n]
    assert [(r["kind"], r["code"]) for r in rejected] == [
        *[(None, "malformed")] * 7,
        ("steer_turn", "missing_field"),
        ("steer_turn", "invalid_field"),
        ("steer_turn", "invalid_field"),
        (None, "malformed"),
        ("nosuch", "unknown_action"),
    ]
    assert rejected[7]["reason"] == "steer_turn: missing field `text`"
    assert rejected[8]["reason"] == "steer_turn: field `text` must be a string"


def test_a_line_over_the_limit_is_answered_once_and_the_next_one_works(tmp_path: Path) -> None:
    with Program(tmp_path, ["Fine."]) as luxe:
        for _ in range(33):
            luxe.write(b"x" * 1024 * 1024)
        luxe.write(b"\n")
        rejected = luxe.until("action_rejected")
        luxe.send("submit_user_message", {"text": "go"})
        end = luxe.until("turn_ended")
        luxe.send("close")
        assert luxe.rest() == []

    assert rejected["code"] == "malformed" and "33554432" in rejected["reason"]
    assert end["reason"] == "end_turn"


def test_line_separators_never_appear_raw(tmp_path: Path) -> None:
    text = "a\u2028b\u2029c\u0085d"

    with Program(tmp_path, [text]) as luxe:
        luxe.send("submit_user_message", {"text": text})
        luxe.until("turn_ended")
        luxe.send("close")
        luxe.rest()

    assert all(line.decode().splitlines() == [line.decode()[:-1]] for line in luxe.lines)
    shown = [json.loads(line) for line in luxe.lines]
    deltas = [f["content"]["delta"] for f in shown if f["kind"] == "token_delta"]
    assert "".join(deltas) == text


def test_the_end_of_input_in_the_middle_of_a_turn_closes_in_order(tmp_path: Path) -> None:
    with Program(tmp_path, ["hang"]) as luxe:
        luxe.send("submit_user_message", {"text": "go"})
        luxe.until("turn_started")
        assert luxe.process.stdin is not None
        luxe.process.stdin.close()
        luxe.process.stdin = None
        rest = luxe.rest()

        assert luxe.process.wait() == 0
    assert [f["kind"] for f in rest][-2:] == ["state_changed", "turn_ended"]
    assert rest[-1]["content"]["reason"] == "cancelled"


def test_a_signal_closes_in_order(tmp_path: Path) -> None:
    with Program(tmp_path, ["hang"]) as luxe:
        luxe.send("submit_user_message", {"text": "go"})
        luxe.until("turn_started")
        luxe.process.send_signal(signal.SIGTERM)
        rest = luxe.rest()

        assert luxe.process.wait() == 0
    assert rest[-1]["kind"] == "turn_ended"


def test_a_client_that_leaves_ends_the_program(tmp_path: Path) -> None:
    with Program(tmp_path, ["Some text."]) as luxe:
        luxe.until("session_usage")
        assert luxe.process.stdout is not None
        luxe.process.stdout.close()
        luxe.process.stdout = None
        luxe.send("submit_user_message", {"text": "go"})

        assert luxe.process.wait(timeout=10) == 0


def _pipe() -> tuple[int, int]:
    return os.pipe()


def _sockets() -> tuple[int, int]:
    """Return what some runtimes give their children instead of pipes."""
    ours, theirs = socket.socketpair()
    return ours.detach(), theirs.detach()


@pytest.mark.parametrize("pair", [_pipe, _sockets], ids=["pipe", "socket"])
def test_a_reader_that_leaves_while_nothing_is_said_ends_the_program(
    tmp_path: Path, pair: Callable[[], tuple[int, int]]
) -> None:
    ours, theirs = pair()
    with (
        subprocess.Popen(
            ["luxe", "--rpc"],
            stdin=subprocess.PIPE,
            stdout=theirs,
            env=environment(tmp_path, []),
            cwd=tmp_path,
        ) as process,
        os.fdopen(ours, "rb") as frames,
    ):
        os.close(theirs)
        while b'"workspace_updated"' not in frames.readline():
            continue
        frames.close()

        assert process.wait(timeout=10) == 0


def test_a_stray_print_goes_to_standard_error(tmp_path: Path) -> None:
    code = (
        "import os,sys\n"
        "from luvus_bridge.descriptors import guard_stdout\n"
        "real = guard_stdout()\n"
        "print('stray', flush=True); os.system('echo child')\n"
        "os.write(real, b'frame\\n')\n"
    )

    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment(tmp_path, []),
        capture_output=True,
        text=True,
    )

    assert (done.stdout, done.stderr) == ("frame\n", "stray\nchild\n")


def test_usage_errors_leave_standard_output_empty(tmp_path: Path) -> None:
    for words, code in (
        (["--rpc", "--on-ask", "deny"], 2),
        (["--rpc", "--yolo", "--read-only"], 2),
        (["--rpc", "-c", "--resume", "abc"], 2),
        (["--rpc", "--permission-mode", "lax"], 2),
        (["--rpc", "--cwd", str(tmp_path / "none")], 3),
        (["--rpc", "--model", "script/none"], 4),
        (["--rpc", "--resume", "0000000000"], 5),
        (["--rpc", "--resume"], 2),
        (["acp", "-c"], 2),
    ):
        done = subprocess.run(
            ["luxe", *words],
            env=environment(tmp_path, []),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        assert (done.stdout, done.returncode) == ("", code), words
        assert "luxe: " in done.stderr


def test_a_killed_session_resumes_with_its_transcript_paired(tmp_path: Path) -> None:
    script = [[["c1", "read", {"tag": "stuck", "hold": True}]]]
    with Program(tmp_path, script) as luxe:
        session_id = luxe.until("ready")["session_id"]
        luxe.send("submit_user_message", {"text": "remember this"})
        luxe.until("tool_progress")
        os.kill(luxe.process.pid, signal.SIGKILL)
        luxe.process.wait()
    path = next((tmp_path / "luxe/sessions").glob("*/*.jsonl"))
    with path.open("ab") as file:
        file.write(b'{"type":"message","mess')

    with Program(tmp_path, ["I do."], "--resume", session_id[:20]) as luxe:
        ready = luxe.until("ready")
        loaded = luxe.until("session_loaded")
        notice = luxe.until("notice")
        luxe.send("submit_user_message", {"text": "do you?"})
        end = luxe.until("turn_ended")
        luxe.send("refresh_sessions")
        listed = luxe.until("sessions_refreshed")["sessions"]
        luxe.send("close")
        luxe.rest()

    assert ready["resumed"] is True and ready["session_id"] == session_id
    assert [m["role"] for m in loaded["messages"]] == ["user", "assistant", "tool"]
    assert loaded["messages"][2]["parts"][0]["status"] == "cancelled"
    assert loaded["repaired"] is True and notice["code"] == "session_repaired"
    assert end["reason"] == "end_turn"
    assert [(s["id"], s["first_message"], s["current"]) for s in listed] == [
        (session_id, "remember this", True)
    ]


def test_a_session_open_elsewhere_is_locked_and_continue_takes_another(tmp_path: Path) -> None:
    with Program(tmp_path, ["One."]) as first:
        session_id = first.until("ready")["session_id"]
        first.send("submit_user_message", {"text": "mine"})
        first.until("turn_ended")
        with Program(tmp_path, [], "-c") as second:
            ready = second.until("ready")
            second.until("session_usage")
            second.send("load_session", session_id)
            rejected = second.until("action_rejected")
            second.send("close")
            second.rest()
        first.send("close")
        first.rest()

    assert ready["resumed"] is False
    assert rejected["code"] == "locked"


def session_in(folder: Path, project: str) -> str:
    with Program(folder, ["One."], "--cwd", str(folder / project)) as luxe:
        session_id = str(luxe.until("ready")["session_id"])
        luxe.send("submit_user_message", {"text": f"in {project}"})
        luxe.until("turn_ended")
        luxe.send("close")
        luxe.rest()
    return session_id


def test_continue_takes_the_newest_session_of_exactly_this_folder(tmp_path: Path) -> None:
    for name in ("project/sub", "other"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "project")
    session_in(tmp_path, "project")
    newest = session_in(tmp_path, "project")
    session_in(tmp_path, "project/sub")

    resumed: list[bool] = []
    ids: list[str] = []
    for name in ("link", "other"):
        with Program(tmp_path, [], "-c", "--cwd", str(tmp_path / name)) as luxe:
            ready = luxe.until("ready")
            if not ready["resumed"]:
                assert luxe.until("notice")["code"] == "nothing_to_continue"
            resumed.append(ready["resumed"])
            ids.append(ready["session_id"])
            luxe.send("close")
            luxe.rest()

    assert resumed == [True, False]
    assert ids[0] == newest


def test_a_session_whose_folder_is_gone_resumes_where_it_is_told_to(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    session_id = session_in(tmp_path, "old")
    (tmp_path / "old").rename(tmp_path / "new")

    with Program(tmp_path, [], "--resume", session_id) as luxe:
        fault = luxe.errors()
        code = luxe.process.wait()
    with Program(
        tmp_path, ["Two."], "--resume", session_id, "--cwd", str(tmp_path / "new")
    ) as luxe:
        ready = luxe.until("ready")
        loaded = luxe.until("session_loaded")
        luxe.send("submit_user_message", {"text": "go on"})
        end = luxe.until("turn_ended")
        luxe.send("close")
        luxe.rest()

    assert code == 3 and "--cwd" in fault
    assert (ready["session_id"], ready["cwd"]) == (session_id, str((tmp_path / "new").resolve()))
    assert [message["role"] for message in loaded["messages"]] == ["user", "assistant"]
    assert end["reason"] == "end_turn"


@pytest.mark.parametrize("again", [["-c", "--cwd", "new"], ["--resume"]])
def test_a_session_that_was_resumed_elsewhere_belongs_there_from_then_on(
    tmp_path: Path, again: list[str]
) -> None:
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
    session_id = session_in(tmp_path, "old")
    new = str((tmp_path / "new").resolve())
    ready: list[tuple[str, str, bool]] = []

    words = [new if word == "new" else word for word in again]
    last = [*words, session_id] if words == ["--resume"] else words
    old = ["-c", "--cwd", str(tmp_path / "old")]
    for way in (["--resume", session_id, "--cwd", new], last, old):
        with Program(tmp_path, [], *way) as luxe:
            body = luxe.until("ready")
            ready.append((body["session_id"], body["cwd"], body["resumed"]))
            luxe.send("close")
            luxe.rest()

    assert ready[:2] == [(session_id, new, True)] * 2
    assert (ready[2][0] != session_id, ready[2][2]) == (True, False)


def test_starting_and_closing_leaves_nothing_behind(tmp_path: Path) -> None:
    with Program(tmp_path, []) as luxe:
        luxe.until("session_usage")
        luxe.send("set_mode", "plan")
        luxe.send("close")
        luxe.rest()

    assert not (tmp_path / "luxe").exists()


def test_the_schema_names_every_action_and_event(tmp_path: Path) -> None:
    done = subprocess.run(
        ["luxe", "--rpc-schema"], env=environment(tmp_path, []), capture_output=True, check=True
    )

    schema = json.loads(done.stdout)

    assert schema["actions"]["set_mode"]["properties"]["content"] == {"type": "string"}
    assert "refresh_sessions" in schema["actions"] and "turn_ended" in schema["events"]
    assert schema["actions"]["cancel"]["required"] == ["kind"]
