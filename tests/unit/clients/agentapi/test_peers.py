from __future__ import annotations

import socket
import sys

import pytest

from luvus_client.agentapi.peers import ends, is_ours, owner

TABLE = """\
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:0CD4 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1 1
   1: 0100007F:0CD4 0100007F:D431 01 00000000:00000000 00:00000000 00000000  1000        0 2 1
   2: 0100007F:D431 0100007F:0CD4 01 00000000:00000000 00:00000000 00000000  1001        0 3 1
"""
HERE, PEER = ("127.0.0.1", 3284), ("127.0.0.1", 54321)


@pytest.mark.skipif(sys.byteorder != "little", reason="the table was written by such a machine")
def test_the_user_of_a_connection_is_that_of_its_far_end() -> None:
    assert owner(TABLE, PEER, HERE) == 1001
    assert owner(TABLE, HERE, PEER) == 1000
    assert owner(TABLE, ("127.0.0.1", 1), HERE) is None
    assert owner("", PEER, HERE) is None


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux keeps this table")
@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6])
def test_a_connection_of_this_process_is_ours_and_an_unknown_one_is_not(
    family: socket.AddressFamily,
) -> None:
    address = "127.0.0.1" if family is socket.AF_INET else "::1"
    try:
        listening = socket.create_server((address, 0), family=family)
    except OSError:
        pytest.skip("this machine has no such address")
    with listening, socket.create_connection(listening.getsockname()[:2]):
        accepted, _ = listening.accept()
        with accepted:
            peer, here = ends(accepted)

            assert is_ours(peer, here)
            assert not is_ours((peer[0], 1), here)
