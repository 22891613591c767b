from __future__ import annotations

from pathlib import Path

import pytest

from luvus_service.luxe_wiring.configuration import Configuration, configuration
from luvus_service.luxe_wiring.words import StartFault


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    assert configuration(tmp_path) == Configuration()


def test_every_key_is_read(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text(
        'model = "a/b"\nthinking = "high"\ntitles = true\nweb_fetch = true\n'
        "max_model_calls = 7\nmax_repeats = 2\nreview_model = 'c/d'\nplan_folder = 'p/q'\n"
        "[compaction]\nauto = false\n"
    )

    assert configuration(tmp_path) == Configuration(
        "a/b", "high", False, True, True, 7, 2, "c/d", "p/q"
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("plan_folder = '../x'", "a folder in the project"),
        ("plan_folder = '/tmp'", "a folder in the project"),
        ("model = 5", "`model` must be a text, not 5"),
        ('thinking = "huge"', "`thinking` must be one of off"),
        ("max_repeats = true", "`max_repeats` must be a number from 1"),
        ("compaction = 1", "`compaction` must be a table"),
        ("nosuch = 1", "`nosuch` is not known"),
        ("= broken", "cannot be read"),
    ],
)
def test_what_does_not_fit_is_a_usage_fault(tmp_path: Path, text: str, sentence: str) -> None:
    (tmp_path / "config.toml").write_text(text)

    with pytest.raises(StartFault, match=sentence) as caught:
        configuration(tmp_path)

    assert caught.value.code == 2


def test_a_named_file_stands_in_for_the_usual_one(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("max_repeats = 9")
    (tmp_path / "other.toml").write_text("max_repeats = 4")

    assert configuration(tmp_path, str(tmp_path / "other.toml")).max_repeats == 4
