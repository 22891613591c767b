"""Credentials: where they are read from, and keeping them out of every text.

A key comes from the environment or from a file that only its owner can read; it is read anew for
each call and never stored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from luvus_service.adapters.providers.owned_file import read_owned

KEY_BYTES: Final = 16 * 1024
"""A larger key file is none."""

_KEY: Final = re.compile(r"[\x21-\x7e]+")
_LIKE_A_KEY: Final = re.compile(
    r"\b(?:sk|pk|rk|gsk|xai|key|AIza|ghp|hf)[-_]?[A-Za-z0-9*_-]{12,}|(?i:bearer)\s+[^\s\"',;]{8,}"
)
HIDDEN: Final = "[hidden]"


class KeyFault(Exception):
    """A credential cannot be used; the text says where it is and what to do, not what it is."""


@dataclass(frozen=True, slots=True)
class Secret:
    """A credential and how it is sent."""

    value: str
    bearer: bool = False

    def __repr__(self) -> str:
        return f"Secret({HIDDEN})"


@dataclass(frozen=True, slots=True)
class KeySource:
    """Where the credential of one provider comes from."""

    environment: Mapping[str, str]
    variables: tuple[str, ...] = ()
    bearer_variables: tuple[str, ...] = ()
    """Variables whose value is sent as a bearer token in every format."""
    file: Path | None = None
    required: bool = True

    def __repr__(self) -> str:
        return f"KeySource({self.variables}, {self.file})"

    def missing(self) -> str | None:
        """Return the variable to set, or None when there is a credential or none is needed."""
        if not self.required or self._set() is not None:
            return None
        if self.file is not None and self.file.exists():
            return None
        names = (*self.variables, *self.bearer_variables)
        return names[0] if names else str(self.file)

    def read(self) -> Secret | None:
        """Return the credential, None when there is none.

        Raises:
            KeyFault: It is malformed, or others can read its file.
        """
        name = self._set()
        if name is not None:
            value = _checked(self.environment[name], f"the variable {name}")
            return Secret(value, name in self.bearer_variables)
        if self.file is None:
            return None
        text = _read_private(self.file)
        return None if text is None else Secret(_checked(text, f"the file {self.file}"))

    def _set(self) -> str | None:
        names = (*self.variables, *self.bearer_variables)
        return next((n for n in names if self.environment.get(n, "").strip()), None)


def hidden(text: str, secrets: Iterable[str]) -> str:
    """Return a text without these secrets and without anything that looks like a key."""
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    return _LIKE_A_KEY.sub(HIDDEN, text)


def _checked(text: str, place: str) -> str:
    value = text.strip()
    if not _KEY.fullmatch(value):
        raise KeyFault(f"{place} holds no key: a key is one line of printable letters")
    return value


def _read_private(path: Path) -> str | None:
    """Return a file's text, None when there is no file."""
    remedy = "others can read it; run chmod 600 on it"
    try:
        raw = read_owned(path, limit=KEY_BYTES, forbidden=0o077, remedy=remedy)
    except OSError as error:
        raise KeyFault(f"the key file {path} is refused: {error}") from error
    return None if raw is None else raw.decode("utf-8", "replace")
