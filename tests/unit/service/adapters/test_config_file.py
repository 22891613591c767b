"""The configuration's file: read whole, replaced whole, changed under a lock."""

from __future__ import annotations

import fcntl
import json
import os
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from luvus_service.adapters import config_file as module
from luvus_service.adapters.config_file import JsonConfigFile
from luvus_service.uhp.domain.storage import ConfigBusy, ConfigUnusable


@pytest.fixture
def file(tmp_path: Path) -> JsonConfigFile:
    return JsonConfigFile(tmp_path)


@pytest.fixture
def held(tmp_path: Path) -> Iterator[int]:
    descriptor = os.open(tmp_path / "config.lock", os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    yield descriptor
    os.close(descriptor)


def test_a_home_without_a_file_has_an_empty_configuration(
    file: JsonConfigFile, tmp_path: Path
) -> None:
    assert file.read() == {}
    assert list(tmp_path.iterdir()) == []


def test_an_update_sees_the_newest_document_and_leaves_no_trace_beside_it(
    file: JsonConfigFile, tmp_path: Path
) -> None:
    (tmp_path / "config.json").write_text('{"a": 1}')

    file.update(lambda stored: {**stored, "b": "é"})

    assert file.read() == {"a": 1, "b": "é"}
    assert sorted(p.name for p in tmp_path.iterdir()) == ["config.json", "config.lock"]
    assert stat.S_IMODE((tmp_path / "config.json").stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "content", ["", "{", "[]", "null", '{"a": NaN}', "\udcff", "x" * 2_000_000]
)
def test_a_broken_file_is_told_and_put_aside_before_it_is_replaced(
    file: JsonConfigFile, tmp_path: Path, content: str
) -> None:
    path = tmp_path / "config.json"
    path.write_bytes(content.encode(errors="surrogateescape"))

    with pytest.raises(ConfigUnusable, match=r"config\.json"):
        file.read()
    file.update(lambda stored: {**stored, "a": 1})

    assert json.loads(path.read_bytes()) == {"a": 1}
    kept = (tmp_path / "config.json.broken-1").read_bytes()
    assert kept == content.encode(errors="surrogateescape")


def test_only_a_broken_file_is_rescued(file: JsonConfigFile, tmp_path: Path) -> None:
    assert file.rescue() is None
    (tmp_path / "config.json").write_text("{}")
    assert file.rescue() is None

    (tmp_path / "config.json").write_text("{")
    assert file.rescue() == str(tmp_path / "config.json.broken-1")
    assert file.read() == {}


def test_a_lock_held_by_another_process_is_waited_for_only_so_long(
    file: JsonConfigFile, held: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LOCK_WAIT_S", 0.05)

    with pytest.raises(ConfigBusy):
        file.update(lambda stored: {"a": 1})

    fcntl.flock(held, fcntl.LOCK_UN)
    file.update(lambda stored: {"a": 1})
    assert file.read() == {"a": 1}


def test_a_wait_for_the_lock_can_be_abandoned(file: JsonConfigFile, held: int) -> None:
    threading.Timer(0.05, file.abandon).start()

    with pytest.raises(ConfigBusy):
        file.update(lambda stored: {"a": 1})


def test_updates_of_many_at_once_all_count(tmp_path: Path) -> None:
    def add() -> None:
        mine = JsonConfigFile(tmp_path)
        for _ in range(5):
            mine.update(lambda stored: {"n": stored.get("n", 0) + 1})

    threads = [threading.Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert JsonConfigFile(tmp_path).read() == {"n": 20}


def test_a_link_in_place_of_the_new_file_is_not_followed(
    file: JsonConfigFile, tmp_path: Path
) -> None:
    (tmp_path / "config.json.new").symlink_to(tmp_path / "victim")

    with pytest.raises(ConfigUnusable):
        file.update(lambda stored: {"a": 1})

    assert not (tmp_path / "victim").exists()
