"""Where a delegated token comes from: the caller, a private file, or a named variable.

Never from the words of a command line, which every process of the machine can read.
"""

from __future__ import annotations

import os
import re
import stat
from typing import TYPE_CHECKING

from luvus_client.errors import BadCredential

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

TOKEN_FILE_LIMIT = 4096
_TOKEN = re.compile(r"[\x21-\x7e]{1,256}")


def check_token(token: str) -> str:
    """Return the token if a request may carry it.

    Raises:
        BadCredential: It is not 1 to 256 printable ASCII characters.
    """
    if _TOKEN.fullmatch(token) is None:
        raise BadCredential("the token must be 1 to 256 printable ASCII characters without spaces")
    return token


def token_from_file(path: str | Path) -> str:
    """Read a token from a file that belongs to the user and that nobody else can open.

    Raises:
        BadCredential: The file is missing, open to others, or holds no token.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        raise BadCredential(f"cannot read the token file {path}: {error.strerror}") from error
    try:
        _check_private(path, os.fstat(descriptor))
        raw = os.read(descriptor, TOKEN_FILE_LIMIT)
    finally:
        os.close(descriptor)
    return check_token(raw.decode("latin-1").strip())


def _check_private(path: str | Path, status: os.stat_result) -> None:
    mode = stat.S_IMODE(status.st_mode)
    if not stat.S_ISREG(status.st_mode):
        raise BadCredential(f"the token file {path} is no regular file")
    if status.st_uid != os.geteuid():
        raise BadCredential(f"the token file {path} belongs to user {status.st_uid}")
    if mode & 0o077:
        raise BadCredential(
            f"the token file {path} has mode {mode:04o}; others could read it, "
            f"run: chmod 600 {path}"
        )


def token_from_variable(name: str, environ: Mapping[str, str]) -> str:
    """Read a token from the environment variable of this name.

    Raises:
        BadCredential: The variable is not set or holds no token.
    """
    value = environ.get(name)
    if not value:
        raise BadCredential(
            f"the environment variable {name}, which should hold the token, is empty"
        )
    return check_token(value.strip())
