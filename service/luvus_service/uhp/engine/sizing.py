"""Who decides how large the session's terminals are: a lease, and what comes back after it.

Looking at a terminal never resizes it. A claim wishes for the size of all tabs or of one pane. Of
the claims on the same thing one holds the lease, the others wait in the order in which they came;
when the holder leaves, the next one's size applies, and what there was without claims in the end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from luvus_service.rpc.errors import LimitExceeded
from luvus_service.uhp.engine.errors import NotFound
from luvus_service.uhp.engine.fitting import AREA
from luvus_service.uhp.engine.session import Session

CLAIMS = 32
"""Viewers that may wait for leases at one time, all together."""


class Claim:
    """One viewer's wish for a size."""

    def __init__(
        self, sizes: Sizes, pane: int | None, cols: int, rows: int, told: Callable[[], None]
    ) -> None:
        """`pane` is None for the size of all tabs."""
        self._sizes = sizes
        self.pane = pane
        self.cols = cols
        self.rows = rows
        self.told = told

    @property
    def holds(self) -> bool:
        """Whether this claim's size is the one in force."""
        return self._sizes.holder(self.pane) is self

    @property
    def size(self) -> tuple[int, int]:
        """The (cols, rows) in force of what this claim is about."""
        return self._sizes.size(self.pane)

    def resize(self, cols: int, rows: int) -> None:
        """Wish for another size; applies at once when this claim holds the lease."""
        self.cols, self.rows = cols, rows
        self._sizes.apply(self.pane)

    def take(self) -> None:
        """Take the lease over from whoever has it."""
        self._sizes.take(self)

    def release(self) -> None:
        """Give it up; the next claim's size applies. Releasing twice is harmless."""
        self._sizes.release(self)


class Sizes:
    """The claims on the sizes of one session's tabs and panes."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._claims: dict[int | None, list[Claim]] = {}

    def holder(self, pane: int | None = None) -> Claim | None:
        """Return the claim whose size is in force for a pane, or for all tabs."""
        claims = self._claims.get(pane)
        return claims[0] if claims else None

    def size(self, pane: int | None = None) -> tuple[int, int]:
        """Return the (cols, rows) of a pane, or of a whole tab, now."""
        record = None if pane is None else self._session.structure.panes.get(pane)
        terminal = self._session.terminals.get(record.terminal_id or "") if record else None
        if terminal is not None:
            return terminal.wanted
        return self._session.area.cols, self._session.area.rows

    def claim(
        self, cols: int, rows: int, told: Callable[[], None], *, pane: int | None = None
    ) -> Claim:
        """Wish for a size; `told` is called whenever the size or its holder changes.

        Raises:
            LimitExceeded: `CLAIMS` wait already.
            NotFound: No live pane has this id.
        """
        if pane is not None and pane not in self._session.structure.panes:
            raise NotFound(f"there is no pane {pane}")
        if sum(map(len, self._claims.values())) >= CLAIMS:
            raise LimitExceeded(f"{CLAIMS} viewers want to set the size already; close one")
        claim = Claim(self, pane, cols, rows, told)
        self._claims.setdefault(pane, []).append(claim)
        self.apply(pane)
        return claim

    def take(self, claim: Claim) -> None:
        """Put a claim first."""
        claims = self._claims.get(claim.pane, [])
        if claim in claims:
            claims.remove(claim)
            claims.insert(0, claim)
            self.apply(claim.pane)

    def release(self, claim: Claim) -> None:
        """Forget a claim."""
        claims = self._claims.get(claim.pane, [])
        if claim in claims:
            claims.remove(claim)
            if not claims:
                del self._claims[claim.pane]
            self.apply(claim.pane)

    def apply(self, pane: int | None) -> None:
        """Give the terminals the holder's size and tell everybody."""
        holder = self.holder(pane)
        wish = None if holder is None else (holder.cols, holder.rows)
        if pane is None:
            cols, rows = wish or (AREA.cols, AREA.rows)
            self._session.set_area(replace(self._session.area, cols=cols, rows=rows))
        else:
            self._session.set_pane_size(pane, wish)
        for claim in tuple(self._claims.get(pane, ())):
            claim.told()
