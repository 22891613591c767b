"""What the end of a server means."""

from __future__ import annotations

import dataclasses

import pytest

from luvus_service.adapters.ptyhost.supervise import Backoff, ServerEnd, Verdict, judge

CALM = ServerEnd(
    code=0,
    signal=None,
    was_ready=True,
    ever_ready=True,
    starts=1,
    keeps_terminals=True,
    stopping=False,
    restart_asked=False,
)


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ({}, "stop"),
        ({"code": 75}, "again"),
        ({"code": 75, "was_ready": False}, "later"),
        ({"code": 0, "restart_asked": True}, "again"),
        ({"code": 1}, "later"),
        ({"code": 1, "was_ready": False}, "fail"),
        ({"code": 1, "was_ready": False, "stopping": True}, "stop"),
        ({"code": None, "signal": "SIGSEGV"}, "later"),
        ({"code": None, "signal": "SIGKILL", "stopping": True}, "stop"),
        ({"code": None, "signal": "SIGSEGV", "was_ready": False, "starts": 9}, "later"),
        (
            {
                "code": None,
                "signal": "SIGSEGV",
                "was_ready": False,
                "ever_ready": False,
                "keeps_terminals": False,
                "starts": 3,
            },
            "fail",
        ),
    ],
)
def test_the_verdict_follows_from_how_the_server_ended(
    changes: dict[str, object], verdict: Verdict
) -> None:
    assert judge(dataclasses.replace(CALM, **changes)) == verdict  # type: ignore[arg-type]


def test_the_pause_doubles_up_to_ten_seconds_and_is_short_after_a_steady_life() -> None:
    backoff = Backoff()

    pauses = [backoff.pause(1.0) for _ in range(9)]

    assert pauses == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10.0, 10.0]
    assert backoff.pause(30.0) == 0.1
