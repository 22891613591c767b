"""Refusals that only agents know."""

from __future__ import annotations

from luvus_service.uhp.domain.errors import DomainError


class AmbiguousTarget(DomainError):
    """Several panes answer to the target."""

    code = "ambiguous_target"


class AuthorityConflict(DomainError):
    """Another source holds the pane's lease."""

    code = "authority_conflict"


class StaleReport(DomainError):
    """The report is not newer than what is known."""

    code = "stale_report"
