from __future__ import annotations

import pytest

from luvus_service.uhp.domain.agents.errors import AmbiguousTarget
from luvus_service.uhp.domain.agents.targets import Candidate, resolve
from luvus_service.uhp.domain.errors import NotFound

PANES = frozenset({1, 2, 3, 4})
SEATS = (Candidate(2, "claude", "/a"), Candidate(3, "claude", "/b"), Candidate(4, "codex", "/a"))


def find(target: str, *, kinds: bool = True) -> int:
    return resolve(target, {"rev": 2, "codex": 3}, PANES, SEATS, kinds=kinds)


def test_an_alias_comes_before_a_pane_and_a_pane_before_a_kind() -> None:
    assert (find("rev"), find("4"), find("codex")) == (2, 4, 3)
    assert resolve("CODEX", {}, PANES, SEATS) == 4


def test_a_kind_of_several_agents_names_them_all() -> None:
    with pytest.raises(AmbiguousTarget, match="pane 2 in /a, pane 3 in /b"):
        find("claude")


@pytest.mark.parametrize("target", ["9", "nobody", "007", "", "gemini"])
def test_what_nothing_answers_to_is_not_found(target: str) -> None:
    with pytest.raises(NotFound):
        find(target)


def test_kinds_are_not_tried_where_they_do_not_count() -> None:
    with pytest.raises(NotFound) as refused:
        resolve("codex", {}, PANES, SEATS, kinds=False)

    assert refused.value.message == ("no live pane is named 'codex'; give an alias or a pane's id")
