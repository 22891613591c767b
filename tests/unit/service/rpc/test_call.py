from __future__ import annotations

import asyncio
from contextvars import copy_context
from typing import Any

import pytest

from luvus_service.rpc.call import (
    UNGUARDED,
    Call,
    check_revision,
    expect_revision,
    refuse_revision_on_read,
)
from luvus_service.rpc.errors import RevisionConflict
from luvus_service.rpc.scopes import OWNER, Scope


def expecting(expected: object, actual: int) -> None:
    """Check a revision in a context in which one is expected."""

    def run() -> None:
        expect_revision(expected)
        check_revision(actual)

    copy_context().run(run)


def test_without_a_guard_every_revision_will_do() -> None:
    check_revision(5)
    expecting(UNGUARDED, 5)


def test_the_expected_revision_passes() -> None:
    expecting(0, 0)
    expecting(5, 5)


@pytest.mark.parametrize(
    ("expected", "said"),
    [
        (4, "4"),
        (6, "6"),
        (-5, "-5"),
        (True, "true"),
        (False, "false"),
        (None, "null"),
        ("5", "'5'"),
        (5.0, "5.0"),
        ([], "[]"),
        ({"a": 5}, '{"a": 5}'),
    ],
)
def test_anything_else_is_a_conflict_that_tells_both(expected: Any, said: str) -> None:
    with pytest.raises(RevisionConflict) as refused:
        expecting(expected, 5)

    assert refused.value.body() == {
        "code": "revision_conflict",
        "message": f"the session is at revision 5, not {said}; read it again, then retry",
        "expected": expected,
        "actual": 5,
    }


def test_true_is_not_revision_one() -> None:
    with pytest.raises(RevisionConflict):
        expecting(True, 1)


async def test_a_guard_holds_in_its_own_call_only() -> None:
    async def guarded() -> None:
        expect_revision(1)
        await asyncio.sleep(0)
        with pytest.raises(RevisionConflict):
            check_revision(2)

    async def free() -> None:
        await asyncio.sleep(0)
        check_revision(2)

    async with asyncio.TaskGroup() as group:
        group.create_task(guarded())
        group.create_task(free())


async def test_a_call_is_the_owners_and_its_caller_is_there_until_it_leaves() -> None:
    call = Call()

    assert call.scopes == OWNER
    assert not call.gone.is_set()
    call.gone.set()
    assert call.gone.is_set()
    assert Call(frozenset({Scope.READ})).scopes == frozenset({Scope.READ})


def test_a_guard_on_a_method_that_reads_is_refused_by_name() -> None:
    assert refuse_revision_on_read("toy.show").body() == {
        "code": "invalid_request",
        "message": "toy.show only reads; if_revision guards changes, leave it out",
    }
