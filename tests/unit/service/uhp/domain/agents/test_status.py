from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from luvus_service.uhp.domain.agents.states import STATES, State
from luvus_service.uhp.domain.agents.status import (
    QUIET_DWELL_S,
    RESIZE_FREEZE_S,
    TRANSITIONS,
    Machine,
    Reading,
    advance,
    resized,
    seen,
)


def run(*readings: tuple[float, State], focused: bool = False) -> Machine:
    """Feed readings of (time, state) to a new machine."""
    machine = Machine()
    for when, state in readings:
        machine = advance(machine, Reading(state), when, focused=focused)
    return machine


def test_working_and_blocked_are_published_at_once() -> None:
    assert run((0, "working")).published == "working"
    assert run((0, "working"), (1, "blocked")).published == "blocked"
    assert run((0, "blocked"), (1, "working")).published == "working"


def test_idle_is_published_after_it_has_held_and_done_when_nobody_looked() -> None:
    waiting = run((0, "working"), (1, "idle"), (3.4, "idle"))

    assert (waiting.published, waiting.candidate, waiting.due()) == (
        "working",
        "done",
        1 + QUIET_DWELL_S,
    )
    assert advance(waiting, Reading("idle"), 3.5, focused=False).published == "done"
    assert run((0, "working"), (1, "idle"), (3.5, "idle"), focused=True).published == "idle"


def test_a_glyph_that_flickers_every_second_never_reaches_idle() -> None:
    readings: list[tuple[float, State]] = [
        (float(second), "working" if second % 2 else "idle") for second in range(1, 40)
    ]
    machine = Machine()
    published: list[State] = []
    for when, state in readings:
        machine = advance(machine, Reading(state), when, focused=False)
        published.append(machine.published)

    assert set(published) == {"working"}


def test_the_first_idle_of_a_pane_is_idle_and_not_done() -> None:
    assert run((0, "idle"), (3, "idle")).published == "idle"


def test_looking_at_a_finished_pane_makes_it_idle_at_once() -> None:
    done = run((0, "working"), (1, "idle"), (4, "idle"))

    looked = seen(done, 5)

    assert (done.published, looked.published, looked.latched) == ("done", "idle", False)
    assert advance(looked, Reading("idle"), 6, focused=True).published == "idle"


def test_looking_while_done_waits_for_its_dwell_leads_to_idle() -> None:
    waiting = run((0, "working"), (1, "idle"))

    looked = seen(waiting, 2)
    later = advance(looked, Reading("idle"), 4.5, focused=True)

    assert (looked.published, later.published) == ("working", "idle")


def test_nothing_changes_for_a_moment_after_a_resize() -> None:
    frozen = resized(run((0, "working")), 1)

    during = advance(frozen, Reading("blocked"), 1.1, focused=False)
    after = advance(during, Reading("blocked"), 1 + RESIZE_FREEZE_S, focused=False)

    assert (during.published, during.due()) == ("working", 1 + RESIZE_FREEZE_S)
    assert after.published == "blocked"


def test_a_state_that_shows_only_during_the_redraw_is_forgotten() -> None:
    frozen = resized(run((0, "working")), 1)

    during = advance(frozen, Reading("blocked"), 1.1, focused=False)
    after = advance(during, Reading("working"), 1.2, focused=False)

    assert (after.published, after.candidate) == ("working", None)


def test_a_report_is_published_at_once_also_idle_and_during_a_freeze() -> None:
    frozen = resized(run((0, "working")), 1)

    idle = advance(frozen, Reading("idle", reported=True), 1.1, focused=False)
    done = advance(idle, Reading("done", reported=True), 1.2, focused=True)

    assert (idle.published, done.published, done.latched) == ("idle", "done", True)


def test_every_state_that_can_be_published_has_its_row() -> None:
    rows = {row.published for row in TRANSITIONS}

    assert {"blocked", "working", "done", "idle"} <= rows


steps = st.lists(
    st.tuples(
        st.floats(0.01, 5, allow_nan=False),
        st.sampled_from(["idle", "working", "blocked"]),
        st.booleans(),
        st.booleans(),
    ),
    max_size=40,
)


@given(steps)
def test_what_is_published_was_read_and_held_long_enough(
    steps: list[tuple[float, State, bool, bool]],
) -> None:
    machine, now, since = Machine(), 0.0, 0.0
    last: State = "unknown"
    for gap, state, focused, size in steps:
        now += gap
        since = since if state == last else now
        last = state
        if size:
            machine = resized(machine, now)
        before = machine.published
        machine = advance(machine, Reading(state), now, focused=focused)
        assert machine.published in STATES
        if machine.published != before:
            assert not size
            assert machine.published in (state, "done")
            if machine.published in ("idle", "done"):
                assert now - since >= QUIET_DWELL_S - 1e-9
        assert not (focused and machine.latched)
        assert (machine.due() is None) == (machine.candidate is None)
