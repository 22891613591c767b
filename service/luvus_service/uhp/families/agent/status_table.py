"""The table of states for the reference page, written from the rules themselves."""

from __future__ import annotations

from luvus_service.uhp.domain.agents.status import TRANSITIONS

_HEAD = (
    "| The reading says | The pane is | Published is | When | |",
    "| --- | --- | --- | --- | --- |",
)
_ROWS = tuple(
    f"| {row.reading} | {row.seen} | `{row.published}` | {row.when} | {row.note} |"
    for row in TRANSITIONS
)
STATUS_TABLE = "\n".join((*_HEAD, *_ROWS))
