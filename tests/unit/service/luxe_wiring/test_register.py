from __future__ import annotations

import pytest

from luvus_service.luxe_wiring.register import Dormant, Register
from luvus_service.rpc.refusals import Refused
from tests.support.kept_sessions import Live, kept

NOW = 5_000


def test_a_live_session_takes_the_place_in_which_it_lay_dormant() -> None:
    register = Register()
    for place, name in enumerate(("a", "b", "c")):
        register.bring_back(place, kept(name))
    register.add(Live("d"))
    register.add(Live("b"))

    assert [r.session_id for r in register.listed()] == ["a", "b", "c", "d"]
    assert [entry.id for entry in register.dormant()] == ["a", "c"]


def test_a_session_is_found_by_what_is_open_in_it_before_what_it_began_with() -> None:
    register = Register()
    register.bring_back(0, kept("new", first="old"))
    register.bring_back(1, kept("old"))

    assert register.find("old").id == "old"
    register.drop(register.find("old"))
    assert register.find("old").id == "new"
    with pytest.raises(Refused, match="no agent session 'none'"):
        register.find("none")


def test_a_fault_is_shown_and_not_remembered() -> None:
    dormant = Dormant(kept(state="done"))
    dormant.fail("locked", NOW)
    dormant.fail("locked", NOW + 1)

    assert (dormant.row().state, dormant.row().error, dormant.row().since_ms) == (
        "failed",
        "locked",
        NOW,
    )
    assert dormant.kept() == kept(state="done")
