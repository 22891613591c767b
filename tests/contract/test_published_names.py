"""A method or an event that was published once stays; a new one is added to the list on purpose."""

from __future__ import annotations

from luvus_service.uhp.catalogue import catalogue
from tests.contract.published import EVENTS, METHODS


def test_the_published_methods_and_events_are_exactly_the_listed_ones() -> None:
    found = catalogue()

    assert (set(found.methods), set(found.events)) == (METHODS, EVENTS)
