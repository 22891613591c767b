"""The bounded list of notifications."""

from __future__ import annotations

from luvus_service.uhp.engine.notifications import KEPT, Notification, Notifications


def test_the_oldest_notification_goes_when_one_too_many_comes() -> None:
    notifications = Notifications()
    pushed = [Notification(f"{n}", "", float(n)) for n in range(KEPT + 1)]

    for notification in pushed:
        notifications.push(notification)

    assert notifications.list() == tuple(pushed[1:])
