"""The host's loop: timers, descriptors, and callbacks that fail."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from luvus_service.adapters.ptyhost.reactor import Reactor


@pytest.fixture
def reactor() -> Iterator[Reactor]:
    made = Reactor()
    yield made
    made.close()


def test_timers_run_in_order_and_a_cancelled_one_does_not(reactor: Reactor) -> None:
    calls: list[str] = []
    reactor.later(0.02, reactor.stop)
    reactor.later(0.01, lambda: calls.append("second"))
    reactor.later(0, lambda: calls.append("first"))
    reactor.later(0, lambda: calls.append("cancelled")).cancel()

    reactor.run()

    assert calls == ["first", "second"]


def test_a_descriptor_whose_callback_fails_is_dropped_and_the_others_go_on(
    reactor: Reactor, capsys: pytest.CaptureFixture[str]
) -> None:
    bad, good = os.pipe(), os.pipe()

    def fail() -> None:
        raise RuntimeError("the callback is broken")

    reactor.watch(bad[0], fail)
    reactor.watch(good[0], reactor.stop)
    os.write(bad[1], b"!")
    reactor.later(0.01, lambda: os.closerange(good[1], good[1] + 1))

    reactor.run()

    assert capsys.readouterr().err.count("RuntimeError: the callback is broken") == 1
    for fd in (*bad, good[0]):
        os.close(fd)


def test_a_signal_is_served_on_the_loop(reactor: Reactor) -> None:
    before = signal.getsignal(signal.SIGUSR1)
    reactor.on_signals([signal.SIGUSR1], reactor.stop)
    os.kill(os.getpid(), signal.SIGUSR1)

    reactor.run()

    signal.signal(signal.SIGUSR1, before)


def test_a_stop_before_the_run_ends_it_at_once(reactor: Reactor) -> None:
    reactor.stop()

    reactor.run()
