"""`uhp.*`: what the server offers, how it is doing, and who may do how much."""

from __future__ import annotations

from luvus_service.rpc.call import Call
from luvus_service.rpc.declare import family, method
from luvus_service.rpc.errors import Forbidden, LimitExceeded
from luvus_service.rpc.models import NoParams
from luvus_service.rpc.scopes import Access, Scope
from luvus_service.rpc.tokens import Tokens
from luvus_service.uhp.engine.session import Session
from luvus_service.uhp.families.uhp.capabilities import Describe, capabilities
from luvus_service.uhp.families.uhp.examples import EXAMPLES
from luvus_service.uhp.families.uhp.models import (
    Capabilities,
    ConnectionFigures,
    EventFigures,
    RequestFigures,
    Stats,
    TokenCreate,
    TokenCreated,
    TokenList,
    TokenRevoke,
    TokenRevoked,
    TokenRow,
)


@family("uhp", scope=Scope.READ, title="Discovery and tokens", examples=EXAMPLES)
class UhpMethods:
    """Discover what the server offers, watch its figures, and delegate part of its authority."""

    def __init__(self, session: Session, tokens: Tokens, describe: Describe) -> None:
        self._session = session
        self._tokens = tokens
        self._describe = describe

    @method("uhp.capabilities", access=Access.READ, revision=False)
    async def capabilities(self, params: NoParams) -> Capabilities:
        """Describe the protocol, methods, limits and identity rules of this server.

        Discover what is supported here instead of inferring it from a version number.
        """
        return capabilities(self._session, self._describe())

    @method("uhp.stats", access=Access.READ, revision=False)
    async def stats(self, params: NoParams) -> Stats:
        """Return bounded operational figures since the server's start."""
        traffic = self._session.traffic()
        return Stats(
            uptime_ms=self._session.uptime_ms(),
            connections=ConnectionFigures.model_validate(traffic.connections()),
            requests=RequestFigures.model_validate(traffic.requests()),
            events=EventFigures(terminal_streams=self._session.terminal_streams),
        )

    @method(
        "uhp.token.create",
        access=Access.WRITE,
        scope=Scope.ADMIN,
        errors=(Forbidden, LimitExceeded),
        revision=False,
    )
    async def create_token(self, params: TokenCreate, call: Call) -> TokenCreated:
        """Make a short-lived token with fewer rights than the local account.

        The secret is shown this once. Tokens live in the server's memory only, at most 64 of them
        and at most 24 hours each.
        """
        token, secret = self._tokens.create(params.held(), params.ttl_s, call.scopes)
        return TokenCreated(
            id=token.id,
            token=secret,
            scopes=[scope.value for scope in token.scopes],
            expires_at=token.expires_at,
        )

    @method("uhp.token.list", access=Access.READ, scope=Scope.ADMIN, revision=False)
    async def list_tokens(self, params: NoParams) -> TokenList:
        """List the live tokens, without their secrets."""
        rows = [
            TokenRow(id=t.id, scopes=[s.value for s in t.scopes], expires_at=t.expires_at)
            for t in self._tokens.list()
        ]
        return TokenList(tokens=rows)

    @method("uhp.token.revoke", access=Access.WRITE, scope=Scope.ADMIN, revision=False)
    async def revoke_token(self, params: TokenRevoke) -> TokenRevoked:
        """End a token now; streams opened with it end at their next frame."""
        return TokenRevoked(id=params.id, revoked=self._tokens.revoke(params.id))
