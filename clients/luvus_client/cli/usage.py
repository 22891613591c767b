"""The one way a command line is refused before anything is sent."""

from __future__ import annotations

EXIT_OK = 0
EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_WAIT_OVER = 3
"""A wait ended without what was waited for."""


class UsageError(Exception):
    """The words make no command; the text is for the person who typed them."""


class HelpWanted(Exception):
    """The person asked how the command is used."""
