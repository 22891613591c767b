"""The log stays below its size while others append."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from luvus_service.adapters.ptyhost.logfile import log_tail, open_log, trim_log


def test_a_log_over_the_limit_is_moved_aside_and_appenders_go_on(tmp_path: Path) -> None:
    path = tmp_path / "server.log"
    fd = open_log(str(path))
    os.write(fd, b"x" * 100 + b"end of the old")

    kept_small = trim_log(str(path), 200)
    trimmed = trim_log(str(path), 50)
    os.write(fd, b"new")
    os.close(fd)

    assert (kept_small, trimmed) == (False, True)
    assert path.read_bytes() == b"new"
    assert (tmp_path / "server.log.1").read_bytes().endswith(b"xend of the old")
    assert (tmp_path / "server.log.1").stat().st_size == 50
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_the_tail_begins_where_this_start_began(tmp_path: Path) -> None:
    path = tmp_path / "server.log"
    path.write_bytes(b"old\nnew\xff\n")

    assert log_tail(str(path), 4) == "new\ufffd\n"
    # A log that was emptied meanwhile is read from its beginning.
    assert log_tail(str(path), 400) == "old\nnew\ufffd\n"
    assert log_tail(str(tmp_path / "none")) == ""


def test_a_link_in_the_place_of_the_log_is_not_followed(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious" * 100)
    (tmp_path / "server.log").symlink_to(victim)

    assert trim_log(str(tmp_path / "server.log"), 10) is False
    assert victim.stat().st_size == 800
