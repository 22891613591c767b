"""Figures of a run: what was measured, against what, and whether it reached its target.

Knows nothing of servers. Prints the table and writes the same figures as JSON.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

Better = Literal["lower", "higher"]


@dataclass(frozen=True, slots=True)
class Target:
    """A bound for a figure, or for its ratio to the comparison's."""

    bound: float
    of: Literal["value", "ratio"] = "value"


@dataclass(frozen=True, slots=True)
class Figure:
    """One row of the table."""

    name: str
    value: float
    unit: str
    peer: float | None = None
    """The comparison's figure, measured in the same run."""
    better: Better = "lower"
    target: Target | None = None
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """Ours over the comparison's."""
        return self.value / self.peer if self.peer else None

    @property
    def met(self) -> bool | None:
        """Whether the target is reached; None without one."""
        if self.target is None:
            return None
        judged = self.value if self.target.of == "value" else self.ratio
        if judged is None:
            return None
        within = judged <= self.target.bound
        return within if self.better == "lower" else judged >= self.target.bound

    def json(self) -> dict[str, Any]:
        """Return the row with what follows from it."""
        return {**asdict(self), "ratio": self.ratio, "met": self.met}


def percentile(samples: Sequence[float], share: float) -> float:
    """Return the smallest sample that at least this share of the samples does not exceed."""
    ordered = sorted(samples)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def table(figures: Iterable[Figure]) -> str:
    """Return the rows as text, columns aligned."""
    rows = [("figure", "ours", "theirs", "unit", "ratio", "target", "")]
    rows += [
        (
            figure.name,
            _number(figure.value),
            _number(figure.peer),
            figure.unit,
            "" if figure.ratio is None else f"{figure.ratio:.2f}",
            _wanted(figure),
            " ".join(filter(None, (_verdict(figure), figure.note))),
        )
        for figure in figures
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(7)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column in (0, 3, 6) else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def write_json(path: Path, figures: Iterable[Figure], machine: dict[str, Any]) -> None:
    """Store a run."""
    path.parent.mkdir(parents=True, exist_ok=True)
    found = {"machine": machine, "figures": [figure.json() for figure in figures]}
    path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    if value == int(value) and abs(value) < 1e9:
        return f"{value:.0f}"
    return f"{value:.3g}" if abs(value) < 100 else f"{value:.0f}"


def _wanted(figure: Figure) -> str:
    if figure.target is None:
        return ""
    sign = "<=" if figure.better == "lower" else ">="
    return f"{sign} {figure.target.bound:g}{'x' if figure.target.of == 'ratio' else ''}"


def _verdict(figure: Figure) -> str:
    return {None: "", True: "met", False: "MISSED"}[figure.met]
