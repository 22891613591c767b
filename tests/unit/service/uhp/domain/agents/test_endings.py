from __future__ import annotations

import pytest

from luvus_service.uhp.domain.agents.endings import failed


@pytest.mark.parametrize(
    ("code", "signal", "agent", "command", "counts"),
    [
        (0, None, True, True, False),
        (1, None, True, False, True),
        (127, None, False, True, True),
        # A plain shell ends with the code of whatever ran in it last.
        (130, None, False, False, False),
        (None, "SIGKILL", False, False, True),
        (None, "SIGHUP", True, True, False),
        (None, None, True, True, False),
    ],
)
def test_a_failure_is_an_end_that_people_should_know_of(
    code: int | None, signal: str | None, agent: bool, command: bool, counts: bool
) -> None:
    assert failed(code, signal, agent=agent, command=command) is counts
