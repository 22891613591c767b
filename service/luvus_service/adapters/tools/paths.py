"""Where written paths lead: home, dots and links resolved, nothing opened."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import Literal

from luvus_service.luxe.domain.permission_units import PathUnit

_ENV_SAMPLES = ("example", "sample", "template", "dist")
_KEY_NAMES = frozenset({"id_rsa", "id_ed25519"})
_KEY_SUFFIXES = (".p12",)
_PEM_BYTES = 4_096
_PEM_SIGN = b"PRIVATE KEY-----"


class ProjectPaths:
    """The file system seen from one project."""

    def __init__(
        self,
        root: str,
        cwd: str,
        *,
        home: str,
        extra: Sequence[str] = (),
        protected: Sequence[str] = (),
        env_allowed: Sequence[str] = (),
    ) -> None:
        """`protected` are absolute folders never written to; `env_allowed` are exact `.env` paths.

        All of them are taken as resolved.
        """
        self._root = os.path.realpath(root)
        self._cwd = os.path.realpath(cwd)
        self._home = home
        self._extra = tuple(os.path.realpath(folder) for folder in extra)
        self._protected = tuple(os.path.realpath(folder) for folder in protected)
        self._env_allowed = frozenset(env_allowed)
        # Our own linked worktrees are projects although they lie in our folder.
        self._is_worktree = any(
            _below(self._root, f"{folder}/worktrees") for folder in self._protected
        )

    @property
    def root(self) -> str:
        """The project's root."""
        return self._root

    @property
    def cwd(self) -> str:
        """The working folder."""
        return self._cwd

    def locate(
        self, written: str, action: Literal["read", "edit"], *, cwd: str | None = None
    ) -> PathUnit:
        """Say where a written path leads."""
        path = written
        for sign in ("~", "$HOME", "${HOME}"):
            if path == sign or path.startswith(sign + "/"):
                path = self._home + path[len(sign) :]
                break
        joined = Path(cwd or self._cwd) / path
        absolute = os.path.normpath(joined)
        # `..` after a link means the link's target: resolve what was written, not its normal form.
        resolved = os.path.realpath(joined)
        relative = _below(resolved, self._root)
        inside = any(_below(resolved, folder) is not None for folder in (self._root, *self._extra))
        return PathUnit(
            action=action,
            written=written,
            relative=relative,
            resolved=resolved,
            inside=inside,
            private=action == "read"
            and (self._is_private(resolved, relative) or self._is_private(absolute, relative)),
            protected=self._is_protected(resolved) or self._is_protected(absolute),
            # Unlike `Path.is_dir`, false for what no file system takes as a name.
            folder=os.path.isdir(resolved),  # noqa: PTH112 - see above
        )

    def _is_private(self, path: str, relative: str | None) -> bool:
        if relative is not None and relative in self._env_allowed:
            return False
        name = PurePath(path).name.lower()
        if name == ".env" or name.startswith(".env."):
            return not name.endswith(_ENV_SAMPLES)
        if name in _KEY_NAMES or name.endswith(_KEY_SUFFIXES):
            return True
        return name.endswith(".pem") and _holds_private_key(path)

    def _is_protected(self, path: str) -> bool:
        inside = _below(path, self._root) if self._is_worktree else None
        parts = PurePath(path if inside is None else inside).parts
        if ".git" in parts or ".luxe" in parts:
            return True
        return inside is None and any(
            _below(path, folder) is not None for folder in self._protected
        )


def _below(path: str, folder: str) -> str | None:
    if path == folder:
        return "."
    prefix = folder.rstrip("/") + "/"
    return path[len(prefix) :] if path.startswith(prefix) else None


def _holds_private_key(path: str) -> bool:
    try:
        # A pipe without a writer must not hold up whoever asks.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        regular = stat.S_ISREG(os.fstat(descriptor).st_mode)
        return regular and _PEM_SIGN in os.read(descriptor, _PEM_BYTES)
    except OSError:
        return False
    finally:
        os.close(descriptor)
