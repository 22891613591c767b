"""Who belongs to a terminal."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from luvus_service.adapters.procfs import Stat
from luvus_service.adapters.ptyhost import sessions
from luvus_service.adapters.ptyhost.sessions import Sessions


@dataclass
class Leader:
    pid: int
    alive: bool


def table(*rows: tuple[int, str, int]) -> list[Stat]:
    return [Stat(pid, state, 1, session, 0) for pid, state, session in rows]


def test_the_living_processes_of_the_session_are_its_members(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = table((7, "S", 7), (8, "T", 7), (9, "Z", 7), (10, "R", 1))
    monkeypatch.setattr(sessions, "all_stats", lambda: rows)

    assert Sessions().members(Leader(7, alive=True)) == [7, 8]


def test_what_a_leader_left_behind_are_members(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "all_stats", lambda: table((8, "S", 7)))

    assert Sessions().members(Leader(7, alive=False)) == [8]


def test_a_stranger_who_got_the_number_of_a_dead_leader_is_left_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sessions, "all_stats", lambda: table((7, "S", 7), (8, "S", 7)))

    assert Sessions().members(Leader(7, alive=False)) == []


def test_where_nothing_can_be_seen_only_a_living_leader_is_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sessions, "all_stats", lambda: None)

    seen = [Sessions().members(Leader(7, alive=alive)) for alive in (True, False)]
    assert seen == [[7], []]
