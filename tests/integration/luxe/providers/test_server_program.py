"""The local provider server as a program, the way other agents are pointed at it."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

import httpx

ROOT = Path(__file__).resolve().parents[4]
FOLDERS = ("service", ".")


async def test_the_program_answers_turns_from_its_script_and_the_rest_aside(tmp_path: Path) -> None:
    script, log = tmp_path / "script.json", tmp_path / "log.jsonl"
    script.write_text(json.dumps([{"steps": [{"say": "First."}]}, {"status": 503}]))
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.support.provider_server",
        "--script",
        str(script),
        "--log",
        str(log),
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(str(ROOT / f) for f in FOLDERS)},
    )
    assert process.stdout is not None
    try:
        url = json.loads(await process.stdout.readline())["url"]
        async with httpx.AsyncClient(base_url=url) as client:
            title = await client.post("/v1/chat/completions", json={"model": "m"})
            turn = {"model": "m", "tools": [{"name": "ls"}], "unknown": [1]}
            first = await client.post("/v1/messages?beta=true", json=turn)
            busy = await client.post("/v1/responses", json=turn)
            count = await client.post("/v1/messages/count_tokens", json=turn)
    finally:
        process.kill()
        await process.wait()

    assert title.json()["choices"][0]["message"]["content"] == "A title"
    assert first.json()["content"] == [{"type": "text", "text": "First."}]
    assert busy.status_code == 503
    assert count.json()["input_tokens"] > 0
    asked = [json.loads(line) for line in log.read_text().splitlines()]
    assert [entry["path"] for entry in asked] == [
        "/v1/chat/completions",
        "/v1/messages?beta=true",
        "/v1/responses",
        "/v1/messages/count_tokens",
    ]
