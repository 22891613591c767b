"""Tickets and logins, with a clock that stands still."""

from __future__ import annotations

from luvus_web.browsers import BROWSER_S, BROWSERS, TICKET_S, TICKETS, Browsers


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_a_ticket_becomes_one_login() -> None:
    browsers = Browsers(Clock())
    ticket = browsers.issue(read_only=True)

    entered = browsers.redeem(ticket, "Firefox\x1b[31m")

    assert entered is not None
    browser, cookie = entered
    assert browsers.find(cookie) is browser
    assert (browser.read_only, browser.agent) == (True, "Firefox[31m")
    assert browsers.redeem(ticket, "Firefox") is None


def test_a_ticket_is_no_good_after_a_minute() -> None:
    clock = Clock()
    browsers = Browsers(clock)
    ticket = browsers.issue(read_only=False)

    clock.now += TICKET_S

    assert browsers.redeem(ticket, "") is None


def test_the_oldest_ticket_makes_room_for_another() -> None:
    browsers = Browsers(Clock())
    tickets = [browsers.issue(read_only=False) for _ in range(TICKETS + 1)]

    assert browsers.redeem(tickets[0], "") is None
    assert browsers.redeem(tickets[1], "") is not None


def test_the_browser_that_was_idle_longest_makes_room_for_another() -> None:
    clock = Clock()
    ended: list[str] = []
    browsers = Browsers(clock, on_ended=ended.append)
    entered = []
    for _ in range(BROWSERS):
        clock.now += 1
        found = browsers.redeem(browsers.issue(read_only=False), "")
        assert found is not None
        entered.append(found)
    entered[0][0].streams = 1

    browsers.redeem(browsers.issue(read_only=False), "")

    assert ended == [entered[1][0].id]
    assert entered[1][0].ended.is_set()
    assert len(browsers.list()) == BROWSERS


def test_a_login_ends_after_its_time() -> None:
    clock = Clock()
    ended: list[str] = []
    browsers = Browsers(clock, on_ended=ended.append)
    entered = browsers.redeem(browsers.issue(read_only=False), "")
    assert entered is not None

    clock.now += BROWSER_S

    assert browsers.find(entered[1]) is None
    assert ended == [entered[0].id]


def test_a_revoked_login_is_no_good_and_its_streams_are_told() -> None:
    browsers = Browsers(Clock())
    entered = browsers.redeem(browsers.issue(read_only=False), "")
    assert entered is not None
    browser, cookie = entered

    assert browsers.revoke(browser.id)

    assert browsers.find(cookie) is None
    assert browser.ended.is_set()
    assert not browsers.revoke(browser.id)


def test_no_secret_is_kept() -> None:
    browsers = Browsers(Clock())
    ticket = browsers.issue(read_only=False)
    entered = browsers.redeem(ticket, "")
    assert entered is not None

    kept = repr(vars(browsers)) + repr(entered[0])

    assert ticket not in kept
    assert entered[1] not in kept
