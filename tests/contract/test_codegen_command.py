"""`python -m luvus_service.codegen` as the checks run it."""

from __future__ import annotations

from pathlib import Path

import pytest

from luvus_service.codegen.__main__ import main

# Everything is generated, twice in a test.
pytestmark = pytest.mark.timeout(90)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    (tmp_path / "clients" / "luvus_client").mkdir(parents=True)
    return tmp_path


def test_check_names_what_is_stale_and_writes_nothing(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["--root", str(checkout)])
    page = checkout / "service/docs/reference/pane.md"
    page.write_text("edited by hand")
    capsys.readouterr()

    status = main(["--check", "--root", str(checkout)])

    assert status == 1
    assert capsys.readouterr() == (
        "stale: service/docs/reference/pane.md\n",
        "run `python -m luvus_service.codegen` and commit what it writes\n",
    )
    assert page.read_text() == "edited by hand"


def test_what_was_just_written_is_not_stale(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written = main(["--root", str(checkout)])

    assert written == 0
    assert "written: clients/luvus_client/generated/protocol.json" in capsys.readouterr().out
    assert main(["--check", "--root", str(checkout)]) == 0


def test_a_folder_that_is_no_checkout_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status = main(["--root", str(tmp_path)])

    assert status == 2
    assert "is no checkout of the repository" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
