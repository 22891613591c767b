"""What a part of the soak found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass
class Verdict:
    """Figures to print and faults that fail the run."""

    figures: dict[str, float | str] = field(default_factory=dict[str, float | str])
    faults: list[str] = field(default_factory=list[str])

    def note(self, figures: Mapping[str, float | str]) -> None:
        """Add figures; of a name the last one counts."""
        self.figures.update(figures)

    def lines(self) -> list[str]:
        """Return it as text, a line for each figure and each fault."""
        shown = [
            f"  {name}: {value:.3g}" if isinstance(value, float) else f"  {name}: {value}"
            for name, value in self.figures.items()
        ]
        return shown + [f"  FAULT: {fault}" for fault in self.faults]
