from __future__ import annotations

from luvus_service.luxe.catalogue import kinds
from luvus_service.luxe.domain.handshake import ACTIONS


def test_the_handshake_names_exactly_the_declared_actions() -> None:
    assert kinds() == ACTIONS
