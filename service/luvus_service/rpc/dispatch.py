"""Takes a call from any transport to its handler and back.

The order is fixed: the method exists, the caller may call it, the envelope and the parameters fit,
the revision still holds; only then the handler runs. Transports see bytes in and bytes out.
"""

from __future__ import annotations

import json
import logging
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

import orjson
from pydantic import BaseModel, ValidationError

from luvus_service.rpc.call import (
    UNGUARDED,
    Call,
    Stream,
    check_revision,
    expect_revision,
    refuse_revision_on_read,
    require_revision,
)
from luvus_service.rpc.declare import MethodSpec
from luvus_service.rpc.errors import (
    Forbidden,
    Internal,
    InvalidRequest,
    NoSession,
    RevisionConflict,
    RpcError,
    StreamRequired,
)
from luvus_service.rpc.registry import Bound, Registry
from luvus_service.rpc.scopes import OWNER, Access, Scope, covers
from luvus_service.rpc.strict_json import BadJson, loads
from luvus_service.rpc.tokens import Token, Tokens
from luvus_service.rpc.validation import explain

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Envelope:
    """What a transport noticed around the parameters."""

    extra: tuple[str, ...] = ()
    """Unknown keys beside id, method, params and auth."""
    params: Literal["object", "absent", "null", "other"] = "object"


PLAIN = Envelope()


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls: the scopes held, and the token when there is one."""

    scopes: frozenset[Scope] = OWNER
    token: Token | None = None


@dataclass(frozen=True, slots=True)
class Prepared:
    """A call that passed every check and only waits to run."""

    bound: Bound
    params: BaseModel
    caller: Caller
    if_revision: object


class Dispatcher:
    """Checks calls and runs them."""

    def __init__(
        self,
        registry: Registry,
        tokens: Tokens,
        *,
        revision: Callable[[], int],
        admit: Callable[[str], None] = lambda _name: None,
        strict_errors: bool = False,
    ) -> None:
        """`admit` may refuse a method by name in the present state of the service.

        With `strict_errors` an undeclared error is raised instead of answered: for tests.
        """
        self.registry = registry
        self._tokens = tokens
        self._revision = revision
        self._admit = admit
        self._strict = strict_errors

    async def call(
        self,
        name: str,
        params: bytes,
        *,
        auth: str | None = None,
        envelope: Envelope = PLAIN,
        call: Call | None = None,
    ) -> bytes:
        """Run a method and return its result as a JSON object.

        Raises:
            RpcError: Anything that went wrong, ready to be sent.
        """
        spec: MethodSpec | None = None
        try:
            prepared = self.prepare(name, params, auth=auth, envelope=envelope)
            spec = prepared.bound.spec
            if spec.stream:
                raise StreamRequired(f"{name} is a stream; open a WebSocket on the same path")
            return await self._run(prepared, call or Call())
        except RpcError as error:
            self._check_declared(spec, error)
            raise
        except Exception as error:
            raise self._unexpected(name, error) from error

    async def open(self, prepared: Prepared, stream: Stream) -> None:
        """Run a stream until it ends.

        Raises:
            RpcError: It was refused before the acknowledgement.
        """
        try:
            # The guard is for the opening: what the stream does later follows other events.
            require_revision(prepared.if_revision, self._revision())
            await prepared.bound.handler(prepared.params, stream)
        except RpcError as error:
            self._check_declared(prepared.bound.spec, error)
            raise

    def prepare(
        self,
        name: str,
        params: bytes,
        *,
        auth: str | None = None,
        envelope: Envelope = PLAIN,
    ) -> Prepared:
        """Make every check that needs no waiting.

        Raises:
            RpcError: A check failed; nothing has happened.
        """
        bound = self.registry.find(name)
        if bound is None:
            self.identify(auth)
            raise InvalidRequest(f"unknown method {name[:128]!r}")
        caller = self.identify(auth)
        self.authorize(bound.spec, caller)
        fields = _fields(bound.spec, params, envelope)
        guarded = "if_revision" in fields
        expected = fields.pop("if_revision", UNGUARDED)
        if guarded or not fields:
            params = json.dumps(fields).encode()
        if guarded and bound.spec.access is Access.READ:
            raise refuse_revision_on_read(name)
        try:
            model = bound.spec.params.model_validate_json(params)
        except ValidationError as error:
            raise bound.spec.invalid(explain(error, fields)) from error
        self._admit(name)
        return Prepared(bound, model, caller, expected)

    def identify(self, auth: str | None) -> Caller:
        """Return who a token belongs to; without one it is the owner.

        Raises:
            Forbidden: The token is not live.
        """
        if auth is None:
            return Caller()
        token = self._tokens.authenticate(auth)
        return Caller(token.held(), token)

    def authorize(self, spec: MethodSpec, caller: Caller) -> None:
        """Refuse a method that the caller's scopes do not cover.

        Raises:
            Forbidden: They do not.
        """
        if not covers(caller.scopes, spec.scope, spec.access):
            raise Forbidden(
                f"the token's scopes do not cover {spec.name}, which needs {spec.scope.value!r}"
            )

    def still_allowed(self, prepared: Prepared) -> bool:
        """Say whether an open stream's token is still live."""
        token = prepared.caller.token
        return token is None or self._tokens.live(token.id)

    async def _run(self, prepared: Prepared, call: Call) -> bytes:
        spec = prepared.bound.spec
        call.scopes = prepared.caller.scopes
        expect_revision(prepared.if_revision)
        check_revision(self._revision())
        result: BaseModel
        if spec.takes_call:
            result = await prepared.bound.handler(prepared.params, call)
        else:
            result = await prepared.bound.handler(prepared.params)
        body = bytes(type(result).__pydantic_serializer__.to_json(result, by_alias=True))
        if not spec.revision:
            return body
        comma = b"" if body == b"{}" else b","
        return body[:-1] + comma + b'"revision":%d}' % self._revision()

    def _check_declared(self, spec: MethodSpec | None, error: RpcError) -> None:
        if not self._strict or spec is None:
            return
        if not isinstance(error, (*spec.errors, *_ANYWHERE, spec.invalid)):
            raise AssertionError(f"{spec.name} answers undeclared {error.code}") from error

    def _unexpected(self, name: str, error: Exception) -> RpcError:
        if self._strict:
            raise error
        reference = secrets.token_hex(4)
        _log.error("%s failed (reference %s)", name, reference, exc_info=error)
        return Internal(f"{name} failed unexpectedly; see the server's log for {reference}")


