from __future__ import annotations

from pathlib import Path

import pytest

from luvus_service.asgi.status import OF_KIND
from luvus_service.codegen.files import generated_files, stale_files, write_files
from luvus_service.luxe_wiring.described import agent_api
from tests.unit.service.codegen.sample import CATALOGUE


@pytest.fixture
def files() -> dict[str, str]:
    return generated_files(
        CATALOGUE, "1.0", status_of_kind=OF_KIND, server_sent={}, agents=agent_api()
    )


def test_files_are_stale_until_they_are_written(tmp_path: Path, files: dict[str, str]) -> None:
    before = stale_files(tmp_path, files)
    written = write_files(tmp_path, files)
    after = stale_files(tmp_path, files)

    assert before == sorted(files)
    assert written == sorted(files)
    assert after == []
    assert write_files(tmp_path, files) == []


def test_a_changed_file_is_named_and_restored(tmp_path: Path, files: dict[str, str]) -> None:
    write_files(tmp_path, files)
    page = tmp_path / "service/docs/reference/box.md"
    page.write_text("edited by hand")

    assert stale_files(tmp_path, files) == ["service/docs/reference/box.md"]
    write_files(tmp_path, files)
    assert page.read_text() == files["service/docs/reference/box.md"]


def test_a_generated_file_that_nothing_generates_any_more_goes(
    tmp_path: Path, files: dict[str, str]
) -> None:
    write_files(tmp_path, files)
    fewer = {path: text for path, text in files.items() if "box_lid" not in path}

    assert stale_files(tmp_path, fewer) == ["clients/luvus_client/generated/box_lid.py"]
    write_files(tmp_path, fewer)
    assert not (tmp_path / "clients/luvus_client/generated/box_lid.py").exists()


def test_a_file_made_by_hand_in_a_generated_folder_is_left_alone(
    tmp_path: Path, files: dict[str, str]
) -> None:
    write_files(tmp_path, files)
    mine = tmp_path / "service/docs/reference/notes.md"
    mine.write_text("# Notes\n")

    assert stale_files(tmp_path, files) == []
    write_files(tmp_path, files)
    assert mine.exists()
