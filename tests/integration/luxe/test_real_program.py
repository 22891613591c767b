"""The whole agent as a program: real tools, real permissions, a provider over a real socket."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import textwrap
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.support.leaks import processes_of
from tests.support.luxe_program import (
    KEY,
    ROOT,
    Program,
    beside,
    of,
    real_environment,
    run_turn,
)
from tests.support.planted_bug import BUG, FIXED, fixing, planted_bug
from tests.support.provider_script import Call, Reply, Say, calls, says
from tests.support.provider_server import ProviderServer, provider_server

SEED_CLIENT = ROOT / "tests/support/seed/client.py.txt"


@pytest.fixture
async def provider() -> AsyncIterator[ProviderServer]:
    async with provider_server() as server:
        yield server


async def test_a_planted_bug_is_found_fixed_and_tested_over_rpc(
    tmp_path: Path, provider: ProviderServer
) -> None:
    root = planted_bug(tmp_path)
    provider.replies.extend(fixing())

    def work() -> list[Any]:
        with Program(tmp_path, [], provider=provider.url) as luxe:
            luxe.until("session_usage")
            frames = run_turn(luxe, "The tests fail. Fix it.")
            luxe.send("close")
            luxe.rest()
            assert luxe.process.wait() == 0
            return frames

    frames = await beside(work)

    assert (root / "stats.py").read_text() == FIXED
    outputs = {item["call_id"]: item for item in of(frames, "tool_completed")}
    assert [outputs[name]["exit_code"] for name in ("c1", "c5")] == [1, 0]
    assert (outputs["c4"]["additions"], outputs["c4"]["deletions"]) == (1, 1)
    asked = of(frames, "permission_requested")
    assert [item["call_id"] for item in asked] == ["c1", "c4", "c5"]
    assert "-    return sum(numbers) / (len(numbers) - 1)" in asked[1]["diff"]
    end = of(frames, "turn_ended")[0]
    assert (end["reason"], end["model_calls"], end["files_changed"]) == ("end_turn", 5, 1)
    assert end["usage"]["cost_usd"] is not None
    assert processes_of(tmp_path) == set()


async def test_always_holds_for_the_session_and_a_rejection_is_obeyed(
    tmp_path: Path, provider: ProviderServer
) -> None:
    root = planted_bug(tmp_path)
    provider.replies.extend(fixing())

    def work() -> list[Any]:
        with Program(tmp_path, [], provider=provider.url) as luxe:
            luxe.until("session_usage")
            frames = run_turn(luxe, "Fix it.", {"bash": "always", "edit": "reject"})
            luxe.send("close")
            luxe.rest()
            return frames

    frames = await beside(work)

    assert (root / "stats.py").read_text() == BUG
    assert [item["call_id"] for item in of(frames, "permission_requested")] == ["c1", "c4"]
    ended = {item["call_id"]: item["status"] for item in of(frames, "tool_ended")}
    assert ended["c4"] == "rejected"


async def test_the_client_of_the_protocol_runs_unchanged_on_a_real_provider(
    tmp_path: Path, provider: ProviderServer
) -> None:
    planted_bug(tmp_path)
    provider.replies.extend([calls(Call("read", {"path": "stats.py"})), says("It computes means.")])

    done = await beside(
        lambda: subprocess.run(
            [sys.executable, SEED_CLIENT],
            env=real_environment(tmp_path, provider.url),
            cwd=tmp_path / "project",
            capture_output=True,
            text=True,
            timeout=15,
        )
    )

    assert (done.stdout, done.stderr, done.returncode) == ("\n[read]\nIt computes means.\n", "", 0)


async def test_killed_in_the_middle_of_a_tool_nothing_is_left_and_it_resumes(
    tmp_path: Path, provider: ProviderServer
) -> None:
    planted_bug(tmp_path)
    provider.replies.append(calls(Call("bash", {"command": "echo begun; sleep 300"}, "c1")))
    provider.replies.append(says("Back again."))

    def work() -> tuple[list[Any], list[Any]]:
        with Program(tmp_path, [], "--yolo", provider=provider.url) as luxe:
            session_id = luxe.until("ready")["session_id"]
            luxe.send("submit_user_message", {"text": "sleep"})
            luxe.until("tool_progress")
            os.kill(luxe.process.pid, signal.SIGKILL)
            luxe.process.wait()
        left = [p for p in processes_of(tmp_path) if p.name() != "luxe"]
        _, alive = psutil.wait_procs(left, timeout=5)
        assert alive == []
        with Program(tmp_path, [], "--resume", session_id, provider=provider.url) as luxe:
            loaded = luxe.until("session_loaded")
            frames = run_turn(luxe, "go on")
            luxe.send("close")
            luxe.rest()
        return loaded["messages"], frames

    messages, frames = await beside(work)

    assert [message["role"] for message in messages] == ["user", "assistant", "tool"]
    assert messages[2]["parts"][0]["status"] == "cancelled"
    assert of(frames, "turn_ended")[0]["reason"] == "end_turn"


async def test_standard_input_closed_in_the_middle_of_a_tool_ends_its_children(
    tmp_path: Path, provider: ProviderServer
) -> None:
    planted_bug(tmp_path)
    command = "trap '' TERM; echo begun; (setsid sleep 300 &) ; sleep 300"
    provider.replies.append(calls(Call("bash", {"command": command}, "c1")))

    def work() -> list[Any]:
        with Program(tmp_path, [], "--yolo", provider=provider.url) as luxe:
            luxe.send("submit_user_message", {"text": "sleep"})
            luxe.until("tool_progress")
            assert luxe.process.stdin is not None
            luxe.process.stdin.close()
            luxe.process.stdin = None
            rest = luxe.rest()
            assert luxe.process.wait(10) == 0
            return rest

    rest = await beside(work)

    assert of(rest, "turn_ended")[0]["reason"] == "cancelled"
    assert of(rest, "tool_ended")[0]["status"] == "cancelled"
    assert processes_of(tmp_path) == set()


async def test_background_jobs_are_shown_keep_a_worktree_and_end_with_the_session(
    tmp_path: Path, provider: ProviderServer
) -> None:
    planted_bug(tmp_path)
    start = {"command": "echo up; sleep 300", "background": True}
    provider.replies.extend(
        [
            calls(Call("bash", start, "c1")),
            says("It runs."),
            calls(Call("bash_kill", {"id": "job_1"}, "c2")),
            calls(Call("bash", start, "c3")),
            says("Another one runs."),
        ]
    )

    def shown(luxe: Program, text: str, *states: str) -> Any:
        run_turn(luxe, text)
        luxe.send("refresh_workspace")
        while True:
            body = luxe.until("workspace_updated")
            if [job["state"] for job in body["background"]] == list(states):
                return body["background"]

    def work() -> Any:
        with Program(tmp_path, [], "--yolo", "--worktree", "w", provider=provider.url) as luxe:
            luxe.until("ready")
            (job,) = shown(luxe, "start it", "running")
            luxe.send("check_worktree_removal")
            checked = luxe.until("worktree_removal_checked")
            shown(luxe, "end it and start it again", "ended", "running")
            luxe.send("close")
            luxe.rest()
            assert luxe.process.wait(10) == 0
            return job, checked

    job, checked = await beside(work)

    assert {**job, "started_at": ""} == {
        "id": "job_1",
        "title": "echo up; sleep 300",
        "state": "running",
        "started_at": "",
    }
    assert (checked["removable"], checked["processes"]) == (False, 1)
    assert processes_of(tmp_path) == set()


async def test_no_secret_is_in_arguments_events_logs_children_or_the_session(
    tmp_path: Path, provider: ProviderServer
) -> None:
    planted_bug(tmp_path)
    show = "env; cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' '"
    provider.replies.extend(
        [
            calls(Call("bash", {"command": show}, "c1")),
            Reply(status=401, error=("authentication_error", f"invalid x-api-key {KEY}")),
        ]
    )
    log = tmp_path / "luxe.log"

    def work() -> str:
        words = ("--yolo", "--log-level", "debug", "--log-file", str(log))
        with Program(tmp_path, [], *words, provider=provider.url) as luxe:
            command_line = Path(f"/proc/{luxe.process.pid}/cmdline").read_bytes().decode()
            frames = run_turn(luxe, "show")
            luxe.send("close")
            luxe.rest()
            return command_line + json.dumps(frames) + luxe.errors()

    seen = await beside(work)
    stored = "".join(path.read_text() for path in (tmp_path / "luxe").rglob("*.jsonl"))

    assert "LUXE_HOME" in seen
    assert '"code": "auth"' in seen
    assert log.stat().st_mode & 0o777 == 0o600
    assert KEY not in seen + stored + log.read_text()


async def test_a_named_worktree_holds_the_session_and_its_work(
    tmp_path: Path, provider: ProviderServer
) -> None:
    root = planted_bug(tmp_path)
    provider.replies.extend(
        [calls(Call("write", {"path": "new.txt", "content": "new\n"}, "c1")), says("Done.")]
    )

    def work() -> Any:
        words = ("--yolo", "--worktree", "side")
        with Program(tmp_path, [], *words, provider=provider.url) as luxe:
            ready = luxe.until("ready")
            run_turn(luxe, "write it")
            luxe.send("check_worktree_removal")
            checked = luxe.until("worktree_removal_checked")
            luxe.send("close")
            luxe.rest()
        written = (Path(ready["cwd"]) / "new.txt").read_text()
        shutil.rmtree(ready["cwd"])
        resumed = ("--resume", str(ready["session_id"]))
        with Program(tmp_path, [], *resumed, provider=provider.url) as luxe:
            again = luxe.until("ready")
            luxe.send("close")
            luxe.rest()
        return ready, checked, written, again

    ready, checked, written, again = await beside(work)

    assert ready["worktree"]["branch"] == "luxe/side"
    assert written == "new\n"
    assert (again["cwd"], again["worktree"]) == (ready["cwd"], ready["worktree"])
    assert (Path(again["cwd"]) / "stats.py").exists()
    assert not (root / "new.txt").exists()
    assert (checked["removable"], checked["untracked"]) == (False, ["new.txt"])


async def test_project_configuration_counts_only_while_it_is_as_it_was_trusted(
    tmp_path: Path, provider: ProviderServer
) -> None:
    root = planted_bug(tmp_path)
    (root / ".luxe").mkdir()
    rules = root / ".luxe/permissions.toml"
    rules.write_text(
        textwrap.dedent("""\
        [[rule]]
        action = "allow"
        tool = "bash"
        pattern = "make *"
        """)
    )
    provider.replies.extend(
        reply for _ in range(3) for reply in (calls(Call("bash", {"command": "make x"})), says("."))
    )
    env = real_environment(tmp_path, provider.url)

    def asked() -> int:
        with Program(tmp_path, [], provider=provider.url) as luxe:
            frames = run_turn(luxe, "make x")
            luxe.send("close")
            luxe.rest()
            return len(of(frames, "permission_requested"))

    before = await beside(asked)
    subprocess.run(["luxe", "trust"], env=env, cwd=root, check=True, capture_output=True)
    trusted = await beside(asked)
    rules.write_text(rules.read_text() + "# changed\n")
    changed = await beside(asked)

    assert (before, trusted, changed) == (1, 0, 1)


async def test_instructions_of_the_user_and_the_project_reach_the_model(
    tmp_path: Path, provider: ProviderServer
) -> None:
    root = planted_bug(tmp_path)
    (tmp_path / "luxe").mkdir()
    (tmp_path / "luxe/AGENTS.md").write_text("User's own word.")
    (root / "CLAUDE.md").write_text("The project's word.")
    provider.replies.append(Reply((Say("Read."),)))

    def work() -> None:
        with Program(tmp_path, [], provider=provider.url) as luxe:
            run_turn(luxe, "hi")
            luxe.send("close")
            luxe.rest()

    await beside(work)

    system = json.dumps(provider.asked[-1].json["system"])
    assert system.index("User's own word.") < system.index("The project's word.")
