"""Makes the screen of a terminal again that an earlier server has left."""

from __future__ import annotations

from luvus_service.uhp.domain.ports import Emulator, EmulatorFactory, HostedTerminal


def revive(hosted: HostedTerminal, make: EmulatorFactory, *, history_bytes: int) -> Emulator:
    """Return an emulator that shows what this terminal showed, from checkpoint and journal.

    Replies to replayed queries are thrown away: they were given when the output was new.
    """
    checkpoint, rest = hosted.journal.replay()
    fallback = hosted.suspect
    emulator = make(hosted.cols, hosted.rows, history_bytes=history_bytes, fallback=fallback)
    hosted.journal.mark_feeding(True)
    emulator.feed(checkpoint)
    emulator.feed(rest)
    hosted.journal.mark_feeding(False)
    return emulator
