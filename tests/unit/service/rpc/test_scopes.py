from __future__ import annotations

from itertools import product

import pytest

from luvus_service.rpc.scopes import OWNER, Access, Scope, covers

AREAS = tuple(scope for scope in Scope if scope is not Scope.ALL)


@pytest.mark.parametrize(("scope", "access"), tuple(product(AREAS, Access)))
def test_the_owner_and_a_token_with_all_may_call_everything(scope: Scope, access: Access) -> None:
    assert covers(OWNER, scope, access)
    assert covers(frozenset({Scope.ALL, Scope.READ}), scope, access)


@pytest.mark.parametrize(("held", "scope", "access"), tuple(product(AREAS, AREAS, Access)))
def test_a_scope_opens_its_own_area_and_read_opens_reading_outside_admin(
    held: Scope, scope: Scope, access: Access
) -> None:
    reading = held is Scope.READ and access is Access.READ and scope is not Scope.ADMIN

    assert covers(frozenset({held}), scope, access) is (held is scope or reading)


@pytest.mark.parametrize(("scope", "access"), tuple(product(AREAS, Access)))
def test_a_token_without_scopes_may_call_nothing(scope: Scope, access: Access) -> None:
    assert not covers(frozenset(), scope, access)


@pytest.mark.parametrize(("scope", "access"), tuple(product(AREAS, Access)))
def test_scopes_add_up(scope: Scope, access: Access) -> None:
    held = frozenset({Scope.READ, Scope.AGENT})

    assert covers(held, scope, access) is (
        covers(frozenset({Scope.READ}), scope, access)
        or covers(frozenset({Scope.AGENT}), scope, access)
    )
