"""The bounded list of notifications."""

from __future__ import annotations

from typing import Any

from luvus_service.uhp.engine.events import EventBus
from luvus_service.uhp.engine.notifications import KEPT, Notification, Notifications


def test_a_notification_is_published_and_the_oldest_goes_when_one_too_many_comes() -> None:
    bus = EventBus()
    published: list[tuple[str, Any]] = []
    bus.listen(lambda name, _sequence, data, _frame: published.append((name, data)))
    notifications = Notifications(bus, lambda: 5.0)

    for number in range(KEPT + 1):
        notifications.push(str(number), "b", pane=1, terminal_id="t", source="client")

    assert notifications.list() == tuple(
        Notification(str(number), "b", 5.0, 1, "t") for number in range(1, KEPT + 1)
    )
    assert len(published) == KEPT + 1
    assert published[0] == (
        "pane.notified",
        {"pane": "1", "title": "0", "body": "b", "source": "client", "dropped": 0},
    )
