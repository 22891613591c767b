"""Integration tests run on the loop that the server runs on."""

from __future__ import annotations

import asyncio

import uvloop


async def test_integration_tests_run_on_uvloop() -> None:
    assert isinstance(asyncio.get_running_loop(), uvloop.Loop)
