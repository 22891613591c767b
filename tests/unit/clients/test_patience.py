from __future__ import annotations

import pytest

from luvus_client.patience import patience


@pytest.mark.parametrize(
    ("method", "params", "seconds"),
    [
        ("ping", {}, 30),
        ("events.wait", {}, 3630),
        ("events.wait", {"timeout_s": 5}, 35),
        ("terminal.backend.wait_change", {"timeout_ms": 500}, 30.5),
        ("wait.output", {"timeout_s": 1e9}, 3630),
        ("wait.output", {"timeout_s": -1}, 30),
        ("ping", {"timeout_s": True}, 30),
    ],
)
def test_the_answer_may_take_the_wait_that_was_asked_for(
    method: str, params: dict[str, object], seconds: float
) -> None:
    assert patience(method, params, 30) == seconds
