"""Where the agent's log goes: standard error, or a file that only its owner can read."""

from __future__ import annotations

import logging
import os

from luvus_service.luxe_wiring.words import EXIT_USAGE, StartFault


def log_to(level: str, file: str | None) -> None:
    """Set logging up.

    Raises:
        StartFault: The file cannot be written.
    """
    shape = "luxe: %(levelname)s %(message)s"
    if file is None:
        logging.basicConfig(level=level.upper(), format=shape)
        return
    try:
        fd = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    except OSError as fault:
        raise StartFault(EXIT_USAGE, f"--log-file {file}: {fault.strerror}") from fault
    stream = os.fdopen(fd, "a", encoding="utf-8")
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=level.upper(), handlers=[handler])
