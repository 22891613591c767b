"""The host's table of terminals, with real programs."""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Iterator
from typing import Any

import pytest

from luvus_service.adapters.ptyhost import terminals as module
from luvus_service.adapters.ptyhost.reactor import Reactor
from luvus_service.adapters.ptyhost.terminals import Terminal, Terminals, exit_of


class Table:
    """A reactor with terminals, and the answers to what was asked."""

    def __init__(self) -> None:
        self.reactor = Reactor()
        self.exits: list[str] = []
        self.terminals = Terminals(
            self.reactor,
            open_files=resource.getrlimit(resource.RLIMIT_NOFILE),
            on_exit=lambda terminal: self.exits.append(terminal.id),
        )

    def spawn(self, terminal_id: str, *argv: str) -> tuple[Terminal | None, str]:
        """Start a program and run the loop until the answer comes."""
        answers: list[tuple[Terminal | None, str]] = []

        def answer(terminal: Terminal | None, text: str) -> None:
            answers.append((terminal, text))
            self.reactor.stop()

        request: dict[str, Any] = {"id": terminal_id, "argv": argv, "cwd": "/", "env": {}}
        self.terminals.spawn({**request, "cols": 80, "rows": 24}, answer)
        self.reactor.run()
        return answers[0]

    def close(self) -> None:
        for terminal in self.terminals.all():
            os.kill(terminal.pid, signal.SIGKILL)
            self.terminals.reaped(*os.waitpid(terminal.pid, 0))
            self.terminals.forget(terminal)
        self.reactor.close()


@pytest.fixture
def table() -> Iterator[Table]:
    made = Table()
    yield made
    made.close()


def test_a_terminal_over_the_limit_is_refused_with_the_limit(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "TERMINALS_LIMIT", 1)
    first, _ = table.spawn("a", "/bin/sleep", "100")

    second = table.spawn("b", "/bin/sleep", "100")

    assert first is not None
    assert second == (None, "The session has 1 terminals, which is the limit.")


def test_no_program_and_a_second_use_of_an_id_are_refused(table: Table) -> None:
    reason = "A terminal needs a program and an id that no other terminal has."
    empty = table.spawn("a")
    first, _ = table.spawn("a", "/bin/sleep", "100")

    assert first is not None
    assert (empty, table.spawn("a", "/bin/true")) == ((None, reason), (None, reason))


def test_every_way_to_end_has_a_code_or_a_name() -> None:
    assert (exit_of(0), exit_of(7 << 8)) == ((0, None), (7, None))
    assert (exit_of(9), exit_of(11 | 0x80)) == ((None, "SIGKILL"), (None, "SIGSEGV"))
    assert exit_of(40) == (None, "SIG40")
