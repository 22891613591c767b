from __future__ import annotations

import pytest

from luvus_service.uhp.domain.agents.titles import LENGTH, session_title


@pytest.mark.parametrize(
    ("raw", "title"),
    [
        (None, None),
        ("", None),
        ("  ", None),
        ("⠋", None),
        ("✳ Fix the login", "Fix the login"),
        ("⠙ Fix the login", "Fix the login"),
        ("✻ [2] π - api", "[2] π - api"),
        ("me@host: ~/work", None),
        ("me@host.example:/work", None),
        ("root@box", None),
        ("~/work/api", None),
        ("/usr/bin", None),
        ("mail me@host about it", "mail me@host about it"),
        ("数える", "数える"),
        ("x" * 500, "x" * (LENGTH - 1) + "…"),
    ],
)
def test_a_title_is_what_an_agent_says_that_it_is_about(raw: str | None, title: str | None) -> None:
    assert session_title(raw) == title
