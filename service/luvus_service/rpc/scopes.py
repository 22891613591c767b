"""Who may call what: the scopes of a delegated token and the access of a method."""

from __future__ import annotations

from enum import StrEnum


class Scope(StrEnum):
    """An area of authority that a token can be limited to."""

    READ = "read"
    WORKSPACE = "workspace"
    AGENT = "agent"
    TERMINAL = "terminal"
    ORCHESTRATION = "orchestration"
    EXTENSIONS = "extensions"
    ADMIN = "admin"
    ALL = "all"


class Access(StrEnum):
    """Whether a method changes anything."""

    READ = "read"
    WRITE = "write"


OWNER: frozenset[Scope] = frozenset({Scope.ALL})
"""What a caller without a token holds: the operating-system account is the boundary."""


def covers(held: frozenset[Scope], scope: Scope, access: Access) -> bool:
    """Say whether the held scopes allow a method of this scope and access.

    `read` opens every read method except those of `admin`.
    """
    if Scope.ALL in held or scope in held:
        return True
    return Scope.READ in held and access is Access.READ and scope is not Scope.ADMIN
