from __future__ import annotations

from dataclasses import replace

import pytest

from luvus_service.luxe_wiring.kept import CUT, CUT_WAITING, decoded, encoded
from luvus_service.luxe_wiring.rows import RowState
from tests.support.kept_sessions import kept, row

NOW = 5_000


def test_what_is_remembered_is_read_back_as_it_was() -> None:
    assert decoded(encoded(kept())) == kept()


@pytest.mark.parametrize(
    ("state", "back", "error"),
    [
        ("idle", "idle", None),
        ("done", "done", None),
        ("working", "failed", CUT),
        ("blocked", "failed", CUT_WAITING),
    ],
)
def test_nothing_runs_and_nothing_waits_in_the_next_server(
    state: RowState, back: RowState, error: str | None
) -> None:
    found = kept(state=state).back(NOW).row

    assert (found.state, found.error) == (back, error)
    assert found.since_ms == (NOW if error else 1_000)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, ()),
        ({"auto_approve": True}, ("auto-approve",)),
        ({"row": replace(row(), permission_mode="yolo")}, ("yolo",)),
        ({"trusted_once": True, "auto_approve": True}, ("auto-approve", "luxe trust")),
    ],
)
def test_what_was_allowed_to_one_process_is_named(
    change: dict[str, object], said: tuple[str, ...]
) -> None:
    found = replace(kept(), **change).loosened()  # type: ignore[arg-type]

    assert len(found) == len(said)
    assert all(word in text for word, text in zip(said, found, strict=True))
