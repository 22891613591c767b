"""The file from which a new process takes the dashboard over."""

from __future__ import annotations

from pathlib import Path

import pytest

from luvus_web.browsers import Browsers
from luvus_web.saved import Saved, forget, load, save


def test_what_is_saved_is_loaded_again_and_only_the_owner_may_read_it(tmp_path: Path) -> None:
    browsers = Browsers(lambda: 1000.0)
    entered = browsers.redeem(browsers.issue(read_only=True), "Firefox")
    assert entered is not None
    path = tmp_path / "web.json"

    save(path, Saved("127.0.0.1", 8717, browsers.list()))

    found = load(path)
    assert found is not None
    assert (found.address, found.port) == ("127.0.0.1", 8717)
    later = Browsers(lambda: 1001.0)
    later.restore(found.browsers)
    known = later.find(entered[1])
    assert known is not None
    assert (known.id, known.read_only, known.agent) == (entered[0].id, True, "Firefox")
    assert path.stat().st_mode & 0o777 == 0o600
    assert entered[1].encode() not in path.read_bytes()


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"format":2}', b'{"format":1}', b"\xff"])
def test_a_file_that_is_not_understood_is_no_file(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "web.json"
    path.write_bytes(content)

    assert load(path) is None


def test_forgetting_twice_is_harmless(tmp_path: Path) -> None:
    path = tmp_path / "web.json"
    path.write_bytes(b"x")

    forget(path)
    forget(path)

    assert load(path) is None
