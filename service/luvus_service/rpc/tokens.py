"""Delegated tokens: short-lived credentials with fewer rights than the account itself.

They live in this process's memory only. The secret is shown once and never logged; only its
digest is kept.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field

from luvus_service.rpc.errors import Forbidden, LimitExceeded
from luvus_service.rpc.scopes import Scope

TOKENS = 64
"""Live tokens of one server."""
LONGEST_S = 86_400


@dataclass(frozen=True, slots=True)
class Token:
    """What is kept of a token."""

    id: str
    scopes: tuple[Scope, ...]
    expires_at: int
    """Unix seconds."""
    digest: bytes = field(repr=False)

    def held(self) -> frozenset[Scope]:
        """Return the scopes as a set."""
        return frozenset(self.scopes)


class Tokens:
    """The live tokens of this server."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._tokens: dict[str, Token] = {}

    def create(
        self, scopes: tuple[Scope, ...], ttl_s: int, granted_by: frozenset[Scope]
    ) -> tuple[Token, str]:
        """Make a token and return it with its secret.

        Raises:
            Forbidden: The caller holds a token that lacks one of the scopes.
            LimitExceeded: `TOKENS` are live.
        """
        self._purge()
        lacking = [s for s in scopes if s not in granted_by and Scope.ALL not in granted_by]
        if lacking:
            raise Forbidden(f"your token does not hold the scope {lacking[0].value!r} itself")
        if len(self._tokens) >= TOKENS:
            raise LimitExceeded(f"{TOKENS} tokens are live; revoke one or wait until one expires")
        secret = "luv_tok_" + secrets.token_hex(16)
        token = Token(
            id="token_" + secrets.token_hex(16),
            scopes=scopes,
            expires_at=int(self._now()) + ttl_s,
            digest=_digest(secret),
        )
        self._tokens[token.id] = token
        return token, secret

    def authenticate(self, secret: str) -> Token:
        """Return the live token with this secret.

        Raises:
            Forbidden: There is none.
        """
        self._purge()
        digest = _digest(secret)
        for token in self._tokens.values():
            if secrets.compare_digest(token.digest, digest):
                return token
        raise Forbidden("invalid or expired auth token")

    def live(self, token_id: str) -> bool:
        """Say whether the token is neither expired nor revoked."""
        self._purge()
        return token_id in self._tokens

    def list(self) -> tuple[Token, ...]:
        """Return the live tokens, oldest first."""
        self._purge()
        return tuple(self._tokens.values())

    def revoke(self, token_id: str) -> bool:
        """End a token now; False when no live one has this id."""
        self._purge()
        return self._tokens.pop(token_id, None) is not None

    def _purge(self) -> None:
        now = self._now()
        for token in [t for t in self._tokens.values() if t.expires_at <= now]:
            del self._tokens[token.id]


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode()).digest()
