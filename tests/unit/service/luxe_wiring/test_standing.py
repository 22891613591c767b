from __future__ import annotations

from luvus_service.luxe.catalogue import GROUPS
from luvus_service.luxe_wiring.standing import FOLLOWED, READ
from luvus_service.rpc.frames import frame_schema


def test_every_kind_that_may_change_a_row_is_a_kind_of_event() -> None:
    assert set(READ) <= set(FOLLOWED) <= set(frame_schema(GROUPS)["events"])