_ANYWHERE: tuple[type[RpcError], ...] = (
    InvalidRequest,
    Forbidden,
    Internal,
    RevisionConflict,
    StreamRequired,
    NoSession,
)
"""Errors of the envelope, the token and the guard: any method may answer them."""


def _fields(spec: MethodSpec, params: bytes, envelope: Envelope) -> dict[str, Any]:
    if envelope.extra and not spec.lenient:
        raise InvalidRequest(f"unknown field {envelope.extra[0][:64]!r} beside `params`")
    if envelope.params in {"absent", "null"}:
        return {}
    if envelope.params == "other":
        raise InvalidRequest("`params` must be an object")
    try:
        found: object = loads(params) if params else {}
    except BadJson as error:
        raise InvalidRequest(f"bad json: {error}") from error
    if not isinstance(found, dict):
        raise InvalidRequest("`params` must be an object")
    return cast("dict[str, Any]", found)


def error_bytes(error: RpcError) -> bytes:
    """Return an error as the JSON object that every transport sends."""
    try:
        return orjson.dumps(error.body(), default=_plain)
    except TypeError:
        # A caller's own number of more than 64 bits, repeated in the error.
        return json.dumps(error.body(), default=_plain).encode()


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(cast("Mapping[str, object]", value))
    raise TypeError(f"{type(value).__name__} cannot be sent")
