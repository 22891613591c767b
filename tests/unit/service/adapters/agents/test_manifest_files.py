from __future__ import annotations

import logging
from pathlib import Path

import pytest

from luvus_service.adapters.agents.manifest_files import BUILT_IN, EXAMPLE, ManifestFiles


def test_every_built_in_manifest_is_whole(caplog: pytest.LogCaptureFixture) -> None:
    found = ManifestFiles(Path("/nowhere")).load()

    assert not caplog.records
    assert len(found.registry.agents) == len(list(BUILT_IN.glob("*.toml"))) - 1


def test_managed_files_come_before_the_users_and_bad_ones_are_named(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    own, managed = tmp_path / "manifests", tmp_path / "manifests" / "managed"
    managed.mkdir(parents=True)
    (managed / "z.toml").write_text('agent = "m"\n[identity]\n')
    (own / "a.toml").write_text('agent = "u"\n[identity]\n[[rule]]\nstate = "idle"\n')
    (own / "bad.toml").write_text("= [")
    (own / "binary.toml").write_bytes(b"\xff\xfe")
    (own / "huge.toml").write_bytes(b"#" * 300_000)
    (own / "note.txt").write_text("agent = 1")

    with caplog.at_level(logging.WARNING):
        found = ManifestFiles(tmp_path).load()

    assert list(found.registry.agents)[-2:] == ["m", "u"]
    messages = "\n".join(record.getMessage() for record in caplog.records)
    assert [name in messages for name in ("bad", "binary", "huge", "rule 1 has no condition")] == [
        True
    ] * 4


def test_an_example_is_dropped_once_and_not_loaded(tmp_path: Path) -> None:
    ManifestFiles(tmp_path).load()
    example = tmp_path / "manifests" / EXAMPLE
    assert "myagent" in example.read_text()
    example.unlink()

    found = ManifestFiles(tmp_path).load()

    assert not example.exists()
    assert "myagent" not in found.registry.agents
