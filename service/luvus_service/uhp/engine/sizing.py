"""Who decides how large the session's terminals are: a lease, and what comes back after it.

Looking at a terminal never resizes it. One claim holds the lease, the others wait in the order in
which they came; when the holder leaves, the next one's size applies, and the built-in size in the
end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from luvus_service.rpc.errors import LimitExceeded
from luvus_service.uhp.domain.geometry import Area
from luvus_service.uhp.engine.session import AREA, Session

CLAIMS = 32
"""Viewers that may wait for the lease at one time."""


class Claim:
    """One viewer's wish for a size."""

    def __init__(self, sizes: Sizes, cols: int, rows: int, told: Callable[[], None]) -> None:
        self._sizes = sizes
        self.cols = cols
        self.rows = rows
        self.told = told

    @property
    def holds(self) -> bool:
        """Whether this claim's size is the one in force."""
        return self._sizes.holder is self

    def resize(self, cols: int, rows: int) -> None:
        """Wish for another size; applies at once when this claim holds the lease."""
        self.cols, self.rows = cols, rows
        self._sizes.apply()

    def take(self) -> None:
        """Take the lease over from whoever has it."""
        self._sizes.take(self)

    def release(self) -> None:
        """Give it up; the next claim's size applies. Releasing twice is harmless."""
        self._sizes.release(self)


class Sizes:
    """The claims on the size of one session's tabs."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._claims: list[Claim] = []

    @property
    def holder(self) -> Claim | None:
        """The claim whose size is in force."""
        return self._claims[0] if self._claims else None

    def size(self) -> tuple[int, int]:
        """Return the (cols, rows) of a whole tab now."""
        return self._session.area.cols, self._session.area.rows

    def claim(self, cols: int, rows: int, told: Callable[[], None]) -> Claim:
        """Wish for a size; `told` is called whenever the size or its holder changes.

        Raises:
            LimitExceeded: `CLAIMS` wait already.
        """
        if len(self._claims) >= CLAIMS:
            raise LimitExceeded(f"{CLAIMS} viewers want to set the size already; close one")
        claim = Claim(self, cols, rows, told)
        self._claims.append(claim)
        self.apply()
        return claim

    def take(self, claim: Claim) -> None:
        """Put a claim first."""
        if claim in self._claims:
            self._claims.remove(claim)
            self._claims.insert(0, claim)
            self.apply()

    def release(self, claim: Claim) -> None:
        """Forget a claim."""
        if claim in self._claims:
            self._claims.remove(claim)
            self.apply()

    def apply(self) -> None:
        """Give the terminals the holder's size and tell everybody."""
        holder = self.holder
        cols, rows = (AREA.cols, AREA.rows) if holder is None else (holder.cols, holder.rows)
        self._session.set_area(_sized(self._session.area, cols, rows))
        for claim in tuple(self._claims):
            claim.told()


def _sized(area: Area, cols: int, rows: int) -> Area:
    return replace(area, cols=cols, rows=rows)
