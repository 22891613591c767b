from __future__ import annotations

from dataclasses import replace

import pytest

from luvus_service.uhp.domain.agents.errors import AuthorityConflict, StaleReport
from luvus_service.uhp.domain.agents.leases import Lease, Report, release, report
from luvus_service.uhp.domain.errors import InvalidRequest, NotFound

SAID = Report("fx/plugin", "fx", "working", sequence=12, ttl_s=10)


def test_a_report_becomes_a_lease_until_its_time_is_over() -> None:
    lease = report(None, SAID, 100.0)

    assert lease == Lease("fx/plugin", "fx", "working", 12, 10, 110.0)
    assert (lease.live(109.9), lease.live(110.0)) == (True, False)


def test_a_missing_sequence_is_the_next_one() -> None:
    first = report(None, replace(SAID, sequence=None), 0)
    second = report(first, replace(SAID, sequence=None), 1)

    assert (first.sequence, second.sequence) == (1, 2)


@pytest.mark.parametrize("sequence", [11, 12, 0])
def test_a_sequence_that_does_not_rise_is_stale(sequence: int) -> None:
    with pytest.raises(StaleReport):
        report(report(None, SAID, 0), replace(SAID, sequence=sequence), 1)


def test_another_source_has_to_wait_for_the_end_of_the_lease() -> None:
    held = report(None, SAID, 0)
    other = replace(SAID, source="other", sequence=1)

    with pytest.raises(AuthorityConflict):
        report(held, other, 9.9)
    assert report(held, other, 10).source == "other"


def test_only_the_owner_releases_and_only_once() -> None:
    held = report(None, SAID, 0)

    with pytest.raises(AuthorityConflict):
        release(held, "other", 1)
    with pytest.raises(NotFound):
        release(None, "fx/plugin", 1)
    with pytest.raises(NotFound):
        release(held, "fx/plugin", 11)
    assert release(held, "fx/plugin", 1) is held


@pytest.mark.parametrize("source", ["", "1x", "a b", "ä", "a\n", "x" * 65])
def test_a_malformed_source_is_refused(source: str) -> None:
    with pytest.raises(InvalidRequest):
        report(None, replace(SAID, source=source), 0)
