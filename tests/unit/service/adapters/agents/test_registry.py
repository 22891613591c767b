from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from luvus_service.adapters.agents import reading
from luvus_service.adapters.agents.base import Adapter
from luvus_service.adapters.agents.registry import adapters
from luvus_service.uhp.domain.agents.stores import StoredSession, Usage

WORK = "/work/app"


def adapter(home: Path, name: str) -> Adapter:
    """Return an agent's adapter for a user's home."""
    return next(a for a in adapters({"HOME": str(home)}) if a.id == name)


def lines(path: Path, *records: Any, broken: str = "") -> None:
    """Write JSON lines, perhaps with a half-written one at the end."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records) + broken)


def claude(home: Path) -> None:
    used = {"input_tokens": 3, "output_tokens": 5, "cache_read_input_tokens": 7}
    message = {"id": "m1", "model": "opus", "usage": {**used, "cache_creation_input_tokens": 11}}
    lines(
        home / ".claude/projects/-work-app/s-1.jsonl",
        {"type": "summary"},
        {"cwd": WORK},
        {"message": {**message, "usage": {**used, "output_tokens": 1}}},
        {"message": message},
        {"message": {**message, "id": "m2"}},
        {"message": {"role": "user", "content": "hi"}},
        [1, 2],
        broken='{"message": {"id": "m3", "usa',
    )


def codex(home: Path) -> None:
    def counted(total: int) -> dict[str, Any]:
        used = {"input_tokens": total, "cached_input_tokens": 40, "output_tokens": 9}
        info = {"total_token_usage": used, "last_token_usage": {"input_tokens": 60}}
        return {"type": "event_msg", "payload": {"type": "token_count", "info": info}}

    lines(
        home / ".codex/sessions/2026/01/02/rollout-x.jsonl",
        {"type": "session_meta", "payload": {"id": "s-1", "cwd": WORK}},
        {"type": "turn_context", "payload": {"model": "gpt-5"}},
        counted(70),
        counted(100),
        {"type": "event_msg", "payload": {"type": "token_count", "info": None}},
    )


def gemini(home: Path, folder: str = ".gemini") -> None:
    project = home / folder / "tmp" / "abc"
    tokens = {"input": 100, "output": 5, "cached": 60, "thoughts": 2, "total": 107}
    answer = {"id": "1", "type": "gemini", "model": "gemini-2.5-pro", "tokens": tokens}
    chat = {"sessionId": "s-1", "messages": [{"type": "user"}, answer, answer]}
    (project / "chats").mkdir(parents=True)
    (project / ".project_root").write_text(WORK + "\n")
    (project / "chats" / "session-1.json").write_text(json.dumps(chat))


def pi(home: Path) -> None:
    used = {"input": 3, "output": 5, "cacheRead": 7, "cacheWrite": 11, "cost": {"total": 0.25}}
    answer = {"type": "message", "id": "a", "message": {"model": "m", "usage": used}}
    lines(
        home / ".pi/agent/sessions/--work-app--/s-1.jsonl",
        {"type": "session", "id": "s-1", "cwd": WORK},
        answer,
        answer,
        {**answer, "id": "b"},
    )


def copilot(home: Path) -> None:
    folder = home / ".copilot/session-state/s-1"
    used = {"inputTokens": 100, "outputTokens": 5, "cacheReadTokens": 60, "cacheWriteTokens": 1}
    lines(
        folder / "events.jsonl",
        {"type": "session.start"},
        {"type": "session.shutdown", "data": {"modelMetrics": {"gpt-5": {"usage": used}}}},
    )
    (folder / "workspace.yaml").write_text(f'id: s-1\ncwd: "{WORK}"\n')


def kimi(home: Path) -> None:
    folder = home / "kimi-sessions/s-1"
    lines(
        home / ".kimi-code/session_index.jsonl",
        {"sessionId": "s-1", "sessionDir": str(folder), "workDir": WORK},
    )
    used = {"input_other": 3, "output": 5, "input_cache_read": 7, "input_cache_creation": 11}
    status = {"message": {"payload": {"token_usage": used, "message_id": "m1"}}}
    lines(folder / "agents/main/wire.jsonl", status, status)


def grok(home: Path) -> None:
    used = {"inputTokens": 100, "outputTokens": 5, "cachedReadTokens": 60, "costUsdTicks": 2.5e9}
    update = {"params": {"update": {"usage": used, "model": "grok-4"}}}
    lines(home / ".grok/sessions/%2Fwork%2Fapp/s-1/updates.jsonl", update, update)
    lines(home / ".grok/sessions/%2Fwork%2Fapp/subagents/updates.jsonl", update)


def opencode(home: Path) -> None:
    path = home / ".local/share/opencode/opencode.db"
    path.parent.mkdir(parents=True)
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE session (id TEXT, directory TEXT, time_updated INTEGER)")
        database.execute("CREATE TABLE message (id TEXT, session_id TEXT, data TEXT)")
        database.execute("INSERT INTO session VALUES ('s-1', ?, 1788330000000)", (WORK,))
        tokens = {"input": 3, "output": 5, "reasoning": 2, "cache": {"read": 7, "write": 11}}
        answer = {"role": "assistant", "modelID": "m", "cost": 0, "tokens": tokens}
        rows = [("m1", json.dumps(answer)), ("m2", json.dumps({"role": "user"})), ("m3", "{")]
        for name, data in rows:
            database.execute("INSERT INTO message VALUES (?, 's-1', ?)", (name, data))
        database.commit()


def luxe(home: Path) -> None:
    call = {"type": "usage", "id": "u1", "model": "m", "prompt_tokens": 3, "completion_tokens": 5}
    lines(
        home / ".local/share/luxe/sessions/app-123/s-1.jsonl",
        {"type": "session", "version": 1, "id": "s-1", "cwd": WORK},
        {**call, "cost_usd": 0.5},
        {**call, "cost_usd": 0.5},
    )


STORES = {
    "claude": (claude, Usage("opus", 6, 10, 14, 22, None, 21)),
    "codex": (codex, Usage("gpt-5", 60, 9, 40, 0, None, 60)),
    "gemini": (gemini, Usage("gemini-2.5-pro", 40, 7, 60, 0, None, 100)),
    "qwen": (lambda home: gemini(home, ".qwen"), Usage("gemini-2.5-pro", 40, 7, 60, 0, None, 100)),
    "pi": (pi, Usage("m", 6, 10, 14, 22, 0.5, 21)),
    "copilot": (copilot, Usage("gpt-5", 40, 5, 60, 1)),
    "kimi": (kimi, Usage("", 3, 5, 7, 11, None, 21)),
    "grok": (grok, Usage("grok-4", 40, 5, 60, 0, 0.25)),
    "opencode": (opencode, Usage("m", 3, 7, 7, 11, None, 21)),
    "luxe": (luxe, Usage("m", 3, 5, 0, 0, 0.5)),
}


@pytest.mark.parametrize("name", STORES)
def test_a_session_is_found_and_each_of_its_tokens_counts_once(tmp_path: Path, name: str) -> None:
    write, used = STORES[name]
    write(tmp_path)

    (found,) = adapter(tmp_path, name).sessions(12)

    assert (found.agent, found.session_id, found.cwd) == (name, "s-1", WORK)
    assert found.updated > 0
    assert adapter(tmp_path, name).usage(found) == used


@pytest.mark.parametrize("name", STORES)
def test_a_session_known_by_its_id_alone_has_its_usage_too(tmp_path: Path, name: str) -> None:
    write, used = STORES[name]
    write(tmp_path)

    assert adapter(tmp_path, name).usage(StoredSession(name, "s-1", WORK, 0)) == used


@pytest.mark.parametrize("adapter_of", adapters({"HOME": "/nowhere"}), ids=lambda a: str(a.id))
def test_without_a_store_there_are_no_sessions_and_no_usage(adapter_of: Adapter) -> None:
    assert list(adapter_of.sessions(12)) == []
    assert adapter_of.usage(StoredSession(adapter_of.id, "x", WORK, 0)) is None


@pytest.mark.parametrize(
    "junk", [b"", b"\xff\xfe\x00", b"{", b"[]", b"null", b"{}" * 9, b"[" * 99_999]
)
@pytest.mark.parametrize("name", STORES)
def test_a_store_that_is_junk_is_as_good_as_empty(tmp_path: Path, name: str, junk: bytes) -> None:
    write, _ = STORES[name]
    write(tmp_path)
    for path in [p for p in tmp_path.rglob("*") if p.is_file()]:
        path.write_bytes(junk)
    found = adapter(tmp_path, name)

    # The folders of grok's store say by their names what others write into files.
    assert [s.session_id for s in found.sessions(12)] == (["s-1"] if name == "grok" else [])
    assert found.usage(StoredSession(name, "s-1", WORK, 0)) is None


def test_a_file_of_another_user_or_kind_is_not_read(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_text("{}")
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    if os.geteuid() == 0:
        os.chown(other, 12345, 12345)
        assert reading.owned(other) is None
    assert reading.owned(fifo) is None
    assert reading.owned(tmp_path) is None
    assert list(reading.records(fifo)) == []


def test_a_long_line_is_skipped_and_the_next_one_read(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'{"a": 1}\n{"long": "' + b"x" * (20 * 1024 * 1024) + b'"}\n{"b": 2}\n')

    assert list(reading.records(path)) == [{"a": 1}, {"b": 2}]


def test_usage_is_read_again_only_when_the_file_has_changed(tmp_path: Path) -> None:
    pi(tmp_path)
    found = adapter(tmp_path, "pi")
    (session,) = found.sessions(12)
    first = found.usage(session)
    path = Path(session.path)
    stamp = path.stat()
    path.write_bytes(b"x" * stamp.st_size)
    os.utime(path, ns=(stamp.st_mtime_ns, stamp.st_mtime_ns))

    assert found.usage(session) is first
    path.write_text("")
    assert found.usage(session) is None


@pytest.mark.parametrize(
    ("variable", "name", "where"),
    [
        ("CLAUDE_CONFIG_DIR", "claude", "projects/-work-app"),
        ("PI_CODING_AGENT_SESSION_DIR", "pi", "x"),
    ],
)
def test_an_agents_own_variable_moves_its_store(
    tmp_path: Path, variable: str, name: str, where: str
) -> None:
    record = {"type": "session", "id": "s-1", "cwd": WORK}
    lines(tmp_path / "own" / where / "s-1.jsonl", record)
    env = {"HOME": str(tmp_path), variable: str(tmp_path / "own")}
    found = next(a for a in adapters(env) if a.id == name)

    assert [s.session_id for s in found.sessions(12)] == ["s-1"]


def test_the_commands_that_fork_are_those_of_the_agents_themselves() -> None:
    forks = {a.id: " ".join(a.fork) for a in adapters({}) if a.fork}

    assert {name: forks[name] for name in ("claude", "codex", "opencode", "pi")} == {
        "claude": "claude --resume {id} --fork-session",
        "codex": "codex fork {id}",
        "opencode": "opencode --session {id} --fork",
        "pi": "pi --fork {id}",
    }


def test_every_adapter_has_a_manifest_that_knows_it() -> None:
    from luvus_service.adapters.agents.manifest_files import ManifestFiles

    known = ManifestFiles(Path("/nowhere")).load().registry.agents

    assert [a.id for a in adapters({}) if a.id not in known] == []
