"""Which errors a method may answer: those it declares and those of the way to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from luvus_service.codegen.jsonschema import takes_guard
from luvus_service.rpc.declare import MethodSpec
from luvus_service.rpc.errors import (
    Forbidden,
    FrameTooLarge,
    Internal,
    InvalidRequest,
    NoSession,
    RevisionConflict,
    RpcError,
    StreamRequired,
    error_class,
)
from luvus_service.rpc.registry import Catalogue

COMMON: tuple[type[RpcError], ...] = (
    InvalidRequest,
    Forbidden,
    FrameTooLarge,
    NoSession,
    Internal,
)
"""Errors that any method may answer."""


def own_errors(spec: MethodSpec) -> tuple[type[RpcError], ...]:
    """Return what the method itself declares, in its order, and the guard's refusal."""
    found = [*spec.errors, spec.invalid]
    if takes_guard(spec):
        found.append(RevisionConflict)
    return _by_code(found)


def all_errors(spec: MethodSpec) -> tuple[type[RpcError], ...]:
    """Return everything that a caller of the method may be answered."""
    return _by_code([*own_errors(spec), *COMMON])


def _by_code(errors: Iterable[type[RpcError]]) -> tuple[type[RpcError], ...]:
    # A class without a code of its own is a special case of the one that the code belongs to.
    return tuple(dict.fromkeys(error_class(error.code) or error for error in errors))


def catalogue_errors(catalogue: Catalogue) -> dict[str, type[RpcError]]:
    """Return every error of the product by code, sorted."""
    return {error.code: error for error in sorted(_errors(catalogue), key=lambda e: e.code)}


def _errors(catalogue: Catalogue) -> Iterator[type[RpcError]]:
    yield from COMMON
    yield from (RevisionConflict, StreamRequired)
    for spec in catalogue.methods.values():
        yield from own_errors(spec)
