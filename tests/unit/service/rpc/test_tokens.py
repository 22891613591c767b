from __future__ import annotations

import pytest

from luvus_service.rpc.errors import Forbidden, LimitExceeded
from luvus_service.rpc.scopes import OWNER, Scope
from luvus_service.rpc.tokens import TOKENS, Token, Tokens

READ = (Scope.READ,)


class Clock:
    """Time that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 1000.9

    def __call__(self) -> float:
        return self.now


def test_a_token_is_found_by_its_secret_until_it_expires() -> None:
    clock = Clock()
    tokens = Tokens(clock)
    token, secret = tokens.create((Scope.READ, Scope.AGENT), 60, OWNER)

    assert tokens.authenticate(secret) == token
    assert (token.scopes, token.expires_at) == ((Scope.READ, Scope.AGENT), 1060)
    assert token.held() == frozenset({Scope.READ, Scope.AGENT})

    clock.now = 1059.9
    assert tokens.live(token.id)
    clock.now = 1060.0
    assert not tokens.live(token.id)
    assert tokens.list() == ()
    with pytest.raises(Forbidden, match="invalid or expired auth token"):
        tokens.authenticate(secret)


def test_secrets_are_told_apart_and_a_wrong_one_is_refused() -> None:
    tokens = Tokens(Clock())
    first, first_secret = tokens.create(READ, 60, OWNER)
    second, second_secret = tokens.create(READ, 60, OWNER)

    assert tokens.authenticate(first_secret) == first
    assert tokens.authenticate(second_secret) == second
    for wrong in ("", first.id, first_secret[:-1], first_secret + "0"):
        with pytest.raises(Forbidden):
            tokens.authenticate(wrong)


def test_the_secret_is_nowhere_in_what_is_kept() -> None:
    tokens = Tokens(Clock())
    token, secret = tokens.create(READ, 60, OWNER)

    assert secret.removeprefix("luv_tok_") not in repr(tokens.list())
    assert "digest" not in repr(token)
    assert secret.encode() not in token.digest


def test_ids_and_secrets_have_their_form() -> None:
    token, secret = Tokens(Clock()).create(READ, 60, OWNER)

    assert (token.id[:6], len(token.id), secret[:8], len(secret)) == ("token_", 38, "luv_tok_", 40)


def test_a_revoked_token_is_gone_and_cannot_be_revoked_again() -> None:
    tokens = Tokens(Clock())
    token, secret = tokens.create(READ, 60, OWNER)
    kept, _ = tokens.create(READ, 60, OWNER)

    assert tokens.revoke(token.id)
    assert not tokens.revoke(token.id)
    assert tokens.list() == (kept,)
    with pytest.raises(Forbidden):
        tokens.authenticate(secret)


def test_an_expired_token_cannot_be_revoked() -> None:
    clock = Clock()
    tokens = Tokens(clock)
    token, _ = tokens.create(READ, 1, OWNER)

    clock.now += 2

    assert not tokens.revoke(token.id)


@pytest.mark.parametrize(
    ("wanted", "held"),
    [
        ((Scope.AGENT,), {Scope.READ}),
        ((Scope.READ, Scope.ALL), {Scope.READ, Scope.AGENT}),
        ((Scope.READ, Scope.ADMIN), {Scope.READ}),
    ],
)
def test_a_token_cannot_grant_what_it_does_not_hold(
    wanted: tuple[Scope, ...], held: set[Scope]
) -> None:
    tokens = Tokens(Clock())

    with pytest.raises(Forbidden, match=f"does not hold the scope '{wanted[-1].value}' itself"):
        tokens.create(wanted, 60, frozenset(held))

    assert tokens.list() == ()


def test_a_token_can_grant_what_it_holds() -> None:
    tokens = Tokens(Clock())

    token, _ = tokens.create(READ, 60, frozenset({Scope.READ, Scope.AGENT}))

    assert token.scopes == READ


def test_the_number_of_live_tokens_is_limited_and_expiry_makes_room() -> None:
    clock = Clock()
    tokens = Tokens(clock)
    made: list[Token] = [tokens.create(READ, 60, OWNER)[0] for _ in range(TOKENS)]

    with pytest.raises(LimitExceeded, match=f"{TOKENS} tokens are live"):
        tokens.create(READ, 60, OWNER)
    assert tokens.list() == tuple(made)

    clock.now += 60
    token, _ = tokens.create(READ, 60, OWNER)
    assert tokens.list() == (token,)
