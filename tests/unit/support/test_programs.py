"""A missing program skips a test on a developer's machine and fails it in CI."""

from __future__ import annotations

import pytest

from tests.support import programs


def test_only_missing_programs_are_named() -> None:
    assert programs.missing(["sh", "no-such-program"]) == ["no-such-program"]


@pytest.mark.parametrize(
    ("ci", "outcome"), [("", pytest.skip.Exception), ("true", pytest.fail.Exception)]
)
def test_a_missing_program_skips_at_home_and_fails_in_ci(
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    ci: str,
    outcome: type[BaseException],
) -> None:
    monkeypatch.setenv("CI", ci)
    request.node.add_marker(programs.needs("sh", "no-such-program"))

    with pytest.raises(outcome, match="no-such-program not installed"):
        programs.refuse_missing(request.node)
